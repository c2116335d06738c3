"""A folder of part files, as Spark and its like write them: one table, in the order of the names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from ..errors import FormatError
from .formats import format_of, known_suffix
from .jsonl import JsonLinesTable
from .tables import Table

__all__ = ["PartsTable", "part_files"]


def part_files(folder: Path, format: str | None = None) -> list[Path]:
    """The files of a table in a folder; hidden files and marks such as _SUCCESS are none."""
    files = sorted(entry for entry in folder.iterdir() if not entry.name.startswith((".", "_")))
    if not files:
        raise FormatError("the folder holds no part files (hidden ones and _SUCCESS do not count)", folder)
    for file in files:
        if file.is_dir():
            raise FormatError("is a folder among part files; name the folder that holds the files", file)
        if format is None and known_suffix(file) is None:
            raise FormatError(
                "is not a table, but stands among part files: move it away, or name the one file to read",
                file,
            )
    kinds = {format_of(file, format).name: file for file in reversed(files)}
    if len(kinds) > 1:
        found = " and ".join(f"{kind} ({file.name})" for kind, file in sorted(kinds.items()))
        raise FormatError(
            f"the part files are of several formats, {found}: name the one file to read", folder
        )
    return files


class PartsTable:
    """Part files as one table."""

    unit = "line"

    def __init__(self, path: Path, parts: list[Table]):
        self.path, self.parts = path, parts
        self.names = self._all_names()
        self.is_text, self.is_columnar = parts[0].is_text, parts[0].is_columnar
        self._heights: list[int] = []

    def frame(self, names: Sequence[str], required: Sequence[str] = ()) -> pl.DataFrame:
        """Some columns of all parts, one below the other."""
        frames = [self._part(part, names, required) for part in self.parts]
        self._heights = [frame.height for frame in frames]
        for part, frame in zip(self.parts[1:], frames[1:], strict=True):
            _refuse_other_types(part.path, self.parts[0].path, frame, frames[0])
        return pl.concat(frames, how="vertical_relaxed", rechunk=False)

    def where(self, row: int) -> tuple[Path, int | None]:
        """The part of a row, and the line in it."""
        heights = self._heights or [part.frame(part.names[:1]).height for part in self.parts]
        for part, height in zip(self.parts, heights, strict=True):
            if row < height:
                return part.where(row)
            row -= height
        return self.path, None

    def hint(self) -> str | None:
        """What the first part says."""
        return self.parts[0].hint()

    def _all_names(self) -> list[str]:
        first = self.parts[0]
        if isinstance(first, JsonLinesTable):  # fields may be absent from a whole part
            return list(dict.fromkeys(name for part in self.parts for name in part.names))
        for part in self.parts[1:]:
            if part.names != first.names:
                raise FormatError(
                    f"has the columns {', '.join(map(repr, part.names))}, but {first.path.name} has "
                    f"{', '.join(map(repr, first.names))}: part files must have one header; "
                    f"if they are not parts of one table, name the one file to read",
                    part.path,
                    1 if part.is_text else None,
                )
        return first.names

    def _part(self, part: Table, names: Sequence[str], required: Sequence[str]) -> pl.DataFrame:
        lacking = [name for name in names if name not in part.names]
        for name in lacking:
            if name in required:
                raise FormatError(f"no row has the field {name!r}, which other parts have", part.path, 1)
        frame = part.frame([n for n in names if n not in lacking], [n for n in required if n not in lacking])
        return frame.with_columns(pl.lit(None).alias(name) for name in lacking).select(names)


def _refuse_other_types(path: Path, first: Path, frame: pl.DataFrame, expected: pl.DataFrame) -> None:
    for name, dtype in frame.schema.items():
        other = expected.schema[name]
        alike = dtype == other or pl.Null in (dtype, other) or (dtype.is_numeric() and other.is_numeric())
        if not alike:
            raise FormatError(
                f"column {name!r} is {dtype}, but in {first.name} it is {other}: write the parts with one type",
                path,
            )
