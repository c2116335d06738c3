"""Personal classifiers: the convex optimum, by scipy; and Gaussian processes, by scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF, ConstantKernel

import manyhands as mh
from manyhands.errors import ParameterError

LAMBDA, ETA = 2.0, 0.5


def crowd_of(seed: int = 0, n: int = 120, k: int = 3, symmetric: bool = False) -> tuple:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 2))
    logits = x @ rng.normal(size=(2, k)) * 2
    said = (logits[:, None] + rng.gumbel(size=(n, 4, k))).argmax(axis=2)
    return x, mh.Annotations.from_matrix(np.where(rng.random((n, 4)) < 0.6, said, np.nan))


def test_the_optimum_is_that_of_the_papers_problem() -> None:
    """In W_0 and W_j themselves, solved by scipy from another start."""
    x, labels = crowd_of()
    model = mh.PersonalClassifiers(shrinkage=LAMBDA, weight_decay=ETA).fit(x, labels)
    z = np.column_stack([(x - x.mean(0)) / x.std(0), np.ones(len(x))])
    task, who, said = labels.task, labels.annotator, np.asarray(labels.answers.values)
    free = np.array([1.0, 1.0, 0.0])[:, None]  # the intercept of W_0 is not shrunk

    def problem(flat: np.ndarray) -> tuple[float, np.ndarray]:
        w = flat.reshape(5, 3, 3)
        logits = np.einsum("nd,ndk->nk", z[task], w[1 + who])
        log_p = logits - np.logaddexp.reduce(logits, axis=1, keepdims=True)
        away = w[1:] - w[0]
        loss = (
            -log_p[np.arange(len(said)), said].sum()
            + LAMBDA / 2 * (away**2).sum()
            + ETA / 2 * (free * w[0] ** 2).sum()
        )
        pull = np.zeros_like(w)
        np.add.at(pull, 1 + who, z[task][:, :, None] * (np.exp(log_p) - np.eye(3)[said])[:, None, :])
        pull[1:] += LAMBDA * away
        pull[0] += -LAMBDA * away.sum(axis=0) + ETA * free * w[0]
        return float(loss), pull.ravel()

    start = np.random.default_rng(3).normal(size=45)
    best = minimize(
        problem, start, jac=True, method="L-BFGS-B", options={"maxiter": 5000, "ftol": 1e-15, "gtol": 1e-9}
    )
    base = model.network_[1]
    w0 = np.concatenate([base.weight.detach().numpy().T, base.bias.detach().numpy()[None]])
    steps = model.channel_.steps.weight.detach().numpy().reshape(4, 3, 3)
    ours = np.concatenate([w0[None], w0 + steps])
    loss, gradient = problem(ours.ravel().astype(float))
    assert loss == pytest.approx(best.fun, rel=1e-6)
    # stationarity: a gradient of nothing, beside that of the start
    assert np.abs(gradient).max() < 1e-3 * np.abs(problem(np.zeros(45))[1]).max()
    centred = [w - w.mean(axis=2, keepdims=True) for w in (ours, best.x.reshape(5, 3, 3))]
    np.testing.assert_allclose(*centred, atol=5e-3)
    assert model.history_[-1]["loss"] * labels.n_answers == pytest.approx(best.fun, rel=1e-5)


@pytest.mark.slow
def test_much_shrinkage_is_one_regression_and_little_is_one_each() -> None:
    x, labels = crowd_of(1)
    one = mh.PersonalClassifiers(shrinkage=1e5).fit(x, labels)
    assert one.channel_.steps.weight.abs().max() < 1e-3
    each = mh.PersonalClassifiers(shrinkage=0.1).fit(x, labels)
    assert each.channel_.steps.weight.abs().max() > 0.3
    assert each.history_[-1]["loss"] < one.history_[-1]["loss"]


@pytest.mark.parametrize("seed", [0, 1])
def test_the_gaussian_process_is_scikit_learns(seed: int) -> None:
    """Over pairs (task, annotator): k(x, x') (1/eta + [j = j'] / lambda); of two classes, twice, for the difference."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(25, 2))
    said = (np.sin(2 * x[:, :1]) + x[:, 1:] + 0.7 * rng.normal(size=(25, 3)) > 0).astype(int)
    model = mh.PersonalGP(shrinkage=LAMBDA, weight_decay=ETA, n_points=25, length_scale=0.8)
    model.fit(x, mh.Annotations.from_matrix(said))
    scaled = (x - x.mean(0)) / x.std(0)
    pairs = np.array([[*scaled[i], j] for i in range(25) for j in range(3)])

    class Shared(RBF):
        """The kernel over pairs."""

        def __call__(self, a, b=None, eval_gradient=False):
            b = a if b is None else b
            same = a[:, 2][:, None] == b[:, 2][None]
            return RBF.__call__(RBF(0.8), a[:, :2], b[:, :2]) * 2 * (1 / ETA + same / LAMBDA)

        def diag(self, a):
            return np.full(len(a), 2 * (1 / ETA + 1 / LAMBDA))

    peer = GaussianProcessClassifier(Shared(0.8), optimizer=None).fit(pairs, said.ravel())
    base = peer.base_estimator_
    # K^-1 f of the mode is y - p; g_0 is the part of the mode that all annotators share
    away = base.y_train_ - base.pi_
    common = RBF(0.8)(scaled, pairs[:, :2]) * 2 / ETA @ away
    ours = model.predict_proba(x)
    np.testing.assert_allclose(np.log(ours[:, 1] / ours[:, 0]), common, atol=2e-2)


def test_the_kernels_length_is_scikit_learns_choice() -> None:
    x, labels = crowd_of(2, n=80)
    model = mh.PersonalGP(n_points=40, epochs=2).fit(x, labels)
    winners = mh.MajorityVote().fit(labels).result_.chances.argmax(axis=1)
    told = np.unique(labels.task)
    scaled = (x - x.mean(0)) / x.std(0)
    distances = np.linalg.norm(scaled[told][:, None] - scaled[told][None], axis=2)
    start = np.median(distances)
    kernel = ConstantKernel(1.0, (1e-2, 1e4)) * RBF(start, (start / 30, start * 30))
    peers = GaussianProcessClassifier(kernel).fit(scaled[told], winners[told]).base_estimator_.estimators_
    expected = np.exp(np.mean([np.log(p.kernel_.k2.length_scale) for p in peers]))
    assert model.network_[0].length.item() == pytest.approx(expected, rel=0.02)


@pytest.mark.slow
def test_what_bends_is_seen_by_the_process_alone() -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(-2, 2, size=(400, 2))
    truth = (x[:, 0] * x[:, 1] > 0).astype(int)
    said = np.where(rng.random((400, 3)) < 0.85, truth[:, None], 1 - truth[:, None])
    labels = mh.Annotations.from_matrix(said)
    linear, bent = (cls(shrinkage=10.0).fit(x, labels) for cls in (mh.PersonalClassifiers, mh.PersonalGP))
    assert (linear.predict(x) == truth).mean() < 0.65
    assert (bent.predict(x) == truth).mean() > 0.9


@pytest.mark.parametrize(("model", "name"), [(mh.PersonalClassifiers(shrinkage=0), "shrinkage"),
                                             (mh.PersonalGP(n_points=1), "n_points"),
                                             (mh.PersonalGP(length_scale=-1), "length_scale")])  # fmt: skip
def test_parameters_are_checked(model: object, name: str) -> None:
    with pytest.raises(ParameterError, match=name):
        model.fit(np.eye(2), [0, 1])
