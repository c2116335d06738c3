"""What `compare` prints and writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .output import line, table, word

if TYPE_CHECKING:
    from ..selection import Selection

__all__ = ["show", "written"]

COLUMNS = {
    "name": "method", "heldout_log_likelihood": "hidden answer", "se": "s.e.", "behind": "behind",
    "behind_se": "s.e. of it", "calibration": "calibration", "weight": "share of the stack",
    "differs": "differs from the pick", "accuracy": "accuracy", "log_loss": "log-loss",
    "calibration_error": "calibration error", "rmse": "rmse", "mae": "mae", "pearson": "r",
}  # fmt: skip
TINY = 5e-4  # shows as nothing


def written(chosen: Selection, asked: Mapping[str, Path]) -> dict[str, str]:
    """Write what is asked for; names take the place of old files when all is on the disk."""
    from ..io import atomic_write, write_frame
    from .targets import in_cells

    makers: dict[str, Callable[[], Any]] = {
        "comparison": chosen.table, "consensus": chosen.consensus, "disputed": chosen.disputed,
    }  # fmt: skip
    with ExitStack() as stack:
        for what, path in asked.items():
            frame = in_cells(makers[what](), chosen.labels.kind, path)
            write_frame(frame, stack.enter_context(atomic_write(path)))
    return {what: str(path) for what, path in asked.items()}


def show(chosen: Selection, notes: list[str], files: Mapping[str, str], source: Path) -> None:
    """The table of methods, the pick, and whether to trust it."""
    rows = [row.to_dict() for row in chosen.methods]
    there = [name for name in COLUMNS if name in rows[0]]
    what = "features alone" if chosen.by == "features" else "the other answers"
    line(
        f"{source}: {word(chosen.votes)} answers, each hidden once ({chosen.folds[0]} folds) and predicted from {what}. "
        f"Hidden answer: ln of its chance, higher is better."
    )
    table(
        [COLUMNS[name] for name in there],
        [[_short(name, row[name], chosen.pick) for name in there] for row in rows],
    )
    line(f"Take {chosen.why}", style="bold" if chosen.trust else "")
    if chosen.stack_truth:
        said = ", ".join(
            f"{name.replace('_', ' ')} {word(value)}" for name, value in chosen.stack_truth.items()
        )
        line(f"The stack of all methods, against the known truth: {said}.")
    for note in [*notes, *chosen.notes]:
        line(note)
    for what, path in files.items():
        line(f"wrote {what}: {path}")


def _short(name: str, value: Any, pick: str) -> Any:
    if name == "name":
        return f"{value} (pick)" if value == pick else value
    return 0.0 if isinstance(value, float) and abs(value) < TINY else value
