"""Frames in and out, by the suffix of the file."""

from __future__ import annotations

import gzip
import io
import json
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from ..errors import ParameterError
from .atomic import atomic_write
from .delimiters import delimiter_for
from .formats import SUFFIXES, Format, known_suffix
from .tables import open_table

if TYPE_CHECKING:
    import polars as pl

__all__ = ["format_to_write", "opened", "read_frame", "write_frame"]


def read_frame(
    path: str | Path,
    *,
    columns: Sequence[str] | None = None,
    delimiter: str | None = None,
    format: str | None = None,
) -> pl.DataFrame:
    """A file, or a folder of part files, as a polars frame.

    csv and tsv give text in every column, with null for an empty field: an id stays as it was
    written. parquet gives its types, JSON lines the values as they are.

    Args:
        path: the file or folder.
        columns: those to read; all by default.
        delimiter: of csv, where it is not a comma (tsv: not a tab).
        format: csv, tsv, parquet or jsonl, where the suffix does not say it.

    >>> import polars as pl, tempfile
    >>> path = tempfile.mkdtemp() + "/votes.csv"
    >>> write_frame(pl.DataFrame({"task": ["007"], "label": [1]}), path)
    >>> read_frame(path).row(0)
    ('007', '1')
    """
    table = open_table(path, format, delimiter)
    names = table.names if columns is None else list(columns)
    lacking = [name for name in names if name not in table.names]
    if lacking:
        raise ParameterError(
            f"{path} has no column {lacking[0]!r}; there are {', '.join(map(repr, table.names[:20]))}"
        )
    return table.frame(names)


def write_frame(frame: Any, path: str | Path, *, delimiter: str | None = None) -> None:
    """Write any data frame as csv, tsv, parquet or jsonl, whole or not at all.

    The suffix says which, with .gz after those of text. csv gets lists and objects as JSON text.

    >>> import polars as pl, tempfile
    >>> path = tempfile.mkdtemp() + "/tags.jsonl"
    >>> write_frame(pl.DataFrame({"task": ["a"], "label": [["O", "B-PER"]]}), path)
    >>> print(Path(path).read_text().strip())
    {"task":"a","label":["O","B-PER"]}
    """
    form = format_to_write(path)
    if delimiter is not None and not form.is_text:
        raise ParameterError(f"delimiter={delimiter!r} goes with csv and tsv, not with {form.name}")
    table = _as_polars(frame)
    with atomic_write(path) as temporary:
        if form.name == "parquet":
            _plain(table).write_parquet(temporary)
            return
        with opened(temporary, form.gzipped) as handle:
            if form.name == "jsonl":
                _write_lines(table, handle)
            else:
                separator = delimiter_for(form.name, delimiter)
                _flat(table).write_csv(handle, separator=separator)


def format_to_write(path: str | Path) -> Format:
    """The format that the suffix of a new file asks for."""
    name = known_suffix(Path(path))
    zipped = Path(path).suffix.lower() == ".gz"
    if name is None or (name == "parquet" and zipped):
        raise ParameterError(
            f"{str(path)!r} has no suffix that can be written: use one of {', '.join(SUFFIXES)}, "
            f"and .gz after those of text"
        )
    return Format(name, zipped)


def _as_polars(frame: Any) -> pl.DataFrame:
    import narwhals as nw

    return nw.from_native(frame, eager_only=True).to_polars()


@contextmanager
def opened(path: Path, gzipped: bool) -> Iterator[IO[bytes]]:
    """A new file to write into, gzipped or not."""
    with open(path, "wb") as raw:
        if not gzipped:
            yield raw
            return
        # No time and no name inside: equal content gives equal bytes.
        with gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as packed:
            yield packed  # type: ignore[misc]


def _is_nested(dtype: Any) -> bool:
    import polars as pl

    return bool(dtype.is_nested()) or dtype == pl.Object


def _flat(table: pl.DataFrame) -> pl.DataFrame:
    """Lists and objects as JSON text."""
    import polars as pl

    nested = [name for name, dtype in table.schema.items() if _is_nested(dtype)]
    texts = {name: [None if v is None else to_json(v) for v in table[name].to_list()] for name in nested}
    return table.with_columns(pl.Series(name, values, dtype=pl.String) for name, values in texts.items())


def _plain(table: pl.DataFrame) -> pl.DataFrame:
    """Objects as what parquet can hold: structures where they are dictionaries, else JSON text."""
    import polars as pl

    columns = []
    for column in table:
        if column.dtype == pl.Object:
            values = column.to_list()
            fits = all(value is None or isinstance(value, dict) for value in values)
            column = pl.Series(column.name, values) if fits else _flat(column.to_frame()).to_series()
        columns.append(column)
    return pl.DataFrame(columns)


def _write_lines(table: pl.DataFrame, handle: IO[bytes]) -> None:
    if not any(_is_nested(dtype) for dtype in table.schema.values()):
        table.write_ndjson(handle)
        return
    names = table.columns
    text = io.TextIOWrapper(handle, encoding="utf-8", newline="\n", write_through=True)
    for row in table.iter_rows():
        text.write(to_json(dict(zip(names, row, strict=True))) + "\n")
    text.detach()


def to_json(value: Any) -> str:
    """Compact JSON; what JSON has no type for (a date, say) as its text, NaN and infinity as null.

    >>> to_json({"no": .25, "yes": .75})
    '{"no":0.25,"yes":0.75}'
    """
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str, allow_nan=False)
    except ValueError:
        return to_json(_finite(value))


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(entry) for entry in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
