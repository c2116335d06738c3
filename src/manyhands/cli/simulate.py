"""`manyhands simulate`: a crowd with a known truth, in files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Option

from .options import Json, Quiet, Seed
from .progress import Work
from .settings import Settings, parse_settings

__all__ = ["simulate"]

FORMATS = ("csv", "parquet", "jsonl")
BLOCK = 100_000


def _size(name: str, metavar: str, text: str) -> Any:
    return Option(name, metavar=metavar, help=text)


def _format(name: str) -> str:
    if name not in FORMATS:
        raise typer.BadParameter(f"{name!r} must be one of {', '.join(FORMATS)}")
    return name


def simulate(
    out: Annotated[Path, Option("--out", metavar="DIR", help="The folder to write.", show_default=False)],
    crowd: Annotated[
        str, _size("--crowd", "NAME", "confusion, groups, common, spammers ...; a wrong name lists them all.")
    ] = "confusion",
    tasks: Annotated[int, _size("--tasks", "N", "How many tasks.")] = 1000,
    annotators: Annotated[int, _size("--annotators", "R", "How many annotators.")] = 50,
    classes: Annotated[int, _size("--classes", "K", "How many classes.")] = 3,
    redundancy: Annotated[
        str, _size("--redundancy", "D", "Answers a task: a number, a range as 2,5, or a mean as 2.5.")
    ] = "5",
    settings: Settings = None,
    format: Annotated[
        str, Option("--format", metavar="FORMAT", help="csv, parquet or jsonl.", callback=_format)
    ] = "csv",
    seed: Seed = 0,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Write a simulated crowd with a known truth.

    The folder gets annotations, truth and tasks as tables, features.npz where asked for, and
    confusions.npz with what is usually hidden of the annotators.

    With --set come the crowd's own options (such as --set accuracy=0.6,0.9) and activity,
    abstain_rate, prior, n_features of any crowd.
    """
    from ..simulation import simulate_blocks
    from .crowd_files import CrowdFiles
    from .output import print_json

    given = {
        "n_tasks": tasks, "n_annotators": annotators, "n_classes": classes, "seed": seed,
        "redundancy": _redundancy(redundancy), **parse_settings(settings, _known(crowd), f"crowd {crowd!r}"),
    }  # fmt: skip
    blocks = simulate_blocks(crowd, block=BLOCK, **given)
    with CrowdFiles(out, format) as files, Work(quiet or json).bar("simulating", tasks) as step:
        for block in blocks:
            files.add(block)
            step(files.n_tasks, "")
        written = files.finish({"crowd": crowd, **given})
    if json:
        print_json({"crowd": crowd, "tasks": files.n_tasks, "answers": files.n_answers, "written": written})
    elif not quiet:
        typer.echo(
            f"{crowd}: {files.n_tasks} tasks, {files.n_answers} answers in {out}: {', '.join(written)}"
        )


def _known(crowd: str) -> dict[str, Any]:
    """What --set may name: the crowd's own options and those that all crowds have."""
    from ..simulation import CROWDS

    if crowd not in CROWDS:
        from difflib import get_close_matches

        close = get_close_matches(crowd, CROWDS, n=1)
        hint = f"Did you mean {close[0]!r}? " if close else ""
        lines = "; ".join(f"{name} ({recipe.says})" for name, recipe in CROWDS.items())
        raise typer.BadParameter(
            f"there is no crowd {crowd!r}. {hint}The crowds are: {lines}", param_hint="'--crowd'"
        )
    common = {"activity": "uniform", "abstain_rate": 0.0, "prior": None, "n_features": 0, "names": True}
    return {**CROWDS[crowd].options, **common}


def _redundancy(text: str) -> int | float | tuple[int, int]:
    try:
        if "," in text:
            low, high = (int(part) for part in text.split(","))
            return low, high
        return float(text) if "." in text else int(text)
    except ValueError:
        raise typer.BadParameter(
            f"{text!r} must be a number, a range as 2,5, or a mean as 2.5", param_hint="'--redundancy'"
        ) from None
