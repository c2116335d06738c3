"""Numbers from people: consensus of real crowds, and whether the deviations that a regressor predicts are true.

    python -m benchmarks.numbers [--seeds 20] [--parts calibration,consensus]

Regressors trained on the ratings of film reviews are `python -m benchmarks.papers --only crowd-layer-2`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import polars as pl

import manyhands as mh
from manyhands.io import read_features
from manyhands.networks import MLP

from . import numeric_crowds
from .number_calibration import calibration
from .real_crowds import NEEDED, data_folder, table_of, truth_of

__all__ = ["NETWORK", "Make", "Reviews", "main", "regressor", "reviews"]

NETWORK = MLP((32,), standardize=False)
PLAIN = {"optimizer": "adam", "weight_decay": 0.0, "input_dropout": 0.0, "average": 0, "batch_size": 64}

Make = Callable[[int, int], Any]  # epochs, seed


class Reviews(NamedTuple):
    """Features of the training reviews with their labels and truth, and of the test reviews with truth."""

    x: np.ndarray
    labels: mh.Annotations
    truth: np.ndarray
    test_x: np.ndarray
    test_truth: np.ndarray


@cache
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


def regressor(**options: Any) -> Make:
    """Our own, with the training that all systems have."""
    given = PLAIN | {"channel_learning_rate": 1e-2, "calibration_fraction": 0.0} | options
    return lambda epochs, seed: mh.CrowdRegressor(NETWORK, epochs=epochs, random_state=seed, **given)


def main() -> None:
    """Print and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--parts", default="calibration,consensus")
    options = parser.parse_args()
    if data_folder() is None:
        raise SystemExit(NEEDED)
    parts = options.parts.split(",")
    if "consensus" in parts:
        numeric_crowds.run()
    if "calibration" in parts:
        calibration(reviews(), regressor(), options.seeds)


if __name__ == "__main__":
    main()
