"""Ratings of film reviews from their words: every system for numbers on one network, many seeds.

    python -m benchmarks.numbers [--seeds 20] [--systems joint,...] [--parts reviews,calibration,consensus]

Errors on the scale of 1 to 10, R squared, on 3506 test reviews. How many epochs each system trains is chosen
by annotations of training reviews that were held out, two splits, never by truth.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import polars as pl

import manyhands as mh
from manyhands.channels import Gaussian, Student
from manyhands.io import read_features
from manyhands.metrics import regression
from manyhands.networks import MLP

from . import numeric_crowds
from .number_calibration import calibration
from .real_crowds import NEEDED, data_folder, table_of, truth_of
from .tables import RESULTS, publish

__all__ = ["Reviews", "main", "reviews"]

EPOCHS = (5, 10, 20, 40)
SPLITS = (1000, 1001)
OFTEN = 20  # annotations, for a bias that is more than luck
NETWORK = MLP((32,), standardize=False)
PLAIN = {"optimizer": "adam", "weight_decay": 0.0, "input_dropout": 0.0, "average": 0, "batch_size": 64}

Make = Callable[[int, int], Any]
NOTES = f"""
The network of all: one layer of 32 ReLU, dropout .5, on 200 latent semantic features (the paper has a convolutional
network on GloVe), Adam at 1e-3 in batches of 64. Epochs: of {EPOCHS}, by the squared error of held-out
annotations about what the system says their annotators would say. r of biases: with the mean of label - truth over
each annotator's training reviews, of all annotators and of those with {OFTEN} or more. Mean and standard error over
seeds. `truth` is trained on the true ratings.
"""


class Reviews(NamedTuple):
    """Features of the training reviews with their labels and truth, and of the test reviews with truth."""

    x: np.ndarray
    labels: mh.Annotations
    truth: np.ndarray
    test_x: np.ndarray
    test_truth: np.ndarray


def reviews() -> Reviews:
    """From the folder; ratings times ten, features by one factor to a deviation of about one."""
    folder = table_of("movie-reviews").parent
    given = read_features(folder / "features.npz")
    x = np.asarray(given.X, dtype=np.float32)
    ids, train = [str(i) for i in given.ids], np.array([split == "train" for split in given.splits])
    votes = pl.read_csv(table_of("movie-reviews"), infer_schema=False)
    table = votes.select("task", "annotator", pl.col("label").cast(pl.Float64) * 10)
    labels = mh.Annotations.from_frame(table, kind="number", repeats="first")
    known = truth_of("movie-reviews")
    rating = dict(zip(known["task"], known["label"].cast(pl.Float64) * 10, strict=True))
    truth = np.array([rating[i] for i in ids])
    x /= x[train].std()
    named = [i for i, is_train in zip(ids, train, strict=True) if is_train]
    return Reviews(x[train], labels.align(named), truth[train], x[~train], truth[~train])


def _regressor(**options: Any) -> Make:
    given = PLAIN | {"channel_learning_rate": 1e-2, "calibration_fraction": 0.0} | options
    return lambda epochs, seed: mh.CrowdRegressor(NETWORK, epochs=epochs, random_state=seed, **given)


def _named(name: str, **options: Any) -> Make:
    given = {"network": NETWORK, "calibration_fraction": 0.0} | options
    return lambda epochs, seed: mh.method(name).make(epochs=epochs, random_state=seed, **given)


LAYER = "crowd-layer-regressor"
SYSTEMS: dict[str, Make] = {
    "mean": _named("two-stage-regressor"),
    "median": _named("two-stage-regressor", aggregator="median"),
    "precision-weighted": _named("two-stage-regressor", aggregator="precision-weighted"),
    **{f"crowd layer {v}": _named(LAYER, variant=v, channel_learning_rate=1e-2) for v in ("S", "B", "S+B")},
    **{
        f"crowd layer {v}, raw": _named(LAYER, variant=v, centred=False, channel_learning_rate=1e-2)
        for v in ("S", "B", "S+B")
    },
    "doctor-net": _named("doctor-net-regressor"),
    "weighted doctor-net": _named("weighted-doctor-net-regressor"),
    "deep-em": _named("deep-em-regressor"),
    "deep-em, published": _regressor(channel=Gaussian(bias=False, strength=0.0), objective="marginal"),
    "em, bias": _regressor(objective="em"),
    "marginal, bias": _regressor(objective="marginal"),
    "joint, bias": _regressor(),
    "joint, scale": _regressor(channel=Gaussian(scale=True, bias=False)),
    "joint, scale and bias": _regressor(channel=Gaussian(scale=True)),
    "joint, Student": _regressor(channel=Student()),
    "truth": _named("two-stage-regressor"),
}


def held_out_error(make: Make, data: Reviews, labels: Any, epochs: int, seed: int) -> float:
    """The mean squared error of the annotations of a fifth of the reviews, the system trained on the rest."""
    held = np.random.default_rng(seed).random(len(data.x)) < 0.2
    model = make(epochs, seed).fit(data.x, labels.where(~held[labels.task]))
    hidden, evidence = labels.where(held[labels.task]), model.result_.evidence
    said = model.predict(data.x)[hidden.task]
    own = evidence.gain[hidden.annotator] * said + evidence.bias[hidden.annotator]
    return float(np.mean((hidden.answers.values - own) ** 2))


def run_reviews(names: list[str], seeds: int) -> None:
    """The table of all systems."""
    data = reviews()
    gold = mh.Annotations.from_y(data.truth, kind="number")
    rows = _measured()
    for name in names:
        make, labels = SYSTEMS[name], gold if name == "truth" else data.labels
        errors = {e: np.mean([held_out_error(make, data, labels, e, s) for s in SPLITS]) for e in EPOCHS}
        epochs = min(errors, key=errors.__getitem__)
        found = [_scores(make(epochs, seed).fit(data.x, labels), data, name) for seed in range(seeds)]
        row: dict[str, Any] = {"system": name, "epochs": epochs}
        for key in found[0]:
            values = np.array([scores[key] for scores in found])
            row |= {key: float(values.mean()), f"{key} s.e.": float(values.std(ddof=1) / seeds**0.5)}
        rows[name] = row
        ordered = [rows[system] for system in SYSTEMS if system in rows]
        publish("numbers-reviews", f"Film reviews, {seeds} seeds", ordered, notes=NOTES)


def _measured() -> dict[str, dict[str, Any]]:
    """The rows of an earlier run: systems that are not asked for keep theirs."""
    file = RESULTS / "numbers-reviews.csv"
    if not file.exists():
        return {}
    found = pl.read_csv(file).to_dicts()
    return {row["system"]: {k: np.nan if v is None else v for k, v in row.items()} for row in found}


def _scores(model: Any, data: Reviews, name: str) -> dict[str, float]:
    close = regression(model.predict(data.test_x), data.test_truth)
    scores = {"MAE": close.mae, "RMSE": close.rmse, "R2": close.r2}
    if name == "truth":
        return scores | {"r of biases": np.nan, f"r of biases, {OFTEN}+": np.nan}
    learnt, labels = model.result_.evidence.bias, data.labels
    n = np.maximum(np.bincount(labels.annotator, minlength=len(learnt)), 1)
    apart = labels.answers.values - data.truth[labels.task]
    true, often = np.bincount(labels.annotator, apart, len(learnt)) / n, n >= OFTEN
    with np.errstate(invalid="ignore"):  # who has no bias has no correlation
        both = [np.corrcoef(learnt[who], true[who])[0, 1] for who in (n > 0, often)]
    return scores | {"r of biases": float(both[0]), f"r of biases, {OFTEN}+": float(both[1])}


def main() -> None:
    """Print and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--systems", default=";".join(SYSTEMS), help="names, separated by ;")
    parser.add_argument("--parts", default="reviews,calibration,consensus")
    options = parser.parse_args()
    if data_folder() is None:
        raise SystemExit(NEEDED)
    parts = options.parts.split(",")
    if "consensus" in parts:
        numeric_crowds.run()
    if "calibration" in parts:
        calibration(reviews(), SYSTEMS["joint, bias"], options.seeds)
    if "reviews" in parts:
        run_reviews(options.systems.split(";"), options.seeds)


if __name__ == "__main__":
    main()
