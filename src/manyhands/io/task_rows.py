"""Whose rows a matrix holds: a table of tasks beside it, with their split where it has one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..annotations import Names
from .places import located
from .roles import find_roles
from .tables import Table, open_table

if TYPE_CHECKING:
    import polars as pl

__all__ = ["TaskRows", "refuse_unnamed", "rows_of", "split_column", "tasks_beside"]

BESIDE = tuple(f"tasks.{end}" for end in ("csv", "parquet", "jsonl", "tsv", "csv.gz", "jsonl.gz", "tsv.gz"))


class TaskRows(NamedTuple):
    """ids: the task of each row. splits: "train", "test" ... of each row, where the table says so."""

    ids: Names
    splits: list[Any] | None


def tasks_beside(path: Path) -> Path | None:
    """The table of tasks in the same folder."""
    return next((path.parent / name for name in BESIDE if (path.parent / name).is_file()), None)


def rows_of(path: Path) -> TaskRows:
    r"""The rows of a table of tasks.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "tasks.csv"
    >>> _ = path.write_text("task,split\nt1,train\nt2,test\n")
    >>> rows_of(path)
    TaskRows(ids=Names(['t1', 't2']), splits=['train', 'test'])
    """
    table = open_table(path)
    task = find_roles(table, {}, ("task",))["task"]
    split = split_column(table)
    frame = table.frame([task, *([split] if split else [])], required=[task])
    return TaskRows(named_rows(table, frame, task), frame[split].to_list() if split else None)


def split_column(table: Table) -> str | None:
    """The column that says which part of the data a task is in."""
    return next((name for name in table.names if name.strip().lower() == "split"), None)


def refuse_unnamed(name: Any, row: int, what: str) -> None:
    """A row with `what` must say of which task it is."""
    from ..errors import LabelError, MissingLabelError

    if isinstance(name, (list, dict)):
        raise LabelError(f"task {str(name)[:80]} in row {row} is not a name: give text or a number", row)
    if name is None or name != name or (isinstance(name, str) and not name.strip()):
        raise MissingLabelError(f"row {row} has {what} but no task: fill it in or drop the row", row)


def named_rows(table: Table, frame: pl.DataFrame, task: str) -> Names:
    """The ids of a column, each once and none empty."""
    from ..errors import MissingLabelError

    with located(table):
        empty = frame[task].is_null().arg_true()
        if len(empty):
            row = int(empty[0])
            raise MissingLabelError(f"row {row} has no task: fill it in or drop the row", row)
        return Names(frame[task], "tasks of features")
