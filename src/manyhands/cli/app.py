"""The verbs under one name. Nothing heavy is imported before a verb runs."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from ..processes import joined
from .aggregate import aggregate
from .assign import assign
from .check import check
from .compare import compare
from .convert import convert
from .demo import demo
from .explain import explain
from .failures import guarded
from .label_studio import label_studio
from .methods import methods
from .predict import predict
from .report import report
from .simulate import simulate
from .train import train

__all__ = ["app"]

EPILOG = (
    "Exit codes: 0 done, 1 bad input or file, 2 wrong usage, 3 remarks (check --strict), 130 interrupted. "
    "MANYHANDS_DEBUG=1 shows where an error comes from."
)


class Verbs(TyperGroup):
    """All verbs fail in one way: one line, no traceback, an exit code that means something."""

    def invoke(self, ctx: Any) -> Any:
        """Run the verb that was asked for."""
        with guarded(), joined():
            return super().invoke(ctx)


app = typer.Typer(
    name="manyhands",
    cls=Verbs,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # panels take as long to load as all the rest of --help
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=EPILOG,
)


def _version(wanted: bool) -> None:
    if wanted:
        from .. import __version__

        typer.echo(f"manyhands {__version__}")
        raise typer.Exit


@app.callback()
def manyhands(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Learn from people who disagree: what is true, and whom to trust, from a table of their labels.

    Begin with `manyhands demo`, or with `manyhands check LABELS` and `manyhands aggregate LABELS`.
    """


VERBS = (demo, check, aggregate, compare, train, predict, explain, report, assign, methods, simulate, convert)
for verb in VERBS:
    app.command()(verb)
app.add_typer(label_studio, name="label-studio")
