"""`manyhands aggregate`: from labels to one answer a task."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Option

from ..catalog import METHODS, default_method
from .options import Json, Labels, Quiet, Reading, Seed, with_group
from .progress import Work
from .settings import Settings

__all__ = ["aggregate"]


def _known_method(name: str | None) -> str | None:
    if name is not None and name not in METHODS:
        from difflib import get_close_matches

        close = get_close_matches(name, METHODS, n=1)
        hint = f"Did you mean {close[0]!r}? " if close else ""
        raise typer.BadParameter(f"there is no method {name!r}. {hint}The methods are {', '.join(METHODS)}.")
    return name


def _file(name: str, text: str) -> Any:
    return Option(name, metavar="FILE", help=text, show_default=False)


@with_group(Reading)
def aggregate(
    labels: Labels,
    reading: Reading,
    method: Annotated[
        str | None,
        Option(
            "--method",
            "-m",
            metavar="NAME",
            callback=_known_method,
            show_default=False,
            help="See `manyhands methods`. Default: the one that holds up best for the kind of label.",
        ),
    ] = None,
    out: Annotated[Path | None, _file("--out", "Write the consensus: task, label, confidence, n.")] = None,
    annotators: Annotated[Path | None, _file("--annotators", "Write how good each annotator is.")] = None,
    tasks_out: Annotated[Path | None, _file("--tasks-out", "Write how disputed each task is.")] = None,
    save: Annotated[
        Path | None,
        Option(
            "--save",
            metavar="FOLDER",
            show_default=False,
            help="Save the whole result, for `manyhands explain` and manyhands.load.",
        ),
    ] = None,
    truth: Annotated[
        Path | None, _file("--truth", "Known truths (task, label) to score against; never used in the fit.")
    ] = None,
    gold: Annotated[
        str | None,
        Option(
            "--gold",
            metavar="FILE|COLUMN",
            show_default=False,
            help="Known truths to learn from: a file (task, label), or a column of LABELS.",
        ),
    ] = None,
    settings: Settings = None,
    seed: Seed = 0,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Find the most likely answer of each task, and how far each annotator can be trusted."""
    from .fitting import fit, parameters
    from .output import print_json
    from .scoring import read_known, scores
    from .summaries import as_data, show
    from .targets import Targets

    targets = Targets(out, annotators, tasks_out, save)
    targets.check(inputs=[labels, *([truth] if truth else []), *([Path(gold)] if gold else [])])
    if method is not None:
        parameters(METHODS[method], settings)  # a wrong one is told before a long read
    work = Work(quiet or json)
    with work.spinner(f"reading {labels}"):
        table = reading.read(labels, truth=gold)
        known = None if truth is None else read_known(truth, table, reading.separator)
    result = fit(METHODS[method] if method else default_method(table.kind), table, settings, seed, work)
    scored = None if known is None else scores(result, known)
    with work.spinner("writing"):
        written = targets.write(result)
    if json:
        print_json(as_data(result, scored, written))
    elif not quiet:
        show(result, scored, written, labels)
