"""Nothing of a table can be changed, and building one changes nothing of anybody else."""

import copy
import dataclasses
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest

from manyhands.annotations import ABSTAINED, Annotations, Answers, Names

from .crowds import KINDS, build


@pytest.mark.parametrize("kind", KINDS)
def test_no_array_can_be_written(kind):
    table = build(kind)
    parts = [table, table[:3], table.where(np.ones(table.n_answers, bool)), pickle.loads(pickle.dumps(table)), copy.deepcopy(table),
             Annotations.concat([table]), table.align(["t2", "t1", "t9"], extra="drop")]  # fmt: skip
    for part in parts:
        arrays = [part.task, part.annotator, part.answers.values, part.truth, part.annotator_features, *part.columns.values(), *part.rows,
                  *part.by_unit, *part.by_annotator, part.task_starts, part.unit_offsets]  # fmt: skip
        arrays += [array for array in (part.answers.starts, part.unit_starts) if array is not None]
        for array in arrays:
            assert not array.flags.writeable
        with pytest.raises(TypeError):
            part.columns["time"] = None
        with pytest.raises(dataclasses.FrozenInstanceError):
            part.kind = "class"


SORTED = {"task": [0, 0, 1, 2], "annotator": [0, 1, 1, 0], "label": [1, 0, 1, 1]}


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("kind", ["class", "number"])
@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.float64])
def test_arrays_are_neither_kept_nor_frozen(dtype, kind, shuffled):
    given = {
        name: np.array(values[::-1] if shuffled else values, dtype=dtype) for name, values in SORTED.items()
    }
    time = np.arange(4.0)
    table = Annotations.from_arrays(**given, kind=kind, columns={"time": time})
    before = copy.deepcopy(table)
    for array in (*given.values(), time):
        array[:] = 0
    assert table.equals(before)
    assert table.classes == before.classes


def test_other_things_given_are_not_kept_either():
    names, truth, features = np.array([10, 11, 12]), np.array([1, 0, 1]), np.ones((2, 2), dtype=np.float32)
    soft = np.array([[0.5, 0.5]] * 4)
    matrix = np.array([[0, 1], [1, 1]])
    columns = {name: np.array(values) for name, values in SORTED.items()}
    columns["task"] += 10
    table = (
        Annotations.from_arrays(**columns, tasks=names).with_truth(truth).with_annotator_features(features)
    )
    judged = Annotations.from_arrays([0, 1, 2, 3], [0] * 4, soft)
    wide = Annotations.from_matrix(matrix)
    frame = pd.DataFrame(columns | {"time": np.arange(4.0)})
    framed = Annotations.from_frame(frame)
    tables = [table, judged, wide, framed]
    before = copy.deepcopy(tables)
    for array in (names, truth, features, soft, matrix, *columns.values()):
        array[:] = 0
    for name in frame:
        frame[name] = 0
    assert all(a.equals(b) for a, b in zip(tables, before, strict=True))


def test_a_column_of_polars_is_not_frozen():
    series = pl.Series(np.array([0, 0, 1, 2], dtype=np.int32))
    table = Annotations.from_arrays(series, [0, 1, 1, 0], [1, 0, 1, 1])
    series[0] = 2
    assert table.task.tolist() == [0, 0, 1, 2]


def test_the_plain_constructor_freezes_its_own_look_only():
    task = np.array([0, 1], dtype=np.int32)
    table = Annotations("class", Names.range(2), Names.range(2), task, task, Answers(task, Names.range(2)))
    assert task.flags.writeable
    assert not table.task.flags.writeable


def test_the_answer_of_as_array_is_the_callers():
    np.asarray(build("number"))[0] = 1.0
    build("class").to_frame()["time"].to_numpy(writable=True)[0] = 1.0


@pytest.mark.parametrize("kind", KINDS)
def test_pickles_and_copies(kind):
    table = build(kind)
    assert len(table.by_unit[0])  # what is cached stays behind
    for again in (pickle.loads(pickle.dumps(table)), copy.copy(table), copy.deepcopy(table)):
        assert again.equals(table)
        assert "by_unit" not in vars(again)


def test_an_abstention_is_minus_one():
    assert ABSTAINED == -1
    assert build("class").answers.values.tolist() == [0, 0, 1, 0, -1]


@pytest.mark.parametrize(
    ("classes", "dtype"), [(2, np.int8), (128, np.int8), (129, np.int16), (40_000, np.int32)]
)
def test_codes_are_narrow(classes, dtype):
    table = Annotations.from_arrays([0], [0], [classes - 1], classes=range(classes))
    assert table.answers.values.dtype == dtype
    assert table.answers.values.tolist() == [classes - 1]
    assert (table.task.dtype, table.annotator.dtype) == (np.int32, np.int32)
