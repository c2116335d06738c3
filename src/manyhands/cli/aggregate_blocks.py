"""`manyhands aggregate --memory`, and under torchrun: a table in blocks, of one process or several."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import FileError, ParameterError
from ..processes import gathered, rank, size
from .options import Reading, listed
from .targets import Targets, refuse_overwriting

if TYPE_CHECKING:
    import polars as pl

    from ..io.blocks import Blocks
    from ..results.block_result import BlockResult

__all__ = ["aggregate_blocks", "refuse_whole_tables_only"]


def aggregate_blocks(
    path: Path,
    reading: Reading,
    targets: Targets,
    method: str | None,
    settings: Sequence[str] | None,
    memory: str,
    sharded: bool,
    seed: int,
    quiet: bool,
    json: bool,
) -> None:
    """Read, fit, and write part files as blocks are done; process 0 alone prints."""
    from ..catalog import METHODS, default_method
    from .fitting import fit, parameters
    from .output import print_json
    from .progress import Work

    if method is not None:
        parameters(METHODS[method], settings)  # a wrong one is told before a long read
    _make_way(path, targets)
    work = Work(quiet or json or rank() > 0)
    with work.bar(f"reading {path}", None) as step:
        blocks = _read(path, reading, memory, sharded, targets.consensus, step)
    chosen = METHODS[method] if method else default_method(blocks.kind)
    result: Any = fit(chosen, blocks, settings, seed, work)  # type: ignore[arg-type]
    with work.bar("writing", blocks.n_blocks) as step:
        written, annotators = _write(result, targets, step)
    data = result.to_dict()
    if rank() > 0:
        return
    if json:
        print_json(_as_data(data, blocks, annotators, written))
    elif not quiet:
        _show(data, blocks, annotators, written)


def refuse_whole_tables_only(reading: Reading, targets: Targets, given: dict[str, Any]) -> None:
    """What a table in blocks is not asked for yet."""
    given = given | {
        "--tasks-out": targets.tasks, "--save": targets.result, "--verdicts": reading.verdicts,
        "--layout": None if reading.layout in (None, "long") else reading.layout, "--separator": reading.separator,
    }  # fmt: skip
    odd = next((name for name, value in given.items() if value is not None), None)
    if odd is not None:
        raise ParameterError(
            f"{odd} goes with a table in memory, not with --memory or torchrun: leave one out"
        )


def _make_way(path: Path, targets: Targets) -> None:
    """The folder of the part files is there, without what a killed run left in it."""
    out = targets.consensus
    refuse_overwriting([path], [p for p in (out, targets.annotators) if p is not None])
    if targets.annotators is not None:
        Targets(annotators=targets.annotators).check([path])
    if out is None:
        return
    if out.exists() and not out.is_dir():
        raise FileError("is a file, but the consensus comes in part files: give --out a folder", out)
    if out.suffix and not out.exists():
        raise FileError(
            f"looks like a file, but the consensus comes in part files: give --out a folder, such as {out.stem}",
            out,
        )
    if rank() == 0:
        out.mkdir(parents=True, exist_ok=True)
        for left in out.glob(".tmp-*"):
            shutil.rmtree(left, ignore_errors=True)
    gathered("there is a way")


def _read(path: Path, reading: Reading, memory: str, sharded: bool, out: Path | None, step: Any) -> Blocks:
    from ..io.blocks import Blocks
    from .crowd_folder import labels_file

    names = ("kind", "columns", "missing", "repeats", "format", "delimiter")
    given = {name: getattr(reading, name) for name in names}
    given |= {"classes": listed(reading.classes), "abstain": listed(reading.abstain)}
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)  # on each host
    return Blocks(
        labels_file(path), memory=memory, sharded=sharded, scratch=out,
        progress=lambda done, total: step(done, "", total), **given,
    )  # fmt: skip


def _write(result: BlockResult, targets: Targets, step: Any) -> tuple[dict[str, str], pl.DataFrame]:
    from ..io import write_frame

    if targets.consensus is None:
        annotators = result.annotators()
        if targets.annotators is not None and rank() == 0:
            write_frame(annotators, targets.annotators)
    else:
        done = result.write(
            targets.consensus, targets.annotators, progress=lambda done, total: step(done, "")
        )
        annotators = done.annotators
    named = {"consensus": targets.consensus, "annotators": targets.annotators}
    return {what: str(place) for what, place in named.items() if place is not None}, annotators


def _show(data: dict[str, Any], blocks: Blocks, annotators: pl.DataFrame, written: dict[str, str]) -> None:
    from .output import line, word
    from .summaries import how_it_ended, show_annotators

    shared = f" in {size()} processes" if size() > 1 else ""
    line(
        f"{data['method']} on {blocks.path}{shared}: {word(data['tasks'])} tasks, {word(data['annotators'])} annotators, "
        f"{word(data['answers'])} answers of kind {blocks.kind}. {how_it_ended(data['iterations'], data['converged'])}"
    )
    show_annotators(annotators, blocks.kind)
    for what, place in written.items():
        line(f"wrote {what}: {place}")


def _as_data(
    data: dict[str, Any], blocks: Blocks, annotators: pl.DataFrame, written: dict[str, str]
) -> dict[str, Any]:
    from .summaries import FEW, ranked

    best = ranked(annotators, blocks.kind)
    return {
        **data,
        "processes": size(),
        "kind": blocks.kind,
        "classes": None if blocks.classes is None else blocks.classes.to_list(),
        "best_annotators": best.head(FEW).to_dicts(),
        "worst_annotators": best.tail(FEW).reverse().to_dicts(),
        "written": written,
    }
