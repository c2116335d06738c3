"""CrowdRegressor and its named kin: recovery, calibration, EM's climb, odd crowds, saving, scikit-learn's face."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold, cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

import manyhands as mh
from manyhands.catalog import REGRESSORS, method, methods_for
from manyhands.channels import Gaussian, NumberLayer, Student
from manyhands.errors import LabelError, ParameterError, UnsupportedError
from manyhands.models import CrowdRegressor
from manyhands.training.callbacks import OnEpoch

from .test_sklearn_checks import FAILING

CROWD = mh.simulate("numbers", n_tasks=300, n_annotators=8, redundancy=4, seed=1)
RNG = np.random.default_rng(0)
X = np.column_stack([CROWD.truth + 0.5 * RNG.normal(size=300), RNG.normal(size=(300, 2))]).astype(np.float32)
LABELS, TRUTH, KNOWN = CROWD.labels, CROWD.truth, CROWD.parameters
OBJECTIVES = ("joint", "em", "marginal")


def model(**options: Any) -> CrowdRegressor:
    given = {"network": "linear", "epochs": 8, "learning_rate": 3e-2, "calibration_fraction": 0.0}
    return CrowdRegressor(**(given | options))


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.slow
def test_biases_scales_and_precisions_are_recovered(objective: str) -> None:
    fitted = model(channel=Gaussian(scale=True), objective=objective, epochs=15).fit(X, LABELS)
    found = fitted.result_.evidence
    assert np.corrcoef(found.bias, KNOWN["bias"])[0, 1] > 0.95
    if objective != "marginal":  # by itself an answer tells little of a scale
        assert np.corrcoef(found.gain, KNOWN["scale"])[0, 1] > 0.7
    assert np.corrcoef(found.log_precision, np.log(KNOWN["precision"]))[0, 1] > 0.8
    ceiling = LinearRegression().fit(X, TRUTH).score(X, TRUTH)
    assert np.corrcoef(fitted.predict(X), TRUTH)[0, 1] ** 2 > ceiling - 0.03  # a bias of all is no one's


def test_it_beats_the_network_trained_on_the_mean() -> None:
    """Careless annotators among careful ones: the mean listens to all alike."""
    crowd = mh.simulate("numbers", n_tasks=300, n_annotators=8, redundancy=4, noise=(0.1, 9.0), seed=2)
    x = np.column_stack(
        [
            crowd.truth + 0.3 * np.random.default_rng(1).normal(size=300),
            np.random.default_rng(2).normal(size=(300, 9)),
        ]
    )
    options = {"epochs": 15, "learning_rate": 3e-2, "calibration_fraction": 0.0}
    ours = CrowdRegressor("linear", **options).fit(x, crowd.labels).predict(x)
    theirs = mh.TwoStageRegressor("linear", **options).fit(x, crowd.labels).predict(x)
    assert np.std(ours - crowd.truth) < np.std(theirs - crowd.truth) - 0.03


@pytest.mark.parametrize("objective", ["joint", "em"])
def test_two_kinds_of_answers_agree_on_one_likelihood(objective: str) -> None:
    """With scales, biases and precisions as they are, score is the mean normal log-density, in the answers' units."""
    far = mh.Annotations.from_arrays(
        LABELS.task, LABELS.annotator, LABELS.answers.values * 7 + 100, kind="number"
    )
    one, two = (model(objective=objective).fit(X, labels) for labels in (LABELS, far))
    assert two.score(X, far) == pytest.approx(one.score(X, LABELS) - np.log(7), abs=1e-3)
    np.testing.assert_allclose(two.predict(X), one.predict(X) * 7 + 100, rtol=1e-3)
    found = one.result_.evidence
    spread = one.spread_**2
    j, i = LABELS.annotator, LABELS.task
    variance = found.gain[j] ** 2 * spread + np.exp(-found.log_precision[j])
    error = LABELS.answers.values - found.gain[j] * one.predict(X)[i] - found.bias[j]
    density = -0.5 * (error**2 / variance + np.log(2 * np.pi * variance))
    assert one.score(X, LABELS) == pytest.approx(density.mean(), abs=1e-4)


def test_em_never_lowers_the_joint() -> None:
    """With a network that says nothing, rounds of closed forms climb the exact likelihood and its priors."""
    heights: list[float] = []

    class Watched(mh.training.callbacks.Callback):
        def on_epoch_end(self, learner: Any) -> None:
            with torch.no_grad():
                said, channel = learner.predict_log(), learner.channel
                batch = learner.data.batch(torch.arange(len(said)))
                joint = channel.log_units(said, batch).double().sum()
                heights.append(float(joint) + channel.log_prior())

    still = torch.nn.Linear(3, 1)
    torch.nn.init.zeros_(still.weight)
    torch.nn.init.zeros_(still.bias)
    still.requires_grad_(False)
    fitted = model(network=still, channel=Gaussian(scale=True), objective="em", epochs=30, channel_learning_rate=0.0,
                   average=0, callbacks=[Watched()])  # fmt: skip
    fitted.fit(X, LABELS)
    assert np.diff(heights).min() > -1e-3 * abs(heights[0]) * 1e-3
    assert heights[-1] > heights[0] + 10


@pytest.mark.slow
def test_deviations_are_calibrated_on_new_tasks() -> None:
    """A network that can learn every task by heart: held-out tasks know better than its own."""
    crowd = mh.simulate("numbers", n_tasks=600, n_annotators=12, redundancy=4, bias=0.1, seed=1)
    rng, truth = np.random.default_rng(0), crowd.truth
    wide = np.column_stack([truth + 0.5 * rng.normal(size=600), rng.normal(size=(600, 100))]).astype(
        np.float32
    )
    covered = {}
    for fraction in (0.0, 0.3):
        fitted = model(
            network="mlp", calibration_fraction=fraction, input_dropout=0.0, epochs=20, learning_rate=3e-3
        )
        mean, deviation = fitted.fit(wide[:300], crowd.labels[:300]).predict(wide[300:], return_std=True)
        covered[fraction] = np.mean(abs(mean - truth[300:]) < 1.96 * deviation)
    assert covered[0.0] < 0.85
    assert 0.88 < covered[0.3] < 0.99


def test_a_bias_of_all_is_part_of_the_doubt() -> None:
    few = model().fit(X, LABELS.where(LABELS.annotator < 3))
    _, deviation = few.predict(X, return_std=True)
    share = np.bincount(few.labels_.annotator, minlength=8) / few.labels_.n_answers
    lean = few.result_.evidence.bias - share @ few.result_.evidence.bias
    doubt = (share @ lean**2) * (share**2).sum() / (1 - (share**2).sum())
    np.testing.assert_allclose(deviation**2, few.spread_**2 + doubt, rtol=1e-3)


@pytest.mark.slow
def test_wild_answers_move_the_student_less() -> None:
    values = LABELS.answers.values.copy()
    values[::25] += 10 * np.where(np.arange(len(values[::25])) % 2, 1, -1)
    wild = mh.Annotations.from_arrays(LABELS.task, LABELS.annotator, values, kind="number")
    long = {"epochs": 25, "channel_learning_rate": 0.05}
    normal, student = (
        model(channel=c, **long).fit(X, wild).result_.numbers.mean for c in (Gaussian(), Student())
    )
    assert np.std(student - TRUTH) < 0.7 * np.std(normal - TRUTH)
    assert np.std(student - TRUTH) < 0.4


def test_centring_names_the_network_a_crowds_number() -> None:
    fitted = model(channel=NumberLayer("S+B"), objective="marginal").fit(X, LABELS)
    parts, share = fitted.channel_.everyone(), np.bincount(LABELS.annotator) / LABELS.n_answers
    assert share @ parts.bias.numpy() == pytest.approx(0, abs=1e-5)
    assert share @ parts.scale.numpy() == pytest.approx(1, abs=1e-5)
    raw = (
        model(channel=NumberLayer("S+B", centred=False), objective="marginal")
        .fit(X, LABELS)
        .channel_.everyone()
    )
    assert abs(share @ raw.bias.numpy()) + abs(share @ raw.scale.numpy() - 1) > 1e-3


@pytest.mark.slow
def test_known_truths_are_certain_and_teach() -> None:
    told = LABELS.with_truth([float(t) + 50 if i < 150 else None for i, t in enumerate(TRUTH)])
    for objective in OBJECTIVES:
        fitted = model(objective=objective, channel=Gaussian(centred=False, pull=0.001), epochs=15).fit(
            X, told
        )
        np.testing.assert_allclose(fitted.result_.numbers.mean[:150], TRUTH[:150] + 50, atol=1e-3)
        assert (fitted.result_.numbers.sd[:150] == 0).all()
        assert fitted.predict(X)[150:].mean() > 1
    assert (
        model(use_truth=False).fit(X, told).predict(X).tolist() == model().fit(X, LABELS).predict(X).tolist()
    )


def test_tasks_without_answers_are_the_networks_alone() -> None:
    fitted = model().fit(X, LABELS.where(LABELS.task < 200))
    mean, deviation = fitted.predict(X, return_std=True)
    np.testing.assert_allclose(fitted.result_.numbers.mean[200:], mean[200:], rtol=1e-5)
    np.testing.assert_allclose(fitted.result_.numbers.sd[200:], deviation[200:], rtol=1e-5)
    assert (fitted.result_.numbers.sd[:200] < deviation[:200]).mean() > 0.95


def test_plain_numbers_and_one_annotator() -> None:
    fitted = model(calibration_fraction=0.2).fit(X, TRUTH)
    mean, deviation = fitted.predict(X, return_std=True)
    assert 0.85 < np.mean(abs(mean - TRUTH) < 1.96 * deviation) < 0.99
    assert fitted.score(X, TRUTH) == pytest.approx(1 - np.mean((mean - TRUTH) ** 2) / TRUTH.var())
    alike = model(epochs=1).fit(X, np.full(300, 3.5)).predict(X)
    np.testing.assert_allclose(alike, 3.5, atol=1.0)


def test_wide_matrices() -> None:
    wide = np.full((300, 8), np.nan)
    wide[LABELS.task, LABELS.annotator] = LABELS.answers.values
    np.testing.assert_allclose(model().fit(X, wide).predict(X), model().fit(X, LABELS).predict(X), atol=1e-4)


def test_what_does_not_fit_is_told() -> None:
    classes = mh.Annotations.from_dict({"a": {"ann": "x"}, "b": {"ann": "y"}})
    with pytest.raises(UnsupportedError, match="'class'; this takes number"):
        model().fit(X[:2], classes)
    with pytest.raises(
        ParameterError, match=r"objective='em-marginal' .* must be one of 'marginal', 'joint', 'em'"
    ):
        model(objective="em-marginal").fit(X, LABELS)
    with pytest.raises(ParameterError, match="use objective='marginal'"):
        model(channel=NumberLayer()).fit(X, LABELS)
    with pytest.raises(ParameterError, match="channel of numbers"):
        model(channel=mh.channels.Confusion()).fit(X, LABELS)
    with pytest.raises(ParameterError, match="calibration_fraction=2"):
        model(calibration_fraction=2).fit(X, LABELS)
    with pytest.raises(ParameterError, match="scikit-learn"):
        model(network=LinearRegression(), objective="em").fit(X, LABELS)
    with pytest.raises(LabelError, match="NaN"):
        model().fit(X[:2], [1.0, np.nan])


def test_partial_fit_goes_on() -> None:
    fitted = model().fit(X[:200], LABELS[:200])
    fitted.partial_fit(X[200:], LABELS[200:])
    assert len(fitted.history_) == 9
    stranger = mh.Annotations.from_arrays([0, 1], ["nobody"] * 2, [1.5, 2.0], kind="number")
    with pytest.raises(UnsupportedError, match="nobody"):
        fitted.partial_fit(X[:2], stranger)


# --- every system by name --------------------------------------------------------------------------


def brief(name: str, **options: Any) -> Any:
    return method(name).make(epochs=3, **options)


@pytest.mark.parametrize("name", REGRESSORS)
def test_the_catalogue_says_what_the_class_says(name: str) -> None:
    made = method(name).make()
    assert (made.name, made.kinds) == (name, REGRESSORS[name].kinds)
    assert REGRESSORS[name] in methods_for("number", features=True)
    assert clone(made).get_params() == made.get_params()


@pytest.mark.parametrize("name", REGRESSORS)
@pytest.mark.slow
def test_every_system_comes_back(name: str, tmp_path: Path) -> None:
    fitted = brief(name).fit(X, LABELS)
    twin = mh.load(fitted.save(tmp_path))
    assert type(twin) is type(fitted)
    for each in (twin, pickle.loads(pickle.dumps(fitted))):
        for ours, theirs in zip(
            fitted.predict(X, return_std=True), each.predict(X, return_std=True), strict=True
        ):
            np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(twin.result_.numbers.sd, fitted.result_.numbers.sd)
    assert twin.result_.annotators().equals(fitted.result_.annotators())
    assert twin.result_.explain(LABELS.tasks[3]) == fitted.result_.explain(LABELS.tasks[3])
    assert twin.score(X, LABELS) == fitted.score(X, LABELS)
    assert repr(twin.get_params(deep=False)) == repr(fitted.get_params(deep=False))


class Killed(Exception):
    """In place of a signal."""


def kill(entry: dict[str, Any]) -> None:
    if entry["epoch"] == 1:
        raise Killed


@pytest.mark.parametrize("name", REGRESSORS)
@pytest.mark.slow
def test_every_system_goes_on_after_a_kill(name: str, tmp_path: Path) -> None:
    whole = brief(name).fit(X, LABELS)
    with pytest.raises(Killed):
        brief(name, callbacks=[OnEpoch(kill), mh.Checkpoint(tmp_path)]).fit(X, LABELS)
    resumed = brief(name, callbacks=[mh.Checkpoint(tmp_path, resume=True)]).fit(X, LABELS)
    assert resumed.history_[1]["resumed_from"] == 1
    for ours, theirs in zip(
        resumed.predict(X, return_std=True), whole.predict(X, return_std=True), strict=True
    ):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("name", REGRESSORS)
@pytest.mark.slow
def test_other_tasks_are_judged_by_what_was_learnt(name: str) -> None:
    fitted = brief(name).fit(X, LABELS)
    again = fitted.result_.infer(LABELS).numbers
    assert np.isfinite(again.mean).all()
    assert np.corrcoef(again.mean, TRUTH)[0, 1] > 0.8


@pytest.mark.parametrize(
    "aggregator", ["mean", "median", "precision-weighted", mh.PrecisionWeighted(pull=5.0)]
)
@pytest.mark.slow
def test_two_stages_learn_what_was_aggregated(aggregator: Any) -> None:
    fitted = mh.TwoStageRegressor("linear", aggregator, epochs=300, learning_rate=1e-2, batch_size=300)
    fitted.set_params(calibration_fraction=0.0).fit(X, LABELS)
    found = fitted.aggregator_.result_.numbers.mean
    by_hand = LinearRegression().fit(X, found).predict(X)
    np.testing.assert_allclose(fitted.predict(X), by_hand, atol=0.05)
    with pytest.raises(ParameterError, match="no partial_fit"):
        fitted.partial_fit(X, LABELS)
    with pytest.raises(ParameterError, match="'mean', 'median', 'precision-weighted'"):
        mh.TwoStageRegressor(aggregator="glad").fit(X, LABELS)


# --- scikit-learn's face ----------------------------------------------------------------------------

# float32: a row by itself and a row among others differ in the seventh digit, and 1e-7 is asked for.
ROUNDED = dict.fromkeys(
    ("check_methods_subset_invariance", "check_methods_sample_order_invariance"),
    "float32 rounds a product of matrices otherwise than one of a row",
)

QUICK = CrowdRegressor("linear", epochs=20, learning_rate=0.1, batch_size=100, calibration_fraction=0.0)


@parametrize_with_checks([QUICK], expected_failed_checks=lambda estimator: FAILING)
@pytest.mark.slow
def test_scikit_learns_own_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks([CrowdRegressor()], expected_failed_checks=lambda estimator: FAILING | ROUNDED)
def test_scikit_learns_own_checks_of_the_default(estimator: Any, check: Any) -> None:
    check(estimator)


def test_cross_validation_scores_held_out_annotations() -> None:
    found = cross_val_score(model(epochs=3), X, LABELS, cv=KFold(2), error_score="raise")
    first, second = np.arange(150), np.arange(150, 300)
    by_hand = model(epochs=3).fit(X[second], LABELS[second]).score(X[first], LABELS[first])
    assert found[0] == by_hand
