"""What a verb prints on stdout: tables for people, JSON for programs."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl
    from rich.console import Console

WIDTH = 160  # of tables in a pipe

__all__ = ["head", "line", "plain", "print_json", "table", "word"]


def line(text: str, style: str = "") -> None:
    """Print a line, broken between words on a terminal and left whole in a pipe."""
    out = _console()
    out.print(text, style=style, soft_wrap=not out.is_terminal)


def _console() -> Console:
    """Stdout. Nobody's names are taken for markup, and a closed pipe is ours to deal with."""
    from rich.console import Console

    class Stdout(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    out = Stdout(highlight=False, markup=False, emoji=False)
    return out if out.is_terminal else Stdout(highlight=False, markup=False, emoji=False, width=WIDTH)


def table(
    header: Sequence[str], rows: Iterable[Sequence[Any]], title: str = "", whole: Sequence[str] = ()
) -> None:
    """Print a table: numbers to the right, text to the left; whole: columns whose words are never cut."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    rows = [list(row) for row in rows]
    if title:
        line(title, style="bold")
    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for place, name in enumerate(header):
        number = all(isinstance(row[place], (int, float, type(None))) for row in rows)
        shown.add_column(name, justify="right" if number else "left", overflow="fold", no_wrap=name in whole)
    for row in rows:
        shown.add_row(*(Text(word(value)) for value in row))
    _console().print(shown)


def head(frame: pl.DataFrame, title: str = "", rows: int = 5) -> None:
    """Print the first rows of a frame."""
    table(frame.columns, frame.head(rows).rows(), title)


def word(value: Any) -> str:
    """A value as people read it; nothing is a dash.

    >>> word(0.123456), word(1234567), word(None), word(float("nan"))
    ('0.123', '1 234 567', '-', '-')
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, int):
        return f"{value:,}".replace(",", " ") if abs(value) >= 10_000 else str(value)
    return f"{value:.3f}" if 1e-3 <= abs(value) < 1e4 or value == 0 else f"{value:.3g}"


def print_json(data: Any) -> None:
    """Print plain data as JSON; nan and infinity, which JSON lacks, become null."""
    print(json.dumps(plain(data), indent=1, ensure_ascii=False))


def plain(data: Any) -> Any:
    """Data as JSON has it.

    >>> plain({1: (float("nan"), "x")})
    {'1': [None, 'x']}
    """
    if isinstance(data, dict):
        return {key if isinstance(key, str) else str(key): plain(value) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [plain(value) for value in data]
    if isinstance(data, float):
        return data if math.isfinite(data) else None
    if isinstance(data, (str, int, bool, type(None))):
        return data
    return plain(data.tolist()) if hasattr(data, "tolist") else str(data)
