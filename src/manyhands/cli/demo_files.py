"""The files of the demo."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import FileError, UnsupportedError

if TYPE_CHECKING:
    from ..annotations import Annotations
    from ..results import Result

__all__ = ["write_demo", "write_report"]


def write_demo(
    folder: Path, labels: Annotations, truth: Any, result: Result, rows: Sequence[dict[str, Any]]
) -> list[Path]:
    """Labels, truth, the comparison, and what one method makes of it."""
    import polars as pl

    from ..io import atomic_write, write_frame

    frames = {
        "labels": labels.to_frame(),
        "truth": pl.DataFrame([labels.tasks.to_series("task"), pl.Series("label", truth)]),
        "consensus": result.consensus(),
        "annotators": result.annotators(),
        "comparison": pl.DataFrame(rows),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"cannot be made a folder: {error.strerror or error}", folder) from None
    with ExitStack() as stack:
        for name, frame in frames.items():
            write_frame(frame, stack.enter_context(atomic_write(folder / f"{name}.csv")))
    return [folder / f"{name}.csv" for name in frames]


def write_report(
    folder: Path, result: Result, rows: Sequence[dict[str, Any]], seed: int
) -> tuple[list[Path], str | None]:
    """The page, with the comparison in it; or why there is none, where its packages are not installed."""
    from ..reports import check_packages, report

    try:
        check_packages()
    except UnsupportedError as error:
        return [], str(error)
    page = folder / "report.html"
    compared = {"judged by": "the truth, which is known as the crowd is simulated", "methods": list(rows)}
    title = "A simulated crowd of careful workers and strangers"
    report(result, page, title=title, comparison=compared, seed=seed)
    return [page], None
