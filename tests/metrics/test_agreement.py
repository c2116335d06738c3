import json
import pickle
import time

import numpy as np
import pytest

from manyhands import Annotations, metrics
from manyhands.metrics import agreement

from .tables import KRIPPENDORFF

CLASS = ["percentage", "alpha_nominal", "fleiss_kappa", "gwet_ac1", "cohen_kappa"]


def simulate(rng, n, r=4, k=3, skill=0.6, missing=0.2):
    truth = rng.choice(k, n, p=[0.6, 0.3, 0.1])
    table = np.where(rng.random((n, r)) < skill, truth[:, None], rng.integers(k, size=(n, r)))
    table[rng.random((n, r)) < missing] = -1
    return Annotations.from_matrix(table, classes=range(k))


def values(figures):
    return [figure.value for figure in figures.values()]


def test_the_figures_of_each_kind():
    table = np.random.default_rng(0).integers(3, size=(20, 4))
    assert list(agreement(Annotations.from_matrix(table))) == CLASS
    ordinal = agreement(Annotations.from_matrix(table, kind="ordinal"))
    assert list(ordinal) == [*CLASS[:2], "alpha_ordinal", "alpha_interval", *CLASS[2:]]
    numbers = agreement(Annotations.from_matrix(table + 0.5, kind="number"))
    assert list(numbers) == ["alpha_interval", "correlation"]


def test_each_figure_is_that_of_its_own_function():
    labels = Annotations.from_matrix(KRIPPENDORFF, kind="ordinal")
    figures = agreement(labels, level=0.8, n_boot=200, seed=3)
    how = {"level": 0.8, "n_boot": 200, "seed": 3}
    assert figures["percentage"] == metrics.observed_agreement(labels, **how)
    assert figures["alpha_ordinal"] == metrics.krippendorff_alpha(labels, **how)
    assert figures["fleiss_kappa"] == metrics.fleiss_kappa(labels, **how)
    assert figures["gwet_ac1"] == metrics.gwet_ac1(labels, **how)
    assert figures["cohen_kappa"] == metrics.mean_cohen_kappa(labels, **how)


def test_tags_are_compared_token_by_token():
    task, annotator = [0, 0, 1, 1, 1], [0, 1, 0, 1, 2]
    tags = [["B", "O"], ["B", "B"], ["O", "O", "B"], ["O", "O", "B"], ["O", "B", "B"]]
    flat = Annotations.from_matrix([["B", "B", None], ["O", "B", None], *zip(*tags[2:], strict=True)])
    figures = agreement(Annotations.from_arrays(task, annotator, tags, kind="tags"))
    assert values(figures)[:4] == pytest.approx(values(agreement(flat))[:4])


def test_sets_are_compared_over_all_and_label_by_label():
    rng = np.random.default_rng(1)
    yes = rng.integers(2, size=(3, 30, 4))  # label, task, annotator
    yes[:, rng.random((30, 4)) < 0.3] = -1
    answers = {i: {j: {"abc"[m] for m in range(3) if yes[m, i, j]} for j in range(4) if yes[0, i, j] >= 0}
               for i in range(30)}  # fmt: skip
    labels = Annotations.from_dict(answers, kind="set", classes=list("abc"), annotators=range(4))
    figures = agreement(labels)
    over_all = agreement(Annotations.from_matrix(yes.reshape(90, 4), classes=[0, 1]))
    assert values(figures) == pytest.approx(values(over_all))
    assert list(figures.by_label) == ["a", "b", "c"]
    for place, name in enumerate("abc"):
        alone = agreement(Annotations.from_matrix(yes[place], classes=[0, 1]))
        assert [f.value for f in figures.by_label[name]] == pytest.approx(values(alone))
    frame = figures.to_frame()
    assert frame["label"].to_list()[:6] == [None] * 5 + ["a"]
    assert len(frame) == 20


def test_soft_labels_vote_for_their_most_probable_class():
    rng = np.random.default_rng(2)
    hard = rng.integers(3, size=(12, 3))
    soft = rng.dirichlet(np.ones(3), size=(12, 3))
    soft[np.arange(12)[:, None], np.arange(3), hard] += 3
    soft /= soft.sum(axis=-1, keepdims=True)
    soft[0, 0] = [0.4, 0.4, 0.2]  # says no one class
    hard[0, 0] = -1
    task, annotator = np.indices((12, 3)).reshape(2, -1)
    labels = Annotations.from_arrays(task, annotator, soft.reshape(-1, 3))
    assert labels.kind == "soft"
    assert values(agreement(labels)) == pytest.approx(values(agreement(Annotations.from_matrix(hard))))


@pytest.mark.parametrize("kind", ["class", "ordinal", "number", "tags", "set", "soft"])
def test_no_labels_at_all_is_no_error(kind):
    labels = {"class": ["a"], "ordinal": [1], "number": [1.0], "tags": [["a"]], "set": [{"a"}],
              "soft": [{"a": 0.5, "b": 0.5}]}[kind]  # fmt: skip
    one = Annotations.from_arrays([0], [0], labels, kind=kind)
    for table in (one, one[:0], one.where(np.array([False]))):
        for figure in agreement(table).values():
            assert np.isnan([figure.value, figure.low, figure.high]).all()
            assert figure.note


def test_one_task_has_values_and_no_interval():
    figure = agreement(Annotations.from_matrix([[0, 0, 1]]))["percentage"]
    assert figure.value == pytest.approx(1 / 3)
    assert np.isnan([figure.low, figure.high]).all()
    assert "one task only" in figure.note


def test_plain_data_and_pickle():
    figures = agreement(Annotations.from_matrix([[1, 1, 1], [1, 1, 1]], classes=[0, 1]))
    data = json.loads(json.dumps(figures.to_dict(), allow_nan=False))
    assert data["figures"]["percentage"]["value"] == 1.0
    assert data["figures"]["fleiss_kappa"]["value"] is None
    again = pickle.loads(pickle.dumps(figures))
    assert repr(again) == repr(figures)
    with pytest.raises(KeyError, match="kind='class' has the figures percentage, alpha_nominal"):
        figures["kappa"]


def test_a_seed_decides_and_the_global_generator_is_left_alone():
    labels = simulate(np.random.default_rng(3), 500)
    np.random.seed(7)  # noqa: NPY002
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    first = agreement(labels, seed=1)
    assert (np.random.get_state()[1] == state).all()  # noqa: NPY002
    assert first.to_dict() == agreement(labels, seed=1).to_dict()
    other = agreement(labels, seed=2)
    assert values(other) == pytest.approx(values(first), rel=1e-12)  # sums in another order
    assert other["percentage"].low != first["percentage"].low


def test_values_do_not_depend_on_how_tasks_fall_into_blocks():
    labels = simulate(np.random.default_rng(4), 900)
    order = np.random.default_rng(5).permutation(900)
    assert values(agreement(labels[order])) == pytest.approx(values(agreement(labels)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "skill", "least"), [(30, 0.6, 0.88), (30, 0.95, 0.86), (150, 0.6, 0.9), (600, 0.9, 0.9)]
)
def test_intervals_cover_the_figure_of_the_population(n, skill, least):
    rng = np.random.default_rng(6)
    population = agreement(simulate(rng, 200_000, skill=skill), n_boot=0)
    runs = [agreement(simulate(rng, n, skill=skill), n_boot=400, seed=run) for run in range(200)]
    for name in population:
        covered = np.mean([run[name].low <= population[name].value <= run[name].high for run in runs])
        assert least <= covered <= 0.99, (name, covered)


@pytest.mark.slow
def test_a_million_tasks_take_seconds():
    rng = np.random.default_rng(0)
    task, truth = np.repeat(np.arange(1_000_000), 5), rng.integers(5, size=1_000_000)
    label = np.where(rng.random(5_000_000) < 0.7, truth[task], rng.integers(5, size=5_000_000))
    labels = Annotations.from_arrays(task, rng.integers(10_000, size=5_000_000), label, repeats="all")
    start = time.process_time()
    figures = agreement(labels)
    assert time.process_time() - start < 6  # measured: 0.8
    # Two labels agree when both are the truth, or by chance: .7^2 + (1 - .7^2) / 5.
    assert figures["percentage"].value == pytest.approx(0.592, abs=2e-3)
    assert figures["alpha_nominal"].value == pytest.approx(0.49, abs=2e-3)
