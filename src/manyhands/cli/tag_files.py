"""Tags that a method or a model gives, as CoNLL columns and in another scheme."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import UnsupportedError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["in_scheme", "write_columns"]


def write_columns(
    path: Path,
    tasks: Iterable[Any],
    tags: Iterable[Sequence[Any] | None],
    who: str,
    contents: Mapping[str, Any],
) -> None:
    """A column of tags beside the tokens, named for what gave them."""
    from ..annotations import Annotations
    from ..io import write

    said = {str(task): {who: list(row)} for task, row in zip(tasks, tags, strict=True) if row}
    if not said:
        raise UnsupportedError(f"{path}: there is no sentence with a tag to write")
    write(Annotations.from_dict(said, kind="tags"), path, format="conll", contents=contents)


def in_scheme(frame: pl.DataFrame, scheme: str | None) -> pl.DataFrame:
    """The column of labels with the same spans in another scheme.

    >>> import polars as pl
    >>> in_scheme(pl.DataFrame({"label": [["B-X", "I-X"], None]}), "BIOES")["label"].to_list()
    [['B-X', 'E-X'], None]
    """
    import polars as pl

    from ..annotations.scheme import convert

    if scheme is None:
        return frame
    if not isinstance(frame.schema["label"], pl.List):
        raise UnsupportedError(f"--scheme {scheme} is of tags, and these labels are none")
    rows = [None if row is None else convert(row, scheme) for row in frame["label"].to_list()]
    return frame.with_columns(pl.Series("label", rows, dtype=pl.List(pl.String)))
