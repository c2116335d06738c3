"""What `manyhands assign` writes, and the limits that it keeps."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from typer import Option

__all__ = ["Bounds", "Outputs"]


def _file(name: str, text: str) -> Any:
    return Option(name, metavar="FILE", show_default=False, help=text)


@dataclass(frozen=True)
class Outputs:
    """What is written."""

    out: Annotated[
        Path | None,
        Option("--out", "-o", metavar="FILE", show_default=False, help="Write task, annotator, gain, cost."),
    ] = None
    annotators: Annotated[
        Path | None, _file("--annotators", "Write what each annotator's answers tell: keep, train, drop.")
    ] = None
    forecast: Annotated[
        Path | None, _file("--forecast", "Write accuracy against spend up to the budget, with a band.")
    ] = None

    gold: Annotated[
        Path | None,
        _file(
            "--gold", "For --forecast: truths (task, label) that the fit has not seen; its band is narrower."
        ),
    ] = None

    def paths(self) -> dict[str, Path]:
        """Those that are asked for."""
        given = {"questions": self.out, "annotators": self.annotators, "forecast": self.forecast}
        return {what: path for what, path in given.items() if path is not None}


@dataclass(frozen=True)
class Bounds:
    """Who may be asked what, and when it is enough."""

    features: Annotated[
        Path | None,
        _file("--features", "Of a MODEL: features of the tasks, which are then those in question."),
    ] = None
    tasks: Annotated[
        Path | None, _file("--tasks", "The tasks in question, a column task; new ones too. Default: all.")
    ] = None
    people: Annotated[
        Path | None,
        _file(
            "--people", "Who may be asked, a column annotator; columns cost and capacity where they differ."
        ),
    ] = None
    skills: Annotated[
        Path | None, _file("--skills", "Pairs task, annotator: those named can do these tasks alone.")
    ] = None
    cost: Annotated[float, Option("--cost", metavar="N", help="Of one answer, where PEOPLE do not say.")] = (
        1.0
    )
    capacity: Annotated[
        int | None,
        Option(
            "--capacity", metavar="N", min=0, show_default=False, help="Questions to one annotator at most."
        ),
    ] = None
    per_task: Annotated[
        int, Option("--per-task", metavar="N", min=1, help="New answers to one task at most.")
    ] = 1
    most: Annotated[
        int | None,
        Option(
            "--most", metavar="N", min=1, show_default=False, help="Answers to one task in all, old ones too."
        ),
    ] = None
    confidence: Annotated[
        float | None,
        Option(
            "--confidence", metavar="P", show_default=False, help="A task this sure is settled, as in 0.95."
        ),
    ] = None
    sd: Annotated[
        float | None, Option("--sd", metavar="X", show_default=False, help="The same for numbers.")
    ] = None
    exact: Annotated[bool, Option("--exact", help="Look at every pair, whatever it takes.")] = False

    def inputs(self) -> list[Path]:
        """The files that are read."""
        return [path for path in (self.features, self.tasks, self.people, self.skills) if path is not None]
