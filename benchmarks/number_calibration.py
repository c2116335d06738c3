"""Whether the deviation that a regressor predicts is true: how often 95 % intervals hold the truth."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

import manyhands as mh

from .tables import publish

if TYPE_CHECKING:
    from .numbers import Reviews

__all__ = ["calibration"]

NOTES = """
Of test tasks: the share whose truth lies within 1.96 deviations of the prediction; the predicted deviation over the
root mean squared error (1: true). Less the offset: after the mean error, a bias of the whole crowd, is taken off, which
no labels tell. The last column: the training tasks, network and labels together. Mean over seeds, standard error in
brackets; the simulated crowd is another with each seed.
"""
Made = tuple[np.ndarray, Any, np.ndarray, np.ndarray, np.ndarray]


def calibration(data: Reviews, make: Callable[[int, int], Any], seeds: int) -> None:
    """The table: film reviews and simulated crowds, calibrated by held-out tasks and not."""
    rows = []
    for fraction in (0.2, 0.0):
        for name, given in (("movie-reviews", lambda seed: data), ("simulated", _simulated)):
            found = []
            for seed in range(seeds):
                model = make(10, seed).set_params(calibration_fraction=fraction)
                found.append(_figures(model, *given(seed)))
            row: dict[str, Any] = {"crowd": name, "calibration_fraction": fraction}
            for key in found[0]:
                values = np.array([figures[key] for figures in found])
                row[key] = f"{values.mean():.3f} ({values.std(ddof=1) / seeds**0.5:.3f})"
            rows.append(row)
    publish("numbers-calibration", f"Predicted deviations, {seeds} seeds", rows, notes=NOTES)


def _figures(
    model: Any, x: np.ndarray, labels: Any, truth: np.ndarray, new: np.ndarray, true: np.ndarray
) -> Any:
    mean, deviation = model.fit(x, labels).predict(new, return_std=True)
    error = mean - true
    frame = model.result_.consensus()
    held = (frame["low"].to_numpy() < truth) & (truth < frame["high"].to_numpy())
    return {
        "coverage": np.mean(abs(error) < 1.96 * deviation),
        "less the offset": np.mean(abs(error - error.mean()) < 1.96 * deviation),
        "deviation / error": deviation.mean() / np.sqrt(np.mean(error**2)),
        "with labels": held.mean(),
    }


def _simulated(seed: int) -> Made:
    """20 annotators with biases and precisions of their own; features that tell four fifths of the truth."""
    crowd = mh.simulate("numbers", n_tasks=2000, n_annotators=20, redundancy=4, scale=(1.0, 1.0), seed=seed)
    rng = np.random.default_rng(seed)
    x = np.column_stack([crowd.truth + 0.5 * rng.normal(size=2000), rng.normal(size=(2000, 9))]).astype(
        np.float32
    )
    return x[:1000], crowd.labels[:1000], crowd.truth[:1000], x[1000:], crowd.truth[1000:]
