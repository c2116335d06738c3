"""`manyhands convert`: a table of labels in another form."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Option

from .options import Json, Labels, Quiet, Reading, Scheme, with_group
from .progress import Work

if TYPE_CHECKING:
    from ..annotations import Annotations

    Contents = dict[str, dict[str, Any]]

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
        help="The new file: .csv, .tsv, .jsonl (.gz too) or .parquet; .conll (CoNLL columns); any name with --to.",
        show_default=False,
    ),
]
To = Annotated[
    str | None,
    Option(
        "--to", metavar="TOOL", callback=lambda name: _tool(name), show_default=False,
        help="As this tool exports labels: label-studio, label-studio-min, label-studio-predictions, argilla, prodigy, doccano, mturk, "
        "toloka, appen, zooniverse, sagemaker; or conll. Default: a plain table.",
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
Texts = Annotated[
    Path | None,
    Option(
        "--texts", metavar="FILE", show_default=False,
        help="Of tags: a file with the words of the tasks (columns task and tokens or text; .conll), where LABELS has none.",
    ),
]  # fmt: skip


@with_group(Reading)
def convert(
    labels: Labels,
    out: Out,
    reading: Reading,
    to: To = None,
    out_layout: OutLayout = "long",
    texts: Texts = None,
    scheme: Scheme = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Write labels in another format.

    From a table or the export of a labelling tool to another, or in another layout; and say what was lost.
    """
    from ..annotations.respelling import respelled
    from ..io.frames import format_to_write
    from ..io.tools.registry import named_for
    from .losses import lost_borders
    from .output import print_json
    from .targets import refuse_overwriting

    to = to or named_for(out)
    if to is None:
        format_to_write(out)
    elif out_layout != "long":
        raise typer.BadParameter(f"--out-layout {out_layout} goes with a plain table, and not with --to")
    refuse_overwriting([labels, *([texts] if texts else [])], [out])
    work = Work(quiet or json)
    with work.spinner(f"reading {labels}"):
        table = reading.read(labels)
        table, shown = _with_material(table, labels, reading, texts, to)
    with work.spinner(f"writing {out}"):
        told = table if scheme is None else respelled(table, scheme)
        lost = [*lost_borders(table, told), *_write(told, labels, reading, out, to, out_layout, shown)]
    if json:
        print_json({"in": str(labels), "out": str(out), "answers": table.n_answers, "lost": lost})
    elif not quiet:
        _show(table, out, lost)


def _with_material(
    table: Annotations, source: Path, reading: Reading, texts: Path | None, to: str | None
) -> tuple[Annotations, Contents]:
    """What the tasks show, where the new file can hold it; and the labels with the truths beside them."""
    from ..annotations.truth import with_truth
    from ..io import read_sentences

    if to is None and table.kind != "tags":
        return table, {}
    shown, truths = reading.shown(source, table)
    if truths and table.truth is None:
        table = with_truth(table, truths, grow=True)
    return table, shown if texts is None else read_sentences(texts).contents()


def _write(
    table: Annotations,
    source: Path,
    reading: Reading,
    out: Path,
    to: str | None,
    layout: str,
    shown: Contents,
) -> list[str]:
    """Write the file; what was lost, in words."""
    from ..io import write, write_frame
    from .losses import losses, losses_to_tool
    from .wide import wide_frame

    if to is not None:
        write(table, out, format=to, contents=shown)
        return losses_to_tool(table, source, reading, to, bool(shown))
    if layout == "wide":
        write_frame(wide_frame(table), out)
    else:
        write(table, out, layout=layout, contents=shown or None)
    return losses(table, source, reading, out, layout, bool(shown))


def _show(table: Annotations, out: Path, lost: list[str]) -> None:
    typer.echo(f"{out}: {table.n_tasks} tasks, {table.n_annotators} annotators, {table.n_answers} answers")
    for loss in lost:
        typer.echo(f"lost: {loss}")
    if not lost:
        typer.echo("nothing was lost")
