import numpy as np
import pytest

from manyhands.annotations import Annotations, folds, split
from manyhands.errors import ParameterError

from .crowds import KINDS, answers, build


def crowd(tasks=20, annotators=10):
    return Annotations.from_matrix(np.random.default_rng(0).integers(-1, 3, (tasks, annotators)))


def key(row):
    return tuple(map(repr, row))


@pytest.mark.parametrize("by", ["task", "annotation", "annotator"])
def test_both_parts_are_the_whole(by):
    table = crowd()
    train, test = split(table, 0.3, by=by)
    assert sorted(answers(train) + answers(test), key=key) == sorted(answers(table), key=key)
    assert train.annotators == test.annotators == table.annotators
    assert train.classes == test.classes == table.classes


def test_by_task():
    train, test = split(crowd(), 0.3, by="task")
    assert (train.n_tasks, test.n_tasks) == (14, 6)
    assert not set(train.tasks) & set(test.tasks)


def test_by_annotation():
    table = crowd()
    train, test = split(table, 0.3, by="annotation")
    assert train.tasks == test.tasks == table.tasks
    assert test.n_answers == round(0.3 * table.n_answers)


def test_by_annotator():
    train, test = split(crowd(), 0.3, by="annotator")
    assert (len(set(train.annotator)), len(set(test.annotator))) == (7, 3)
    assert not set(train.annotator) & set(test.annotator)


@pytest.mark.parametrize("by", ["task", "annotation", "annotator"])
def test_folds_hold_each_part_out_once(by):
    table = crowd()
    parts = list(folds(table, 4, by=by))
    assert len(parts) == 4
    held = [row for _, test in parts for row in answers(test)]
    assert sorted(held, key=key) == sorted(answers(table), key=key)
    for train, test in parts:
        assert train.n_answers + test.n_answers == table.n_answers


@pytest.mark.parametrize("by", ["task", "annotation", "annotator"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind(kind, by):
    table = build(kind)
    train, test = split(table, 0.5, by=by)
    assert sorted(answers(train) + answers(test), key=key) == sorted(answers(table), key=key)


def test_a_seed_decides():
    table = crowd()
    assert split(table, random_state=3)[1].equals(split(table, random_state=3)[1])
    assert not split(table, random_state=3)[1].equals(split(table, random_state=4)[1])
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    split(table, random_state=np.random.default_rng(0))
    assert (np.random.get_state()[1] == before).all()  # noqa: NPY002


@pytest.mark.parametrize("size", [0, 1, 1.5, -0.1])
def test_a_share_outside_the_unit(size):
    with pytest.raises(ParameterError, match="between 0 and 1"):
        split(crowd(), size)


def test_an_unknown_way():
    with pytest.raises(ParameterError, match="'task', 'annotation', 'annotator'"):
        split(crowd(), by="worker")


def test_one_fold():
    with pytest.raises(ParameterError, match="at least 2"):
        folds(crowd(), 1)


@pytest.mark.parametrize("table", [crowd(1, 1), Annotations.from_arrays([], [], [])])
def test_too_few_to_hold_out(table):
    with pytest.raises(ParameterError, match="too few"):
        split(table, 0.2, by="task")
    with pytest.raises(ParameterError, match="too few"):
        list(folds(table, 5))
