"""What is hidden together, and that every answer is hidden once."""

from __future__ import annotations

import numpy as np
import pytest

from manyhands import Annotations, simulate
from manyhands.errors import LabelError, ParameterError
from manyhands.selection.hiding import folds_of, hidden_votes


def crowd() -> Annotations:
    return simulate("confusion", n_tasks=60, n_annotators=9, n_classes=3, redundancy=4, seed=0).labels


def test_answers_of_one_task_are_spread() -> None:
    labels = crowd()
    fold = folds_of(labels, 5, 1)
    for task in range(labels.n_tasks):
        mine = fold[labels.task == task]
        assert len(set(mine.tolist())) == len(mine)
    assert np.bincount(fold, minlength=5).min() > 0.1 * labels.n_answers
    few = folds_of(labels, 2, 1)
    assert all(np.bincount(few[labels.task == t], minlength=2).tolist() == [2, 2] for t in range(60))


def test_the_seed_decides() -> None:
    labels = crowd()
    assert (folds_of(labels, 5, 1) == folds_of(labels, 5, 1)).all()
    assert (folds_of(labels, 5, 1) != folds_of(labels, 5, 2)).any()


def test_a_repeated_answer_is_hidden_with_its_twin() -> None:
    rows = [
        ("t1", "ann", "x"),
        ("t1", "bob", "x"),
        ("t1", "ann", "y"),
        ("t2", "ann", "x"),
        ("t2", "bob", "y"),
    ]
    labels = Annotations.from_arrays(*zip(*rows, strict=True), repeats="all")
    for seed in range(20):
        fold = folds_of(labels, 2, seed)
        ann = (labels.task == 0) & (labels.annotator == labels.annotators.position("ann"))
        assert ann.sum() == 2
        assert len(set(fold[ann].tolist())) == 1


@pytest.mark.parametrize("kind", ["class", "soft", "tags", "set", "number"])
def test_every_vote_is_hidden_once(kind: str) -> None:
    from manyhands.channels import number_votes, votes_of

    from ..contract.crowds import crowd as small

    labels = small(kind).table()
    hidden = hidden_votes(labels, folds_of(labels, 3))
    whole = number_votes(labels) if kind == "number" else votes_of(labels)
    said = whole.value if kind == "number" else whole.label  # type: ignore[union-attr]
    ours = sorted(zip(hidden.unit.tolist(), hidden.annotator.tolist(), hidden.said.tolist(), strict=True))
    assert ours == sorted(zip(whole.unit.tolist(), whole.annotator.tolist(), said.tolist(), strict=True))
    starts = labels.unit_offsets
    assert all(starts[t] <= u < starts[t + 1] for t, u in zip(hidden.task, hidden.unit, strict=True))


def test_too_few() -> None:
    with pytest.raises(ParameterError, match="at least 2"):
        folds_of(crowd(), 1)
    with pytest.raises(LabelError, match="2 answers are too few to hide in 5 folds"):
        folds_of(Annotations.from_matrix([[0, 1]]), 5)
