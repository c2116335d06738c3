import numpy as np
import pytest
from sklearn.model_selection import KFold, StratifiedKFold, train_test_split
from sklearn.utils import _safe_indexing

from manyhands.annotations import Annotations
from manyhands.errors import LabelError, ParameterError

from .crowds import KINDS, TASKS, answers, build

INDICES = [slice(None), slice(1, 3), slice(None, None, -1), slice(0, 0), [2, 0], np.array([3, 1]), [-1, 0], [], 1, -1, np.int64(2),
           [True, False, True, False], np.array([False] * 4), np.array([True] * 4), range(2)]  # fmt: skip


@pytest.mark.parametrize("index", INDICES, ids=repr)
@pytest.mark.parametrize("kind", KINDS)
def test_slices(kind, index):
    table = build(kind)
    part = table[index]
    chosen = np.atleast_1d(
        np.arange(4)[
            index
            if not isinstance(index, (list, range))
            else np.array(index, dtype=None if len(index) else int)
        ]
    )
    names = [TASKS[i] for i in chosen]
    assert part.tasks.to_list() == names
    assert answers(part) == [row for name in names for row in answers(table) if row[0] == name]
    assert part.truths() == [table.truths()[i] for i in chosen]
    assert (part.annotators, part.classes) == (table.annotators, table.classes)
    times = dict(zip([row[:2] for row in answers(table)], table.columns["time"], strict=True))
    assert part.columns["time"].tolist() == [times[row[:2]] for row in answers(part)]
    assert part.n_units == sum(np.diff(table.unit_offsets)[i] for i in chosen)


@pytest.mark.parametrize("kind", KINDS)
def test_slices_of_slices(kind):
    table = build(kind)
    assert table[[3, 1, 0]][[2, 1]].equals(table[[0, 1]])
    assert table[::-1][::-1].equals(table)


@pytest.mark.parametrize("index", [[0, 0], [1, 0, 1], [0, -4], np.array([2, 2])])
def test_a_task_twice(index):
    with pytest.raises(LabelError, match=r"task 't\d' is chosen twice.*sample_weight"):
        build("class")[index]


@pytest.mark.parametrize("index", ["t1", ["t1", "t2"], np.array(["t1"]), ("t1",)])
def test_by_name(index):
    with pytest.raises(TypeError, match=r"labels\.align\(\['t1'"):
        build("class")[index]


@pytest.mark.parametrize("index", [4, -5, [0, 4]])
def test_out_of_range(index):
    with pytest.raises(IndexError):
        build("class")[index]


def test_take_out_of_range():
    with pytest.raises(IndexError, match="no task at position 4: there are 4"):
        build("class").take(np.array([0, 4]))


@pytest.mark.parametrize("kind", KINDS)
def test_where(kind):
    table = build(kind)
    mask = np.array([n % 2 == 0 for n in range(table.n_answers)])
    part = table.where(mask)
    assert answers(part) == [row for row, keep in zip(answers(table), mask, strict=True) if keep]
    assert part.columns["time"].tolist() == table.columns["time"][mask].tolist()
    assert (part.tasks, part.annotators, part.truths()) == (table.tasks, table.annotators, table.truths())
    assert table.where(np.ones(table.n_answers, bool)).equals(table)


@pytest.mark.parametrize("mask", [[True], [0, 1, 2], np.ones(5), [[True] * 5]])
def test_where_wants_a_mask(mask):
    with pytest.raises(ParameterError, match="true or false for each of 5 answers"):
        build("class").where(mask)


def test_one_task_at_a_time():
    assert [part.tasks[0] for part in build("class")] == TASKS


def test_scikit_learn_slices():
    table = Annotations.from_matrix(np.tile([[0, 0, 1], [1, 1, 0]], (6, 1)))
    X = np.arange(12)[:, None]
    train, test = next(KFold(3).split(X, table))
    assert _safe_indexing(table, test).tasks.to_list() == test.tolist()
    assert len(_safe_indexing(table, train)) == 8
    _, X_test, _, y_test = train_test_split(X, table, random_state=0)
    assert y_test.tasks.to_list() == X_test[:, 0].tolist()
    for _, test in StratifiedKFold(3).split(X, np.asarray(table)):
        assert np.bincount(np.asarray(table[test])).tolist() == [2, 2]
