"""`manyhands train`: a network straight from labels that disagree."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Context, Option

from ..catalog import default_method
from ..catalog import method as named
from ..processes import rank
from .engine import Engine, Workers, handed_over
from .feature_reading import FeatureReading, Features, remember
from .method_names import known_trained
from .options import Gold, Json, Labels, Quiet, Reading, Seed, Truth, with_group
from .progress import Work
from .settings import Settings
from .training import Fitting, check_folder, estimator, fit_shares, suit, watched

if TYPE_CHECKING:
    from .matching import Matched

__all__ = ["train"]

FIGURES = {"tasks": "known truths", "accuracy": "accuracy", "log_loss": "log-loss",
           "f1_macro": "F1, mean of labels", "f1_micro": "F1, all yeses", "mae": "mean absolute error",
           "rmse": "root mean squared error", "r2": "R squared"}  # fmt: skip

Method = Annotated[
    str | None,
    Option("--method", "-m", metavar="NAME", callback=known_trained, show_default=False,
           help="See `manyhands methods`: those that take features; two-stage:glad aggregates by glad first. "
                "Default: crowd-classifier, of numbers crowd-regressor."),
]  # fmt: skip
Out = Annotated[
    Path,
    Option(
        "--out", "-o", metavar="MODEL", help="The folder of the model, for `predict`.", show_default=False
    ),
]
Split = Annotated[
    str | None,
    Option("--train-split", metavar="NAME", show_default=False,
           help="Train on the tasks of this split alone (column split of the features or of tasks.csv)."),
]  # fmt: skip
Drop = Annotated[
    bool, Option("--drop-unmatched", help="Leave out labelled tasks that have no features; else an error.")
]


@with_group(Reading)
@with_group(FeatureReading)
@with_group(Fitting)
def train(
    context: Context,
    labels: Labels,
    features: Features,
    out: Out,
    reading: Reading,
    how: FeatureReading,
    fitting: Fitting,
    method: Method = None,
    settings: Settings = None,
    train_split: Split = None,
    drop_unmatched: Drop = False,
    engine: Engine = None,
    workers: Workers = 2,
    truth: Truth = None,
    gold: Gold = None,
    seed: Seed = 0,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Train a network on features and disagreeing labels.

    Saves it in a folder, says how likely or how right it is; `predict` uses it. Under torchrun, each process
    trains on its share of the tasks.
    """
    from .matching import match
    from .output import print_json
    from .set_scores import known_truths, scores_of
    from .targets import refuse_overwriting

    if handed_over(context, engine, workers, Work(quiet or json)):
        return
    inputs = [labels, features, *([truth] if truth else []), *([Path(gold)] if gold else [])]
    refuse_overwriting(inputs, [out])
    check_folder(out)
    if method is not None:
        estimator(named(method), settings, fitting, seed)  # a wrong setting is told before a long read
    is_first = rank() == 0
    work = Work(quiet or json or not is_first)
    notes: list[str] = []
    with work.spinner(f"reading {labels} and {features}"):
        table, given = reading.read(labels, truth=gold), how.read(features)
        matched = match(table, given, train_split, drop_unmatched, notes.append)
        known = None if truth is None else known_truths(truth, matched, reading.separator)
        chosen = named(method) if method else default_method(table.kind, features=True)
        model = estimator(chosen, settings, fitting, seed)
        X, kept = how.numbers(given, matched.rows)
        suit(model, X, is_text=how.text is not None and how.encoder is None)
    begun = time.perf_counter()
    with watched(model, chosen.name, work, out, fitting):
        fit_shares(model, X, matched)
        seconds = time.perf_counter() - begun
        remember(model, kept)
        model.save(out)
    if not is_first:
        return
    scored = None if known is None else scores_of(model, X, known, matched)
    data = _as_data(chosen.name, model, matched, seconds, scored, notes, out)
    if json:
        print_json(data)
    elif not quiet:
        _show(data, labels)


def _as_data(
    method: str, model: Any, matched: Matched, seconds: float, scored: Any, notes: list[str], out: Path
) -> dict[str, Any]:
    import numpy as np

    labels, history = matched.labels, model.history_
    resumed = [entry["resumed_from"] for entry in history if "resumed_from" in entry]
    return {
        "method": method, "tasks": labels.n_tasks, "labelled_tasks": len(np.unique(labels.task)),
        "annotators": labels.n_annotators, "answers": labels.n_answers,
        "features": list(model.learner_.features.of_task), "classes": model.classes_.tolist() if labels.truth_is_categorical else None,
        "deviation": getattr(model, "spread_", None), "epochs": len(history), "resumed_from": resumed[-1] if resumed else None,
        "loss": history[-1]["loss"], "held_out_log_likelihood": _best_held_out(history),
        "seconds": round(seconds, 3), "scores": scored, "notes": notes, "written": {"model": str(out)},
    }  # fmt: skip


def _best_held_out(history: list[dict[str, Any]]) -> float | None:
    seen = [e["held_out_log_likelihood"] for e in history if "held_out_log_likelihood" in e]
    return max(seen) if seen else None


def _show(data: dict[str, Any], source: Path) -> None:
    from .output import line, table, word

    width = " x ".join(map(str, data["features"]))
    line(
        f"{data['method']} on {source}: {word(data['tasks'])} tasks of {width} features, "
        f"{word(data['annotators'])} annotators, {word(data['answers'])} answers. {data['epochs']} epochs in "
        f"{word(data['seconds'])} s, loss {word(data['loss'])}"
    )
    if data["resumed_from"] is not None:
        line(f"went on from epoch {data['resumed_from']}")
    if data["deviation"] is not None:
        line(f"truths lie about {word(data['deviation'])} from what the network says (a standard deviation)")
    if data["held_out_log_likelihood"] is not None:
        line(f"held-out labels: log-likelihood {word(data['held_out_log_likelihood'])} a label")
    for note in data["notes"]:
        line(note)
    if data["scores"]:
        there = [key for key in FIGURES if all(key in figures for figures in data["scores"].values())]
        rows = [(name, *(figures[key] for key in there)) for name, figures in data["scores"].items()]
        table(("tasks", *(FIGURES[key] for key in there)), rows)
    line(f"wrote model: {data['written']['model']}")
