"""`--engine ray`: the same verb, in several processes that Ray begins."""

from __future__ import annotations

import io
import os
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import BadParameter, Option

from ..processes import size

if TYPE_CHECKING:
    from .progress import Work

__all__ = ["Engine", "Workers", "handed_over"]

Engine = Annotated[
    str | None,
    Option(
        "--engine", metavar="ray", show_default=False,
        help="Begin several processes on a Ray cluster (RAY_ADDRESS; else on this machine). All must reach the "
        "files. By yourself you begin them with torchrun (docs/scale.md).",
    ),
]  # fmt: skip
Workers = Annotated[int, Option("--workers", metavar="N", min=1, help="With --engine: how many processes.")]


def handed_over(context: typer.Context, engine: str | None, workers: int, work: Work) -> bool:
    """Run the verb that is being run on the engine that was asked for; False where none was."""
    if engine is None:
        return False
    if engine != "ray":
        raise BadParameter(f"{engine!r} must be ray", param_hint="'--engine'")
    if size() > 1:
        raise BadParameter("torchrun has begun the processes already", param_hint="'--engine'")
    from ..distributed import on_ray

    given = {**context.params, "engine": None}
    with work.spinner(f"{context.info_name} in {workers} processes of Ray"):
        said = on_ray(_run, context.info_name, given, os.getcwd(), workers=workers)
    typer.echo(said, nl=False)
    return True


def _run(verb: str, given: dict[str, Any], folder: str) -> str:
    """In a worker: the verb, and what it prints (process 0 alone prints)."""
    from typer.main import get_command

    from .app import app

    os.chdir(folder)
    verbs: Any = get_command(app)
    command = verbs.commands[verb]
    with redirect_stdout(io.StringIO()) as said, command.context_class(command, info_name=verb):
        command.callback(**given)
    return said.getvalue()
