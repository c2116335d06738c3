"""Crowd Layer, Table 2 and Figure 4: ratings of film reviews from their words."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial
from typing import Any

import numpy as np

import manyhands as mh
from manyhands.channels import Gaussian, Student
from manyhands.metrics import regression

from ..numbers import NETWORK, Make, Reviews, regressor, reviews
from .figures import keep
from .table import Cell, Share, Table

__all__ = ["TABLE"]

EPOCHS = (5, 10, 20, 40)
SPLITS = (1000, 1001)
OFTEN = 20  # annotations, for a bias that is more than luck
QUICK = 300  # reviews, and two epochs
LAYER = "crowd-layer-regressor"
DRAWN = "crowd layer B"

Paper = tuple[float, float, float]


def _named(name: str, **options: Any) -> Make:
    given = {"network": NETWORK, "calibration_fraction": 0.0} | options
    return lambda epochs, seed: mh.method(name).make(epochs=epochs, random_state=seed, **given)


def _layer(variant: str, centred: bool = True) -> Make:
    return _named(LAYER, variant=variant, centred=centred, channel_learning_rate=1e-2)


SYSTEMS: dict[str, tuple[Make, Paper | None]] = {
    "mean": (_named("two-stage-regressor"), (1.215, 1.498, 0.31496)),
    "EM": (_named("deep-em-regressor"), (1.201, 1.482, 0.32974)),
    "doctor-net": (_named("doctor-net-regressor"), (1.270, 1.549, 0.26775)),
    "weighted doctor-net": (_named("weighted-doctor-net-regressor"), (1.261, 1.541, 0.27597)),
    "crowd layer S (raw)": (_layer("S", False), (1.228, 1.508, 0.30560)),
    "crowd layer S+B (raw)": (_layer("S+B", False), (1.163, 1.440, 0.37086)),
    "crowd layer B (raw)": (_layer("B", False), (1.130, 1.411, 0.39276)),
    "truth": (_named("two-stage-regressor"), (1.050, 1.330, 0.45983)),
    "crowd layer S": (_layer("S"), None),
    "crowd layer S+B": (_layer("S+B"), None),
    DRAWN: (_layer("B"), None),
    "median": (_named("two-stage-regressor", aggregator="median"), None),
    "precision-weighted": (_named("two-stage-regressor", aggregator="precision-weighted"), None),
    "EM on the marginal": (
        regressor(channel=Gaussian(bias=False, strength=0.0), objective="marginal"),
        None,
    ),
    "EM with biases": (regressor(objective="em"), None),
    "marginal with biases": (regressor(objective="marginal"), None),
    "joint with biases": (regressor(), None),
    "joint with scales": (regressor(channel=Gaussian(scale=True, bias=False)), None),
    "joint with both": (regressor(channel=Gaussian(scale=True)), None),
    "joint (Student's)": (regressor(channel=Student()), None),
}


def _run(seed: int, quick: bool, *, system: str) -> Mapping[str, float]:
    data = reviews()
    if quick:
        data = data._replace(x=data.x[:QUICK], labels=data.labels[np.arange(QUICK)], truth=data.truth[:QUICK])
    epochs = 2 if quick else _epochs(system)
    model = SYSTEMS[system][0](epochs, seed).fit(data.x, _labels(system, data))
    kept = (system, seed, quick) == (DRAWN, 0, False)
    return {"epochs": epochs} | _scores(model, data, system, kept)


def _labels(system: str, data: Reviews) -> mh.Annotations:
    return mh.Annotations.from_y(data.truth, kind="number") if system == "truth" else data.labels


@cache
def _epochs(system: str) -> int:
    """How long, by held-out annotations."""
    errors = {e: np.mean([_held_out_error(system, e, split) for split in SPLITS]) for e in EPOCHS}
    return min(errors, key=errors.__getitem__)


def _held_out_error(system: str, epochs: int, seed: int) -> float:
    """The mean squared error of the annotations of a fifth of the reviews, the system trained on the rest."""
    data, make = reviews(), SYSTEMS[system][0]
    labels = _labels(system, data)
    held = np.random.default_rng(seed).random(len(data.x)) < 0.2
    model = make(epochs, seed).fit(data.x, labels.where(~held[labels.task]))
    hidden, evidence = labels.where(held[labels.task]), model.result_.evidence
    said = model.predict(data.x)[hidden.task]
    own = evidence.gain[hidden.annotator] * said + evidence.bias[hidden.annotator]
    return float(np.mean((hidden.answers.values - own) ** 2))


def _scores(model: Any, data: Reviews, system: str, kept: bool) -> dict[str, float]:
    close = regression(model.predict(data.test_x), data.test_truth)
    scores = {"MAE": close.mae, "RMSE": close.rmse, "R2": close.r2}
    learnt = model.result_.evidence.bias
    if system == "truth" or not np.ptp(learnt):  # who has no bias has no correlation
        return scores
    real, n = _real_biases(data)
    if kept:
        names = data.labels.annotators
        rows = [
            {"annotator": str(names[j]), "labels": int(n[j]), "real": real[j], "b": learnt[j]}
            for j in np.flatnonzero(n)
        ]
        keep("crowd-layer-figure-4", rows)
    for name, who in (("r of biases", n > 0), (f"r of biases ({OFTEN}+)", n >= OFTEN)):
        scores[name] = float(np.corrcoef(learnt[who], real[who])[0, 1])
    return scores


def _real_biases(data: Reviews) -> tuple[np.ndarray, np.ndarray]:
    """The mean of label - truth of every annotator; and how many labels each has given."""
    labels = data.labels
    n = np.bincount(labels.annotator, minlength=labels.n_annotators)
    apart = np.bincount(
        labels.annotator, labels.answers.values - data.truth[labels.task], labels.n_annotators
    )
    return apart / np.maximum(n, 1), n


def _cell(system: str) -> Cell:
    paper = SYSTEMS[system][1]
    figures = {} if paper is None else dict(zip(("MAE", "RMSE", "R2"), paper, strict=True))
    return Cell("movie-reviews", system, partial(_run, system=system), figures, seeds=20)


TABLE = Table(
    "crowd-layer-2",
    "Crowd Layer, Table 2: ratings of film reviews, of 1 to 10",
    tuple(map(_cell, SYSTEMS)),
    ("MAE", "RMSE", "R2", "r of biases", f"r of biases ({OFTEN}+)", "epochs"),
    "one layer of 32 ReLU, dropout .5, on 200 latent semantic features of the words' counts (the paper: convolutions on GloVe of the "
    "texts; the counts here come without their words, so neither that nor mean word vectors can be made), Adam 1e-3 in batches of 64; "
    f"epochs of {EPOCHS}, by the squared error of held-out annotations about what the system says their annotators would say "
    "(the published code: 100). Raw: the layer as published, which leaves open a constant, and a factor, between network and "
    "annotators; else its biases and scales are centred. r of biases: with the mean of label - truth over each annotator's training "
    f"reviews (Figure 4), of all annotators and of those with {OFTEN} or more.",
    share=Share("R2", low="mean"),
)
