"""`manyhands assign`: who should label what next, whom to keep, and what more labels would buy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Option

from .assign_options import Bounds, Outputs
from .options import Json, Quiet, Seed, with_group
from .progress import Work

if TYPE_CHECKING:
    import polars as pl

__all__ = ["assign"]

Source = Annotated[
    Path,
    typer.Argument(
        metavar="RESULT|MODEL", show_default=False, help="A folder that `aggregate --save` or `train` wrote."
    ),
]
Budget = Annotated[
    float,
    Option("--budget", "-b", metavar="N", min=0, show_default=False,
           help="What may be spent: with costs of 1, how many questions."),
]  # fmt: skip


@with_group(Outputs)
@with_group(Bounds)
def assign(
    source: Source,
    budget: Budget,
    outputs: Outputs,
    bounds: Bounds,
    seed: Seed = 0,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Say who should label what next, and when to stop.

    The questions that are expected to tell most about the truth, for what they cost.
    """
    from ..assignment import assign as choose
    from ..models import load
    from .asking import read_asking
    from .output import print_json

    _check([source, *bounds.inputs(), *([outputs.gold] if outputs.gold else [])], outputs)
    work = Work(quiet or json)
    with work.spinner(f"opening {source}"):
        given = load(source)
        asking = read_asking(given, source, bounds)
    with work.spinner("choosing"):
        made = choose(given, budget, **asking)
    frames = {"questions": made.frame(), **_more(given, budget, outputs, asking["cost"], seed, work)}
    _write(frames, outputs.paths())
    if json:
        named = {what: str(path) for what, path in outputs.paths().items()}
        print_json({**made.to_dict(), "written": named, **_unwritten(frames, outputs)})
    elif not quiet:
        _tell(made, frames, outputs)


def _check(inputs: list[Path], outputs: Outputs) -> None:
    from ..io.frames import format_to_write
    from .targets import refuse_overwriting

    paths = list(outputs.paths().values())
    for path in paths:
        format_to_write(path)
        if not path.parent.is_dir():
            from ..errors import FileError

            raise FileError(f"there is no folder {str(path.parent)!r} to write into; make it first", path)
    refuse_overwriting(inputs, paths)


def _more(
    given: Any, budget: float, outputs: Outputs, cost: Any, seed: int, work: Work
) -> dict[str, pl.DataFrame]:
    """Annotators and forecast, where they are asked for; the forecast at the mean cost."""
    from ..assignment import annotators, forecast
    from ..assignment.opening import result_of
    from .scoring import read_known

    frames, known = {}, result_of(given).labels.annotators
    if outputs.annotators is not None:
        each = {who: price for who, price in cost.items() if who in known} if isinstance(cost, dict) else cost
        with work.spinner("judging annotators"):
            frames["annotators"] = annotators(given, cost=each, seed=seed)
    if outputs.forecast is not None:
        mean = sum(cost.values()) / max(len(cost), 1) if isinstance(cost, dict) else cost
        steps = sorted({int(budget / mean) * step // 5 for step in range(1, 6)})
        gold = None if outputs.gold is None else read_known(outputs.gold, result_of(given).labels).truth
        with work.spinner("playing the future"):
            frames["forecast"] = forecast(given, steps, cost=mean, seed=seed, gold=gold)
    return frames


def _write(frames: dict[str, pl.DataFrame], paths: dict[str, Path]) -> None:
    """All of them, or none."""
    from contextlib import ExitStack

    from ..io import atomic_write, write_frame

    with ExitStack() as stack:
        for what, path in paths.items():
            write_frame(frames[what], stack.enter_context(atomic_write(path)))


def _unwritten(frames: dict[str, pl.DataFrame], outputs: Outputs) -> dict[str, Any]:
    return {"next": frames["questions"].to_dicts()} if outputs.out is None else {}


def _tell(made: Any, frames: dict[str, pl.DataFrame], outputs: Outputs) -> None:
    from .output import head, line

    if made.done:
        line("every task is settled: there is nothing to ask")
    figures = made.to_dict()
    line(
        f"{len(made)} questions for {figures['cost']:g}, {made.n_open} tasks open, {made.n_closed} settled; "
        + ("the greedy choice among all pairs" if made.exact else
           f"the most doubtful tasks only: nothing left out is worth more than {made.ceiling:.3g}")
    )  # fmt: skip
    head(frames["questions"])
    busiest = frames["questions"]["annotator"].value_counts(sort=True).rows()[:1]
    if busiest and busiest[0][1] > max(2, len(made) // 2):
        line(f"{busiest[0][0]} is asked {busiest[0][1]} of {len(made)}: --capacity N spreads them")
    for what, path in outputs.paths().items():
        if what != "questions":
            head(frames[what], what, rows=10)
        line(f"wrote {what}: {path}")
    if outputs.out is None:
        line("write them with --out next.csv")
