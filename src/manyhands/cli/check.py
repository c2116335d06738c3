"""`manyhands check`: what is in a table of labels, what is odd, and what to do about it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Option

from ..errors import MissingLabelError, RepeatedAnswerError
from .options import Json, Labels, Quiet, Reading, Seed, with_group
from .progress import Work

if TYPE_CHECKING:
    from ..annotations import Annotations
    from ..metrics import Agreement
    from .oddities import Oddity

__all__ = ["check"]

REMARKS = 3


@with_group(Reading)
def check(
    labels: Labels,
    reading: Reading,
    strict: Annotated[bool, Option("--strict", help="Leave with exit code 3 where anything is odd.")] = False,
    seed: Seed = 0,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Say what is in a table of labels, and what is odd.

    With what to do about it, and intervals for how far people agree. Reads what `aggregate` would
    refuse: empty labels and repeated answers are remarks here.
    """
    from ..metrics import agreement
    from .oddities import find_oddities
    from .output import print_json

    work = Work(quiet or json)
    with work.spinner(f"reading {labels}"):
        table, found = _read_anyway(labels, reading)
    with work.spinner("measuring agreement"):
        figures = agreement(table, seed=seed)
    with work.spinner("looking for what is odd"):
        found += find_oddities(table, seed)
    if json:
        data = {"file": str(labels), "summary": table.summary().to_dict(), "agreement": figures.to_dict()}
        print_json(data | {"oddities": [odd.to_dict() for odd in found]})
    elif not quiet:
        _show(labels, table, figures, found)
    if strict and found:
        raise typer.Exit(REMARKS)


def _read_anyway(path: Path, reading: Reading) -> tuple[Annotations, list[Oddity]]:
    """The table also where `aggregate` would refuse it, with a word on its empty labels."""
    found: list[Oddity] = []
    while True:
        try:
            return reading.read(path), found
        except RepeatedAnswerError:  # what is odd about them is found in the table
            if reading.repeats != "error":
                raise
            reading = replace(reading, repeats="all")
        except MissingLabelError as error:
            if reading.missing not in (None, "error"):
                raise
            found = _empty_labels(path, replace(reading, repeats="all"), str(error))
            reading = replace(reading, missing="abstain")


def _empty_labels(path: Path, reading: Reading, example: str) -> list[Oddity]:
    from .oddities.oddity import odd

    kept, left = (replace(reading, missing=way).read(path).n_answers for way in ("abstain", "drop"))
    return odd(
        "empty-labels", "answers with an empty label", kept - left, [example.split(";")[0]],
        "leave them out with --missing drop, or count them as 'cannot say' with --missing abstain",
    )  # fmt: skip


def _show(path: Path, labels: Annotations, figures: Agreement, found: list[Oddity]) -> None:
    from .output import line, table, word

    summary = labels.summary()
    least, mean, most = summary.answers_a_task
    busy_least, busy_mean, busy_most = summary.answers_an_annotator
    line(
        f"{path}: {word(summary.tasks)} tasks, {word(summary.annotators)} annotators, "
        f"{word(summary.answers)} answers of kind {summary.kind}"
    )
    line(f"answers a task: {least} to {most}, {mean:g} on average")
    line(f"answers an annotator: {busy_least} to {busy_most}, {busy_mean:g} on average")
    if summary.abstentions:
        line(f"abstentions: {word(summary.abstentions)}")
    _show_classes(summary.classes)
    rows = [(f.name, f.value, f.low, f.high, f.n, f.note) for f in figures.figures]
    table(("agreement", "value", "low", "high", "n", ""), rows)
    _show_found(found)


def _show_classes(classes: dict[object, int] | None) -> None:
    from .output import table

    if classes:
        total = max(sum(classes.values()), 1)
        rows = sorted(((str(name), n, n / total) for name, n in classes.items()), key=lambda row: -row[1])
        table(
            ("class", "answers", "share"), rows[:20], "" if len(rows) <= 20 else f"20 of {len(rows)} classes"
        )


def _show_found(found: list[Oddity]) -> None:
    from .output import line

    if not found:
        line("nothing odd was found; next: manyhands aggregate")
    for odd in found:
        line(f"{odd.says}: {odd.count}", style="bold")
        more = ", ..." if odd.count > len(odd.examples) else ""
        line(f"    {', '.join(odd.examples)}{more}")
        line(f"    -> {odd.cure}")
