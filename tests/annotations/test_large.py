"""Ten million rows: the same as small ones, checked against numpy."""

import numpy as np
import polars as pl
import pytest

from manyhands.annotations import Annotations

pytestmark = pytest.mark.slow
ROWS, TASKS, ANNOTATORS, CLASSES = 10_000_000, 2_000_000, 10_000, 5


@pytest.fixture(scope="module")
def columns():
    rng = np.random.default_rng(0)
    return (rng.integers(0, TASKS, ROWS, dtype=np.int32), rng.integers(0, ANNOTATORS, ROWS, dtype=np.int32),
            rng.integers(0, CLASSES, ROWS, dtype=np.int8))  # fmt: skip


@pytest.fixture(scope="module")
def first(columns):
    """The rows that repeats="first" keeps, in the order of the table."""
    task, annotator, _ = columns
    _, rows = np.unique(task.astype(np.int64) * ANNOTATORS + annotator, return_index=True)
    return rows[np.lexsort((rows, task[rows]))]


def test_codes(columns, first):
    task, annotator, label = columns
    table = Annotations.from_arrays(task, annotator, label, repeats="first")
    assert 0 < ROWS - len(first) == ROWS - table.n_answers
    assert np.array_equal(table.task, task[first])
    assert np.array_equal(table.annotator, annotator[first])
    assert np.array_equal(table.answers.values, label[first])
    assert np.array_equal(np.diff(table.task_starts), np.bincount(task[first], minlength=TASKS))
    votes = np.bincount(task[first].astype(np.int64) * CLASSES + label[first], minlength=TASKS * CLASSES)
    assert np.array_equal(np.asarray(table), votes.reshape(TASKS, CLASSES).argmax(axis=1))


def test_text(columns, first):
    task, annotator, label = (pl.Series(values) for values in columns)
    frame = pl.DataFrame({"task": "t" + task.cast(pl.String), "annotator": "w" + annotator.cast(pl.String),
                          "label": "c" + label.cast(pl.String)})  # fmt: skip
    table = Annotations.from_frame(frame, repeats="first")
    appearance = pl.Series(columns[0]).unique(maintain_order=True).to_numpy()
    place = np.full(TASKS, -1)
    place[appearance] = np.arange(len(appearance))
    order = first[np.lexsort((first, place[columns[0][first]]))]
    assert np.array_equal(table.task, place[columns[0][order]])
    assert np.array_equal(table.answers.values, columns[2][order])
    assert table.classes.to_list() == [f"c{k}" for k in range(CLASSES)]
    names = table.annotators.to_series().str.slice(1).cast(pl.Int32).to_numpy()
    assert np.array_equal(names[table.annotator], columns[1][order])
