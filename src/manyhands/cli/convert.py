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


def _tool(name: str | None) -> str | None:
    from ..io.tools.registry import TOOLS

    if name is not None and name not in TOOLS:
        raise typer.BadParameter(f"{name!r} must be one of {', '.join(TOOLS)}")
    return name


Out = Annotated[
    Path,
    typer.Argument(
        metavar="OUT",
        help="The new file: .csv, .tsv, .jsonl (.gz too) or .parquet; any name with --to.",
        show_default=False,
    ),
]
To = Annotated[
    str | None,
    Option(
        "--to", metavar="TOOL", callback=lambda name: _tool(name), show_default=False,
        help="As this tool exports labels: label-studio, label-studio-min, label-studio-predictions, argilla, prodigy, doccano, mturk, "
        "toloka, appen, zooniverse, sagemaker. Default: a plain table.",
    ),
]  # fmt: skip
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
    to: To = None,
    out_layout: OutLayout = "long",
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Write labels in another format.

    From a table or the export of a labelling tool to another, or in another layout; and say what was lost.
    """
    from ..io.frames import format_to_write
    from .output import print_json
    from .targets import refuse_overwriting

    if to is None:
        format_to_write(out)
    elif out_layout != "long":
        raise typer.BadParameter(f"--out-layout {out_layout} goes with a plain table, and not with --to")
    refuse_overwriting([labels], [out])
    work = Work(quiet or json)
    with work.spinner(f"reading {labels}"):
        table = reading.read(labels)
    with work.spinner(f"writing {out}"):
        lost = _write(table, labels, reading, out, to, out_layout)
    if json:
        print_json({"in": str(labels), "out": str(out), "answers": table.n_answers, "lost": lost})
    elif not quiet:
        _show(table, out, lost)


def _write(
    table: Annotations, source: Path, reading: Reading, out: Path, to: str | None, layout: str
) -> list[str]:
    """Write the file; what was lost, in words."""
    from ..io import write, write_frame
    from .losses import losses, losses_to_tool
    from .wide import wide_frame

    if to is not None:
        shown = reading.contents(source)
        write(table, out, format=to, contents=shown)
        return losses_to_tool(table, source, reading, to, bool(shown))
    if layout == "wide":
        write_frame(wide_frame(table), out)
    else:
        write(table, out, layout=layout)
    return losses(table, source, reading, out, layout)


def _show(table: Annotations, out: Path, lost: list[str]) -> None:
    typer.echo(f"{out}: {table.n_tasks} tasks, {table.n_annotators} annotators, {table.n_answers} answers")
    for loss in lost:
        typer.echo(f"lost: {loss}")
    if not lost:
        typer.echo("nothing was lost")
