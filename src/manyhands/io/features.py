"""Features of tasks, with the task of every row: arrays, columns of numbers, or texts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..annotations import Names
from ..errors import FormatError, LabelError, ParameterError
from .feature_arrays import read_arrays
from .places import located
from .roles import find_roles
from .tables import Table, open_table
from .task_rows import named_rows, rows_of, split_column, tasks_beside
from .truths import GOLD

if TYPE_CHECKING:
    import numpy as np
    import polars as pl

__all__ = ["FeatureTable", "read_features"]

ARRAYS = (".npy", ".npz")
ANSWERS = ("label", "labels", *GOLD)


class FeatureTable(NamedTuple):
    """One row a task.

    ids: the tasks. X: [rows, features] numbers, dense or sparse; pictures [rows, channels, height,
        width]; or a list of texts. columns: their names, in a table. splits: the split of each row,
        where the file, or tasks.csv beside it, says so.
    """

    ids: Names
    X: Any
    columns: list[str] | None = None
    splits: list[Any] | None = None


def read_features(
    path: str | Path, text: Sequence[str] | None = None, columns: Sequence[str] | None = None
) -> FeatureTable:
    r"""Features and whose they are; rows are never matched by position in silence.

    Args:
        path: .npy or .npz (array X, or a sparse matrix of scipy) with ids inside or a tasks.csv beside
            it; or a csv, tsv, parquet or jsonl with a column of tasks.
        text: columns of text, joined, in place of numbers.
        columns: columns of numbers; by default all but the task and the split.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "features.csv"
    >>> _ = path.write_text("task,length,words,split\nt1,3.5,2,train\nt2,1,1,test\n")
    >>> table = read_features(path)
    >>> table.ids, table.X.tolist(), table.columns
    (Names(['t1', 't2']), [[3.5, 2.0], [1.0, 1.0]], ['length', 'words'])
    """
    place = Path(path)
    table = _read(place, list(text or ()), list(columns or ()))
    if not len(table.ids):
        raise FormatError("holds the features of no task: give it at least one row", place)
    return table


def _read(place: Path, text: list[str], columns: list[str]) -> FeatureTable:
    if place.suffix.lower() in ARRAYS:
        if text or columns:
            given = "text" if text else "columns"
            raise ParameterError(f"{given}= names columns of a table, but {place} holds arrays: leave it out")
        rows, X = read_arrays(place)
        _refuse_gaps(X, rows.ids, place)
        return FeatureTable(rows.ids, X, None, rows.splits)
    return _from_table(open_table(place), text, columns)


def _from_table(table: Table, text: list[str], columns: list[str]) -> FeatureTable:
    if text and columns:
        raise ParameterError("text= and columns= are two ways to take features: give one of them")
    task, split = find_roles(table, {}, ("task",))["task"], split_column(table)
    names = text or columns or [name for name in table.names if name not in (task, split)]
    _refuse_names(table, names, chosen=bool(text or columns))
    frame = table.frame([task, *names, *([split] if split and split not in names else [])], required=[task])
    ids = named_rows(table, frame, task)
    X: Any = _texts(frame, names) if text else _numbers(table, frame, names)
    if not text:
        _refuse_gaps(X, ids, table.path, names)
    return FeatureTable(ids, X, names, frame[split].to_list() if split else _splits(table.path, ids))


def _splits(path: Path, ids: Names) -> list[Any] | None:
    beside = tasks_beside(path)
    if beside is None or beside == path:
        return None
    there = rows_of(beside)
    codes = there.ids.codes(ids).tolist()
    return there.splits and [there.splits[c] if c >= 0 else None for c in codes]


def _refuse_names(table: Table, names: list[str], chosen: bool) -> None:
    lacking = [name for name in names if name not in table.names]
    if lacking:
        have = ", ".join(map(repr, table.names[:20]))
        raise ParameterError(f"{table.path} has no column {lacking[0]!r}; there are {have}")
    if not names:
        raise FormatError("has no column besides the task: give the features too", table.path)
    answers = [name for name in names if name.strip().lower() in ANSWERS]
    if answers and not chosen:
        raise ParameterError(
            f"{table.path}: column {answers[0]!r} looks like an answer, from which a network would learn "
            f"nothing but to copy it: name the features with columns= (--feature-columns A,B), or drop it"
        )


def _texts(frame: pl.DataFrame, names: list[str]) -> list[str]:
    import polars as pl

    joined = pl.concat_str([pl.col(name).cast(pl.String).fill_null("") for name in names], separator=" ")
    return frame.select(joined.alias("text"))["text"].to_list()


def _numbers(table: Table, frame: pl.DataFrame, names: list[str]) -> np.ndarray:
    with located(table):
        columns = [_number(frame[name]) for name in names]
    import numpy as np

    return np.stack(columns, axis=1)


def _number(column: pl.Series) -> np.ndarray:
    import polars as pl

    is_text = column.dtype in (pl.String, pl.Categorical, pl.Enum)
    if not (is_text or column.dtype.is_numeric() or column.dtype in (pl.Boolean, pl.Null)):
        raise LabelError(f"column {column.name!r} is {column.dtype}, not numbers: {_cure(column.name)}")
    text = column.cast(pl.String).str.strip_chars() if is_text else column
    values = text.cast(pl.Float64, strict=False)
    bad = values.is_null().arg_true()
    if len(bad):
        row = int(bad[0])
        what = "is empty" if column[row] is None else f"holds {column[row]!r}, which is no number,"
        raise LabelError(f"column {column.name!r} {what} in row {row}: {_cure(column.name)}", row)
    return values.cast(pl.Float32).to_numpy()


def _cure(name: str) -> str:
    return (
        f"name the columns to use with columns= (--feature-columns A,B), or read it as text, "
        f"text=[{name!r}] (--text {name})"
    )


def _refuse_gaps(X: Any, ids: Names, path: Path, names: list[str] | None = None) -> None:
    import numpy as np

    finite = np.isfinite(X.data if hasattr(X, "tocsr") else X)
    if finite.all():
        return
    if hasattr(X, "tocsr"):
        row = int(np.searchsorted(X.indptr, int(np.argmin(finite)), side="right")) - 1
        where = ""
    else:
        place = np.unravel_index(int(np.argmin(finite)), finite.shape)
        row, column = int(place[0]), int(place[1])
        where = f" in column {names[column]!r}" if names else f" in column {column}" if X.ndim == 2 else ""
    raise LabelError(
        f"{path}: task {ids[row]!r} has NaN or infinity{where} (row {row}): fill it in, or leave the task out",
        row,
    )
