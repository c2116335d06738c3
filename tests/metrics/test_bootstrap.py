import numpy as np
import pytest
from scipy import stats

from manyhands import Annotations
from manyhands.errors import ParameterError
from manyhands.metrics import observed_agreement
from manyhands.metrics.bootstrap import Resampling, estimate


def mean(total):
    return total[..., 0] / total[..., 1]


@pytest.mark.parametrize("blocks", [60, 200])
def test_interval_is_that_of_scipy_bootstrap(blocks):
    x = np.random.default_rng(0).exponential(0.1, size=blocks)  # a figure is at most 1
    figure = estimate("mean", np.column_stack([x, np.ones(blocks)]), mean, blocks, Resampling(0.9, 4000, 1))
    theirs = stats.bootstrap((x,), np.mean, n_resamples=4000, confidence_level=0.9, method="percentile",
                             rng=np.random.default_rng(2)).confidence_interval  # fmt: skip
    width = theirs.high - theirs.low
    assert figure.low == pytest.approx(theirs.low, abs=0.06 * width)
    assert figure.high == pytest.approx(theirs.high, abs=0.06 * width)


def test_chunks_do_not_matter(monkeypatch):
    x = np.random.default_rng(0).random((30, 2))
    whole = estimate("mean", x, mean, 30, Resampling(0.9, 100, 1))
    monkeypatch.setattr("manyhands.metrics.bootstrap.CHUNK", 90)
    assert estimate("mean", x, mean, 30, Resampling(0.9, 100, 1)) == whole


def test_blocks_of_many_tasks_give_the_interval_of_single_tasks():
    """20 000 independent tasks of two labels: the binomial interval."""
    rng = np.random.default_rng(1)
    same = rng.random(20_000) < 0.7
    labels = Annotations.from_matrix(np.column_stack([np.zeros(20_000, int), 1 - same]), classes=[0, 1])
    figure = observed_agreement(labels)
    error = np.sqrt(same.mean() * (1 - same.mean()) / 20_000)
    assert figure.high - figure.low == pytest.approx(2 * 1.96 * error, rel=0.15)


def test_full_agreement_has_the_binomial_limit():
    figure = observed_agreement(Annotations.from_matrix([[0, 0], [1, 1], [1, 1]] * 4))
    exact = stats.binomtest(12, 12).proportion_ci(0.95, method="exact")
    assert (figure.low, figure.high) == (pytest.approx(exact.low), 1.0)
    assert "binomial limit" in figure.note


def test_resamples_of_one_class_are_left_out_and_counted():
    from manyhands.metrics import fleiss_kappa

    figure = fleiss_kappa(Annotations.from_matrix([[0, 0], [0, 0], [0, 0], [0, 1]]))
    lost = int(figure.note.split()[0])
    assert lost == pytest.approx(1000 * 0.75**4, abs=60)
    assert figure.low <= figure.value <= figure.high


def test_no_resamples_no_interval():
    figure = observed_agreement(Annotations.from_matrix([[0, 0], [0, 1]]), n_boot=0)
    assert figure.value == 0.5
    assert np.isnan([figure.low, figure.high]).all()


@pytest.mark.parametrize(("setting", "named"), [({"level": 95}, "level=95"), ({"n_boot": -1}, "n_boot=-1")])
def test_bad_settings_are_named(setting, named):
    with pytest.raises(ParameterError, match=named):
        observed_agreement(Annotations.from_matrix([[0, 0]]), **setting)
