"""`manyhands demo`: a crowd with a known truth, several methods, and how right each is."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

from typer import Option

from ..catalog import Method, default_method, methods_for
from .fitting import fit
from .options import Json, Quiet, Seed
from .progress import Work

if TYPE_CHECKING:
    from ..annotations import Annotations
    from ..results import Result
    from .scoring import Known

__all__ = ["demo"]

TASKS, CLASSES = 2000, 4
# name, crowd, how many, answers a task, options: good people with habits of their own, and a few who are not.
GROUPS: tuple[tuple[str, str, int, int, dict[str, Any]], ...] = (
    ("worker", "confusion", 30, 3, {}),
    ("stranger", "spammers", 20, 2, {"uniform": 0.35, "one_answer": 0.3, "adversarial": 0.05}),
)


def demo(
    out: Annotated[Path, Option("--out", metavar="DIR", help="The folder to write.")] = Path("demo"),
    seed: Seed = 0,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Simulate a crowd, find its truth, compare the methods.

    Writes labels, truth, consensus, annotators and comparison as csv and a report as html, and says
    what to try next.
    """
    from .demo_files import write_demo, write_report
    from .output import print_json

    work = Work(quiet or json)
    with work.spinner("simulating a crowd"):
        labels, truth = _crowd(seed)
    rows, best = _compare(labels, _known(truth), seed, work)
    written = write_demo(out, labels, truth, best, rows)
    with work.spinner("writing the report"):
        page, lack = write_report(out, best, rows, seed)
    if json:
        print_json(
            {"methods": rows, "written": [str(path) for path in [*written, *page]], "no_report_because": lack}
        )
    elif not quiet:
        _show(labels, rows, best, out, [path.name for path in written])
        _show_report(page, lack)


def _crowd(seed: int) -> tuple[Annotations, Any]:
    """The labels of all groups on the same tasks, and the truth of each."""
    import numpy as np
    import polars as pl

    from ..annotations import Annotations
    from ..simulation import simulate

    names = ("cat", "dog", "fox", "owl")
    truth = np.random.default_rng(seed).choice(CLASSES, TASKS, p=[0.4, 0.3, 0.2, 0.1])
    frames = []
    for who, crowd, people, redundancy, options in GROUPS:
        part = simulate(crowd, truth=truth, n_classes=CLASSES, n_annotators=people, redundancy=redundancy,
                        seed=seed, **options)  # fmt: skip
        frames.append(part.frame().with_columns(pl.col("annotator").str.replace("a", f"{who}-")))
    labels = pl.concat(frames).with_columns(pl.col("label").replace_strict(range(CLASSES), names))
    tasks = [f"t{i}" for i in range(TASKS)]
    return Annotations.from_frame(labels, classes=names, tasks=tasks), np.array(names)[truth]


def _known(truth: Any) -> Known:
    import numpy as np

    from .scoring import Known

    return Known(
        np.unique(truth, return_inverse=True)[1], len(truth)
    )  # the names are in the order of the classes


def _compare(labels: Annotations, known: Known, seed: int, work: Work) -> tuple[list[dict[str, Any]], Result]:
    """A row a method, best first, and the result of the default one."""
    from .. import models as models  # so that the first method is not charged for loading torch
    from .scoring import scores

    rows: list[dict[str, Any]] = []
    results: dict[str, Result] = {}
    for method in _methods():
        start = perf_counter()
        results[method.name] = fit(method, labels, None, seed, work)
        seconds = perf_counter() - start
        rows.append({"method": method.name, **scores(results[method.name], known), "seconds": seconds})
    rows.sort(key=lambda row: -float(row["accuracy"]))
    return rows, results[default_method("class").name]


def _methods() -> list[Method]:
    return [method for method in methods_for("class") if not method.needs_features]


def _show(
    labels: Annotations, rows: list[dict[str, Any]], best: Result, out: Path, written: list[str]
) -> None:
    from .output import line, table

    line(
        f"A simulated crowd: {labels.n_annotators} people gave {labels.n_answers} answers to {labels.n_tasks} tasks. "
        f"Most of the workers are careful; many of the strangers are not. How well is the truth found?"
    )
    header = ("method", "accuracy", "log_loss", "calibration_error", "seconds")
    table([name.replace("_", " ") for name in header], [[row[name] for name in header] for row in rows])
    line(f"Accuracy: more is better; the others: less. {best.method} is what `aggregate` takes by default.")
    line(f"Wrote to {out}: {', '.join(written)}")
    line("Next:")
    for command in (
        f"manyhands check {out / 'labels.csv'}",
        f"manyhands aggregate {out / 'labels.csv'} --truth {out / 'truth.csv'} --out consensus.csv --save result",
        "manyhands explain result t0",
        "manyhands report result --out report.html",
        "manyhands aggregate YOUR.csv",
    ):
        line(f"    {command}")


def _show_report(page: list[Path], lack: str | None) -> None:
    from .output import line

    if lack is not None:
        line(f"No report was written: {lack}")
    for path in page:
        line(f"The report lies in {path}: open it in a browser, or send it to somebody.", style="bold")
