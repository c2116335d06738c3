"""Ordered classes: a slow obvious model beside every fast part of the channel."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.optimize import minimize
from scipy.special import expit

from manyhands import OrdinalDawidSkene, simulate
from manyhands.channels import Batch, Ordinal, Sizes
from manyhands.channels.ordinal import OrdinalParams
from manyhands.channels.ordinal_module import OrdinalModule
from manyhands.errors import ParameterError

from .tiny_batch import (
    batch_of,
    check_climbing,
    check_gradients,
    check_joint,
    exact_gradient_step,
    shake,
    tiny_votes,
)

R, K = 3, 4


def _drawn(seed: int = 0, n_labels: int = K) -> OrdinalParams:
    rng = np.random.default_rng(seed)
    sizes = (R, R, R, (), K - 2, K - 1)
    size = torch.zeros(n_labels, K, dtype=torch.float64)
    return OrdinalParams(*(torch.tensor(rng.normal(size=n)) for n in sizes), size)


def _by_hand(params: OrdinalParams) -> np.ndarray:
    """[annotators, labels, classes], by differences of plain sigmoids."""
    width, sense, shift = params.log_width.exp().numpy(), params.discrimination.numpy(), params.shift.numpy()
    tau = float(params.first) + np.concatenate([[0], np.cumsum(params.log_gaps.exp().numpy())])
    theta = np.concatenate([[0], np.cumsum(params.log_steps.exp().numpy())])
    theta -= theta.mean()
    rows = np.empty((R, K, K))
    for j in range(R):
        for k in range(K):
            below = [0.0, *(expit(width[j] * t - sense[j] * theta[k] - shift[j]) for t in tau), 1.0]
            rows[j, :, k] = np.diff(below)
    return rows


@pytest.mark.parametrize("seed", range(4))
def test_rows_are_differences_of_sigmoids(seed: int) -> None:
    params = _drawn(seed)
    np.testing.assert_allclose(Ordinal().log_rows(params).exp().numpy(), _by_hand(params), atol=1e-12)


def test_no_label_is_impossible_however_sharp_the_annotator() -> None:
    params = _drawn()._replace(discrimination=torch.full((R,), 200.0, dtype=torch.float64))
    assert torch.isfinite(Ordinal().log_rows(params)).all()


def test_cannot_say_tells_nothing() -> None:
    rows = Ordinal().log_rows(_drawn(n_labels=K + 1))
    assert rows.shape == (R, K + 1, K)
    assert (rows[:, K] == 0).all()


@pytest.mark.parametrize(("strength", "scale"), [(2.0, 1.0), pytest.param(0.5, 0.5, marks=pytest.mark.slow)])
@pytest.mark.slow
def test_m_steps_reach_the_optimum_that_scipy_finds(strength: float, scale: float) -> None:
    counts = torch.tensor(np.random.default_rng(1).gamma(1.0, 3.0, (R, K, K)) + 12 * np.eye(K))
    channel = Ordinal(strength, scale)

    def unpacked(x: np.ndarray) -> OrdinalParams:
        v = torch.tensor(x)
        parts = v.split([R, R, R, 1, K - 2, K - 1])
        return OrdinalParams(*parts[:3], parts[3][0], *parts[4:], torch.zeros(K, K, dtype=torch.float64))

    def objective(params: OrdinalParams) -> float:
        return float((counts * channel.log_rows(params)).sum()) + channel.log_prior(params)

    begin = channel.start(R, K, K)
    x0 = np.concatenate([p.numpy().reshape(-1) for p in begin[:-1]])
    found = minimize(lambda x: -objective(unpacked(x)), x0, method="L-BFGS-B", options={"maxfun": 10**6})
    params, path = None, []
    for _ in range(150):
        params = channel.maximise(counts, params)
        path.append(objective(params))
    assert (np.diff(path) >= -1e-10).all()
    assert path[-1] == pytest.approx(-found.fun, rel=1e-6)
    np.testing.assert_allclose(
        channel.log_rows(params).exp().numpy(), channel.log_rows(unpacked(found.x)).exp().numpy(), atol=2e-3
    )


def _module(spec: Ordinal, n_labels: int = 3, k: int = 3) -> tuple[OrdinalModule, Batch]:
    votes = tiny_votes(n_labels=n_labels, k=k)
    module = spec.build(Sizes(3, n_labels, k))
    module.start(votes, torch.zeros(0))
    shake(module)
    return module, batch_of(votes)


@pytest.mark.parametrize(("n_labels", "k"), [(3, 3), (4, 3), (2, 2)])
def test_losses_by_enumeration(n_labels: int, k: int) -> None:
    module, batch = _module(Ordinal(), n_labels, k)
    rows = module.confusions().numpy()

    def chance(label: int, truth: int, j: int, unit: int) -> float:
        return 1.0 if label >= k else float(rows[j, truth, label] / rows[j, truth, :k].sum())

    check_joint(module, batch, chance, k)


@pytest.mark.parametrize("spec", [Ordinal(), Ordinal(0.0, 0.0)])
@pytest.mark.parametrize("n_labels", [3, 4])
def test_gradients(spec: Ordinal, n_labels: int) -> None:
    module, batch = _module(spec, n_labels)
    check_gradients(module, batch, 3)


@pytest.mark.parametrize("closed", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_em_never_falls(closed: bool) -> None:
    module, batch = _module(Ordinal())

    def update(name: str, targets: torch.Tensor) -> None:
        votes = targets if name == "em-marginal" else targets[batch.unit]
        counts = torch.zeros(3, 3, 3, dtype=torch.float64)
        counts.index_put_((batch.annotator, batch.label), votes, accumulate=True)
        assert module.update(counts)

    check_climbing(module, batch, 3, update if closed else exact_gradient_step(module, batch, 3))


def test_one_class_is_always_right() -> None:
    module = Ordinal().build(Sizes(2, 1, 1))
    np.testing.assert_array_equal(module.confusions(), np.ones((2, 1, 1)))
    assert (module(batch_of(tiny_votes(k=1, r=2))) == 0).all()


@pytest.mark.parametrize("name", ["strength", "scale"])
def test_bad_strengths(name: str) -> None:
    with pytest.raises(ParameterError, match=f"{name}=-1 must be a number of at least 0"):
        Ordinal(**{name: -1})


def test_a_known_scale_and_its_annotators_are_recovered() -> None:
    crowd = simulate("thresholds", n_tasks=3000, n_annotators=12, n_classes=5, redundancy=6, seed=3)
    model = OrdinalDawidSkene(accelerate=True).fit(crowd.labels)
    evidence, known = model.result_.evidence, crowd.parameters
    annotators = model.result_.annotators()
    for line, per in (("thresholds", "width"), ("places", "discrimination")):  # the product is identified
        learnt = getattr(evidence, line) * annotators[per].mean()
        np.testing.assert_allclose(learnt, known[line] * known[per].mean(), atol=0.4)
    for name, least in (("shift", 0.98), ("discrimination", 0.95), ("width", 0.9)):
        assert np.corrcoef(annotators[name], known[name])[0, 1] > least, name
    learnt = np.stack([model.result_.confusion(name) for name in crowd.labels.annotators])
    assert np.abs(learnt - crowd.confusions).max() < 0.08


def test_an_annotator_who_reads_the_scale_backwards_is_found() -> None:
    crowd = simulate("thresholds", n_tasks=600, n_annotators=8, n_classes=4, seed=1, discrimination=(1, 1))
    labels = crowd.labels
    backwards = np.where(labels.annotator == 0, 3 - labels.answers.values, labels.answers.values)
    table = type(labels).from_arrays(labels.task, labels.annotator, backwards, kind="ordinal")
    result = OrdinalDawidSkene().fit(table).result_
    assert result.annotators()["discrimination"][0] < -0.3
    assert result.annotators()["discrimination"][1:].min() > 0.5
