"""From a data frame of any library that narwhals knows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from ..errors import LabelError, ParameterError
from .construct import Options, build
from .header import EXTRA, find_columns

if TYPE_CHECKING:
    from .table import Annotations

__all__ = ["from_frame"]


def from_frame(
    cls: type[Annotations],
    frame: Any,
    task: str | None,
    annotator: str | None,
    label: str | None,
    columns: Sequence[str] | None,
    **options: Unpack[Options],
) -> Annotations:
    """From a long frame, one answer a row."""
    table = _eager(frame)
    header = list(table.columns)
    found = find_columns(header, task=task, annotator=annotator, label=label)
    truth = options.get("truth")
    if isinstance(truth, str):
        options["truth"] = (_native(table, found["task"]), _native(table, truth))
    return build(
        cls, *(_native(table, found[role]) for role in ("task", "annotator", "label")),
        columns={name: _values(_native(table, name)) for name in _extra(header, columns, found)},
        **options,
    )  # fmt: skip


def _eager(frame: Any) -> Any:
    import narwhals as nw

    try:
        return nw.from_native(frame, eager_only=True)
    except TypeError:
        cure = "a data frame is needed (pandas, polars, pyarrow ...)"
        if hasattr(frame, "collect"):
            cure = "collect it first: frame.collect()"
        elif isinstance(frame, str):
            cure = "to read a file use manyhands.read"
        raise LabelError(f"from_frame was given a {type(frame).__name__}; {cure}") from None
    except nw.exceptions.DuplicateError as error:
        raise _repeated(error) from None


def _repeated(error: Exception) -> ParameterError:
    return ParameterError(
        f"the frame has two columns of one name; rename one ({' '.join(str(error).split())})"
    )


def _extra(header: list[str], columns: Sequence[str] | None, found: dict[str, str]) -> list[str]:
    if columns is not None:
        return [columns] if isinstance(columns, str) else list(columns)
    return [name for name in header if str(name).lower() in EXTRA and name not in found.values()]


def _native(table: Any, name: str) -> Any:
    if name not in table.columns:
        raise ParameterError(f"there is no column {name!r}; there are {', '.join(map(repr, table.columns))}")
    import narwhals as nw

    try:
        return table.get_column(name).to_native()
    except nw.exceptions.DuplicateError as error:
        raise _repeated(error) from None


def _values(column: Any) -> np.ndarray:
    return column.to_numpy() if hasattr(column, "to_numpy") else np.asarray(column)
