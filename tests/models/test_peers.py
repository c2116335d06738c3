"""Where a peer is wrong (PEERS.md D), ours against a closed form. Names and ties are in the contract suite."""

from __future__ import annotations

import math

import numpy as np
import pytest

from manyhands import MACE, Annotations, DawidSkene, MajorityVote, OneCoin
from manyhands.catalog import METHODS
from manyhands.errors import MissingLabelError
from manyhands.metrics import krippendorff_alpha


def test_d6_smoothing_is_heard() -> None:
    """A peer overwrites it. A lone vote at trust t and even habit: theta = (a + e) / (1 + a + b)."""
    table = Annotations.from_matrix([[0], [0], [0], [1]])
    strong, weak = (
        MACE(habit=h, class_prior="uniform", dtype="float64").fit(table).result_.confusion(0)
        for h in (100.0, 0.01)
    )
    assert abs(strong - weak).max() > 1e-3
    told = Annotations.from_matrix([[0], [1], [0], [0]], truth=[0, 1, 0, 1])
    model = MACE(earnest=3.0, spamming=2.0, habit=1e6, max_iter=2000, tol=1e-14, dtype="float64").fit(told)
    # Habits are even: p(right) = t + (1 - t) / 2. MAP: 3 log t + 2 log(1 - t) + 3 log(1+t)/2 + log (1-t)/2.
    grid = np.linspace(0.001, 0.999, 99_901)
    score = 3 * np.log(grid) + 3 * np.log1p(-grid) + 3 * np.log1p(grid)
    theta = grid[score.argmax()]
    assert model.result_.confusion(0)[0, 0] == pytest.approx((1 + theta) / 2, abs=1e-4)


def test_d7_an_empty_label_is_said_and_never_a_class() -> None:
    with pytest.raises(MissingLabelError, match="row 1"):
        Annotations.from_arrays(["a", "b"], ["x", "x"], ["yes", None])
    matrix = [[0, 1, float("nan")], [1, 1, 1], [float("nan")] * 3]
    result = DawidSkene(class_prior="uniform").fit(Annotations.from_matrix(matrix)).result_
    np.testing.assert_allclose(result.chances[2], 0.5)
    assert result.consensus()["label"][2] is None


def test_d8_the_likelihood_is_the_sum_of_logs() -> None:
    """Two tasks, one annotator of known accuracy p: log of the product of (p f + (1 - p)(1 - f))."""
    table = Annotations.from_matrix([[0], [1], [1]], classes=[0, 1], truth=[0, 1, 0])
    model = OneCoin(class_prior=[0.3, 0.7], dtype="float64").fit(table)
    expected = math.log(0.3 * 2 / 3) + math.log(0.7 * 2 / 3) + math.log(0.3 * 1 / 3)
    assert model.result_.history[-1]["objective"] == pytest.approx(expected, abs=1e-8)
    assert model.result_.confusion(0)[0, 0] == pytest.approx(2 / 3)


def test_d9_any_names_and_gaps() -> None:
    table = Annotations.from_arrays([5, 9, 5], [("x", 1), ("x", 1), ("y", 2)], ["cat", "dog", "cat"])
    result = MajorityVote().fit(table).result_
    label = dict(result.consensus().select("task", "label").iter_rows())
    assert (label[5], label[9]) == ("cat", "dog")
    assert MajorityVote().fit(Annotations.from_matrix([[0, 0, 1]])).predict_proba().tolist() == [
        pytest.approx([2 / 3, 1 / 3])
    ]


@pytest.mark.parametrize("name", [n for n, m in METHODS.items() if "class" in m.kinds])
def test_d10_annotators_who_never_meet(name: str) -> None:
    """No overlap at all: everybody is believed, nothing fails."""
    table = Annotations.from_dict({f"t{i}": {f"j{i % 3}": "xy"[i // 3 % 2]} for i in range(12)})
    result = METHODS[name].make().fit(table).result_
    assert result.consensus()["label"].to_list() == ["xy"[i // 3 % 2] for i in range(12)]


def test_d16_one_class_divides_by_nothing() -> None:
    table = Annotations.from_matrix([[0, 0], [0, -1]], classes=[0])
    result = OneCoin().fit(table).result_
    assert result.history[-1]["objective"] == pytest.approx(0, abs=1e-6)
    assert result.chances.tolist() == [[1.0], [1.0]]


def test_d18_alpha_without_pairs_is_unknown_not_a_crash() -> None:
    figure = krippendorff_alpha(Annotations.from_matrix([[0, -1], [-1, 1]]))
    assert math.isnan(getattr(figure, "value", figure))
