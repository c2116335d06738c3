"""One seed, any size, any blocks."""

import pickle
import random
import subprocess
import sys
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from manyhands import Annotations
from manyhands.errors import ParameterError
from manyhands.simulation import CROWDS, simulate, simulate_blocks, streams

ALL = sorted(CROWDS)
SMALL = {
    "n_tasks": 90,
    "n_annotators": 12,
    "n_classes": 4,
    "redundancy": (1, 4),
    "gold": 0.3,
    "abstain_rate": 0.2,
}


@pytest.fixture
def tiny_chunks(monkeypatch):
    """Chunks of 32 tasks, so that small crowds have several, the last one short."""
    for module in ("streams", "plan", "blocks"):
        monkeypatch.setattr(f"manyhands.simulation.{module}.CHUNK", 32)


def same(a, b):
    assert a.labels.equals(b.labels)
    for name in ("truth", "confusions", "accuracy", "features"):
        left, right = getattr(a, name), getattr(b, name)
        assert (left is None) == (right is None)
        if left is not None:
            np.testing.assert_array_equal(left, right)
    assert list(a.parameters) == list(b.parameters)
    for name, value in a.parameters.items():
        np.testing.assert_array_equal(value, b.parameters[name])


@pytest.mark.parametrize("crowd", ALL)
def test_the_seed_decides_everything(crowd):
    same(simulate(crowd, seed=3, **SMALL), simulate(crowd, seed=3, **SMALL))
    assert not simulate(crowd, seed=3, **SMALL).labels.equals(simulate(crowd, seed=4, **SMALL).labels)


@pytest.mark.parametrize("crowd", ALL)
def test_global_generators_are_untouched(crowd):
    np.random.seed(5)  # noqa: NPY002
    torch.manual_seed(5)
    random.seed(5)
    before = np.random.get_state()[1].copy(), torch.get_rng_state(), random.getstate()  # noqa: NPY002
    first = simulate(crowd, **SMALL)
    after = np.random.get_state()[1], torch.get_rng_state(), random.getstate()  # noqa: NPY002
    assert (before[0] == after[0]).all()
    assert torch.equal(before[1], after[1])
    assert before[2] == after[2]
    np.random.seed(6)  # noqa: NPY002
    torch.manual_seed(6)
    same(first, simulate(crowd, **SMALL))


@pytest.mark.parametrize(
    ("crowd", "block"),
    [*product(ALL, [7, 32, 64, 89, 90, 1000]), *product(["tags", "common", "sets", "copying"], [1])],
)
@pytest.mark.slow
def test_blocks_are_the_whole_cut(crowd, block, tiny_chunks):
    whole = simulate(crowd, **SMALL)
    blocks = list(simulate_blocks(crowd, block=block, **SMALL))
    assert [b.labels.n_tasks for b in blocks] == [min(block, 90 - i) for i in range(0, 90, block)]
    frames = [b.frame().rows() for b in blocks]
    assert [row for rows in frames for row in rows] == whole.frame().rows()
    truths = [row for b in blocks for row in b.truth_frame().rows()]
    assert truths == whole.truth_frame().rows()
    assert {k: v for b in blocks for k, v in b.gold.items()} == whole.gold
    np.testing.assert_array_equal(np.concatenate([b.truth for b in blocks]), whole.truth)
    if whole.features is not None:
        np.testing.assert_array_equal(np.concatenate([b.features for b in blocks]), whole.features)
    for name, value in whole.parameters.items():
        parts = [b.parameters[name] for b in blocks]
        fixed = all(part is parts[0] for part in parts) and parts[0].shape == value.shape
        np.testing.assert_array_equal(parts[0] if fixed else np.concatenate(parts), value)
    assert all(b.confusions is blocks[0].confusions for b in blocks)


@pytest.mark.parametrize("names", [True, False])
def test_blocks_at_the_real_chunk_size(names):
    asked = {"n_tasks": 2 * streams.CHUNK + 5, "redundancy": 1, "n_annotators": 3, "names": names}
    whole = simulate("one-coin", **asked)
    parts = list(simulate_blocks("one-coin", block=100_000, **asked))
    label = np.concatenate([p.labels.answers.values for p in parts])
    np.testing.assert_array_equal(label, whole.labels.answers.values)
    np.testing.assert_array_equal(np.concatenate([p.truth for p in parts]), whole.truth)
    assert [*parts[0].labels.tasks, *parts[1].labels.tasks] == whole.labels.tasks.to_list()
    assert whole.labels.tasks[70_000] == ("t70000" if names else 70_000)


def test_chunks_differ_from_one_another(tiny_chunks):
    truth = simulate(n_tasks=64, n_classes=5).truth
    assert (truth[:32] != truth[32:]).any()


@pytest.mark.parametrize("crowd", ALL)
def test_the_table_passes_its_own_checks(crowd):
    made = simulate(crowd, **{**SMALL, "abstain_rate": 0.0})
    labels, frame = made.labels, made.frame()
    column = frame["label"].to_list()
    again = Annotations.from_arrays(
        frame["task"].to_list(),
        frame["annotator"].to_list(),
        np.asarray(labels.answers.values) if labels.kind == "soft" else tuple(column),
        kind=labels.kind,
        classes=None if labels.classes is None else labels.classes.to_list(),
        tasks=labels.tasks.to_list(),
        annotators=labels.annotators.to_list(),
        truth=made.gold,
    )
    assert again.equals(labels)
    assert len(made.gold) == 27
    everything = replace(labels, truth=made.truth).truths()
    assert [row[1] for row in made.truth_frame().rows()] == everything


@pytest.mark.parametrize("crowd", ALL)
def test_abstentions_have_their_share(crowd):
    made = simulate(crowd, n_tasks=2000, n_annotators=9, redundancy=2, abstain_rate=0.25)
    values = made.labels.answers.values
    silent = np.isnan(values) if values.dtype.kind == "f" else values == -1
    if values.ndim == 2:
        assert (silent.all(axis=1) == silent.any(axis=1)).all()
    starts = made.labels.answers.starts
    silent = silent.reshape(len(values), -1)[:, 0]
    silent = silent if starts is None else silent[starts[:-1]]
    assert len(silent) == 4000
    assert abs(silent.mean() - 0.25) < 5 * np.sqrt(0.25 * 0.75 / 4000)


@given(
    crowd=st.sampled_from(ALL),
    n_tasks=st.integers(1, 40),
    n_annotators=st.integers(1, 9),
    n_classes=st.integers(1, 5),
    seed=st.integers(0, 2**40),
    share=st.floats(0, 1),
    data=st.data(),
)
@settings(max_examples=120, deadline=None)
@pytest.mark.slow
def test_any_size(crowd, n_tasks, n_annotators, n_classes, seed, share, data):
    n_classes = max(n_classes, CROWDS[crowd].least_classes)
    low = data.draw(st.integers(0, n_annotators))
    redundancy = data.draw(
        st.sampled_from([low, (low, n_annotators), [0, low], float(low), n_annotators * share])
    )
    activity = data.draw(st.sampled_from(["uniform", "zipf"]))
    made = simulate(crowd, n_tasks=n_tasks, n_annotators=n_annotators, n_classes=n_classes, seed=seed,
                    redundancy=redundancy, activity=activity, gold=share, abstain_rate=share)  # fmt: skip
    labels = made.labels
    assert (labels.n_tasks, labels.n_annotators) == (n_tasks, n_annotators)
    pairs = labels.task.astype(int) * n_annotators + labels.annotator
    assert len(np.unique(pairs)) == labels.n_answers
    assert (np.diff(labels.task) >= 0).all()
    assert len(made.truth) == labels.n_units == labels.unit_offsets[-1]
    assert len(made.gold) == round(share * n_tasks)
    assert len(labels.rows.unit) == len(labels.rows.label.reshape(-1, labels.rows.label.shape[-1] if labels.kind == "soft" else 1))  # fmt: skip
    if made.confusions is not None:
        assert made.confusions.shape == (n_annotators, labels.n_classes, labels.n_classes)
        np.testing.assert_allclose(made.confusions.sum(-1), 1)
        assert (made.confusions >= 0).all()
        assert made.accuracy.shape == (n_annotators,)
    made.frame(), made.truth_frame()


@pytest.mark.parametrize("crowd", [name for name in ALL if CROWDS[name].kind in ("class", "ordinal")])
def test_one_class_is_always_right_or_an_error(crowd):
    if CROWDS[crowd].least_classes > 1:
        with pytest.raises(ParameterError, match="n_classes=1 is too few"):
            simulate(crowd, n_classes=1)
        return
    made = simulate(crowd, n_classes=1, n_tasks=20)
    assert (made.labels.answers.values == 0).all()
    np.testing.assert_allclose(made.accuracy, 1)


def test_one_task_one_annotator_two_classes():
    made = simulate("confusion", n_tasks=1, n_annotators=1, n_classes=2, redundancy=1)
    assert made.labels.n_answers == 1


def test_own_truths_are_used():
    truth = np.arange(300) % 3
    made = simulate("one-coin", truth=truth, n_features=2, accuracy=(1.0, 1.0))
    np.testing.assert_array_equal(made.truth, truth)
    np.testing.assert_array_equal(made.labels.answers.values, truth[made.labels.task])
    assert made.features.shape == (300, 2)


@pytest.mark.parametrize("crowd", ["confusion", "soft", "ordinal", "common", "copying", "difficulty"])
def test_the_prior_and_the_features(crowd):
    made = simulate(crowd, n_tasks=8000, redundancy=1, prior=[0.7, 0.2, 0.1], n_features=2)
    count = np.bincount(made.truth, minlength=3)
    sigma = np.sqrt(8000 * np.array([0.7, 0.2, 0.1]) * np.array([0.3, 0.8, 0.9]))
    assert (np.abs(count - 8000 * np.array([0.7, 0.2, 0.1])) < 5 * sigma).all()
    for k in range(3):
        centre = made.features[made.truth == k].mean(axis=0)
        assert (np.abs(centre - made.parameters["feature_means"][k]) < 5 / np.sqrt(count[k])).all()


def test_a_crowd_pickles_and_is_frozen():
    made = simulate("common", n_tasks=30)
    same(made, pickle.loads(pickle.dumps(made)))
    with pytest.raises(ValueError, match="read-only"):
        made.truth[0] = 1
    with pytest.raises(AttributeError):
        made.truth = None


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"crowd": "crowd"}, r"crowd='crowd' must be one of 'confusion', 'one-coin'"),
        ({"n_tasks": 0}, r"n_tasks=0 must be a whole number of at least 1"),
        ({"n_tasks": 2.5}, r"n_tasks=2.5"),
        ({"n_annotators": 0}, r"n_annotators=0"),
        ({"n_classes": 0}, r"n_classes=0"),
        ({"seed": -1}, r"seed=-1"),
        ({"seed": None}, r"seed=None"),
        ({"redundancy": 51}, r"redundancy=51 asks for more .* \(50\).*lower it, or raise n_annotators"),
        ({"redundancy": (2, 51)}, r"redundancy=\(2, 51\) asks for more"),
        ({"redundancy": 50.5}, r"redundancy=50.5 asks for more"),
        ({"redundancy": -1}, r"redundancy=-1 must not be below 0"),
        ({"redundancy": float("nan")}, r"redundancy=nan"),
        ({"redundancy": (3, 2)}, r"redundancy=\(3, 2\) must be \(low, high\)"),
        ({"redundancy": "5"}, r"redundancy='5' must be a whole number, a range"),
        ({"activity": "zip"}, r"activity='zip' must be one of 'uniform', 'zipf'"),
        ({"abstain_rate": 1.5}, r"abstain_rate=1.5 must be a share between 0 and 1"),
        ({"gold": -0.1}, r"gold=-0.1"),
        ({"prior": [0.5, 0.5]}, r"prior=\[0.5, 0.5\] must be 3 numbers"),
        ({"prior": [0.5, 0.5, 0.5]}, r"sum to 1"),
        ({"prior": "even"}, r"prior='even'"),
        ({"crowd": "sets", "prior": [0.5, 0.5, 0]}, r"leave it out"),
        ({"crowd": "numbers", "n_features": 3}, r"n_features=3 goes with"),
        ({"truth": [0, 1, 3]}, r"truth=3 in row 2 .*raise n_classes"),
        ({"truth": ["x"]}, r"must be class codes"),
        ({"crowd": "tags", "truth": [0]}, r"truth= goes with"),
        ({"diagnoal": 0.4}, r"diagnoal=0.4 is not an option of the 'confusion' crowd; it has diagonal, conc"),
        ({"diagonal": 1.4}, r"diagonal=1.4"),
        ({"diagonal": "high"}, r"diagonal='high'"),
        ({"concentration": 0}, r"concentration=0 must be a finite number above 0"),
        ({"crowd": "one-coin", "accuracy": (0.9, 0.5)}, r"accuracy=\(0.9, 0.5\) must be a pair"),
        ({"crowd": "one-coin", "accuracy": 0.9}, r"accuracy=0.9 must be a pair"),
        ({"crowd": "difficulty", "ability": 1}, r"ability=1 must be a pair \(mean, deviation\)"),
        ({"crowd": "difficulty", "ability": (1, -1)}, r"deviation of ability=-1"),
        ({"crowd": "groups", "group_shares": (0.5, 0.5)}, r"group_shares=\(0.5, 0.5\) must be 3 numbers"),
        ({"crowd": "groups", "paper": True, "n_classes": 2, "prior": [0.9, 0.1]}, r"paper=True has 3 classes"),
        ({"crowd": "common", "share": 0.9}, r"share=0.9 is out of the gate's reach.*0.28 to 0.72"),
        ({"crowd": "common", "pattern": "symmetric"}, r"n_classes=3 must be even; or use pattern='asymmetric'"),
        ({"crowd": "common", "pattern": "both"}, r"pattern='both'"),
        ({"crowd": "common", "n_classes": 1}, r"n_classes=1 is too few for the 'common' crowd"),
        ({"crowd": "spammers", "uniform": 0.6, "one_answer": 0.6}, r"= 1.25: lower them"),
        ({"crowd": "biased", "five": True, "prior": [0.5, 0.25, 0.25]}, r"five=True has 2 classes"),
        ({"crowd": "adversarial", "oracles": True, "n_annotators": 1, "redundancy": 1}, r"at least 2, not 1"),
        ({"crowd": "tags", "length": (5, 2)}, r"length=\(5, 2\)"),
        ({"crowd": "tags", "length": (0, 2)}, r"least of length=0"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_its_cure(asked, says):
    with pytest.raises(ParameterError, match=says):
        simulate(**asked)
    with pytest.raises(ParameterError, match=says):
        simulate_blocks(**asked)  # at the call, not at the first block


def test_a_block_of_nothing_is_refused():
    with pytest.raises(ParameterError, match="block=0"):
        simulate_blocks(block=0)


def test_the_list_of_crowds_describes_itself():
    for name, recipe in CROWDS.items():
        assert recipe.name == name
        assert 20 < len(recipe.says) < 90
        assert "Options:" in recipe.build.__doc__
        assert all(option in recipe.build.__doc__ for option in recipe.options)


MILLION = """
from manyhands.simulation import simulate
made = simulate(n_tasks=10**6, n_annotators=10**4, n_classes=5, activity="{activity}", names=False)
assert made.labels.n_answers == 5 * 10**6
from benchmarks.measure import peak_mb
print(peak_mb())
"""


@pytest.mark.slow
@pytest.mark.parametrize("activity", ["uniform", "zipf"])
def test_a_million_tasks(activity):
    script = MILLION.format(activity=activity)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 1000  # megabytes, all imports in it
