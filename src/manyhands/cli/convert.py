"""`manyhands convert`: a table of labels in another form."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Option

from .options import Json, Labels, Quiet, Reading, with_group
from .progress import Work

if TYPE_CHECKING:
    from ..annotations import Annotations

__all__ = ["convert"]

LAYOUTS = ("long", "wide", "indicators")


def _layout(name: str) -> str:
    if name not in LAYOUTS:
        raise typer.BadParameter(f"{name!r} must be long, wide or indicators")
    return name


Out = Annotated[
    Path,
    typer.Argument(
        metavar="OUT", help="The new file: .csv, .tsv, .jsonl (.gz too) or .parquet.", show_default=False
    ),
]
OutLayout = Annotated[
    str,
    Option(
        "--out-layout", metavar="LAYOUT", callback=_layout,
        help="long (one answer a row), wide (one task a row, one annotator a column) or indicators (sets: a 0 / 1 "
        "column a label).",
    ),
]  # fmt: skip


@with_group(Reading)
def convert(
    labels: Labels,
    out: Out,
    reading: Reading,
    out_layout: OutLayout = "long",
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Write a table of labels in another format.

    Or in another layout; and say what was lost on the way.
    """
    from ..io import write, write_frame
    from ..io.frames import format_to_write
    from .losses import losses
    from .output import print_json
    from .targets import refuse_overwriting
    from .wide import wide_frame

    format_to_write(out)
    refuse_overwriting([labels], [out])
    work = Work(quiet or json)
    with work.spinner(f"reading {labels}"):
        table = reading.read(labels)
    with work.spinner(f"writing {out}"):
        if out_layout == "wide":
            write_frame(wide_frame(table), out)
        else:
            write(table, out, layout=out_layout)
    lost = losses(table, labels, reading, out, out_layout)
    if json:
        print_json({"in": str(labels), "out": str(out), "answers": table.n_answers, "lost": lost})
    elif not quiet:
        _show(table, out, lost)


def _show(table: Annotations, out: Path, lost: list[str]) -> None:
    typer.echo(f"{out}: {table.n_tasks} tasks, {table.n_annotators} annotators, {table.n_answers} answers")
    for loss in lost:
        typer.echo(f"lost: {loss}")
    if not lost:
        typer.echo("nothing was lost")
