"""`manyhands explain`: why a task has the label it has."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .options import Json

if TYPE_CHECKING:
    from ..results import Result

__all__ = ["explain"]


def explain(
    result: Annotated[
        Path,
        typer.Argument(metavar="RESULT", help="A folder that `aggregate --save` wrote.", show_default=False),
    ],
    task: Annotated[str, typer.Argument(metavar="TASK", help="The task.", show_default=False)],
    position: Annotated[
        int | None,
        typer.Option(
            "--position", help="Which token of tags, or label of a set. Default: the most doubtful."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Say why a task has its label.

    Who said what, and what each vote weighed.
    """
    from ..results import load_result
    from .output import print_json

    opened = load_result(result)
    why = opened.explain(_as_named(opened, task), position)
    if json:
        print_json(why.to_dict())
    else:
        typer.echo(str(why))


def _as_named(result: Result, task: str) -> Any:
    """The task as the table names it: what is typed is text, its names may be integers."""
    if task not in result.labels.tasks and task.lstrip("-").isdigit() and int(task) in result.labels.tasks:
        return int(task)
    return task
