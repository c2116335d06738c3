"""Ours against the five papers' systems, each with its own defaults, on every crowd with features and a truth."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from manyhands import CMM, LIA, CoNAL, CrowdClassifier, CrowdLayer, DeepEM, SpeeLFC, SpeeLFCD, TwoStage
from manyhands.networks import Several

from .feature_crowds import CROWDS, SEEN, feature_crowd
from .table import Cell, Share, Table

__all__ = ["PAPERS", "TABLE", "cells"]

Make = Callable[..., Any]

PAPERS: dict[str, Make] = {
    "crowd layer": CrowdLayer, "CMM": CMM, "CoNAL": CoNAL, "SpeeLFC": SpeeLFC, "SpeeLFC-D": SpeeLFCD, "DL-EM": DeepEM,
    "LIA": LIA,
}  # fmt: skip
OURS: dict[str, Make] = {
    "crowd-classifier": CrowdClassifier,
    "crowd-classifier (EM)": partial(CrowdClassifier, objective="em", majority_epochs=3, average=10),
    "crowd-classifier (five networks)": partial(CrowdClassifier, Several("skip", 5)),
    "crowd-classifier (noise by the rule)": partial(CrowdClassifier, input_dropout="auto"),
}
SEEDS = 5
LAST = {"crowd-classifier (five networks)": 3, "crowd-classifier (EM)": 3, "LIA": 1}  # and seeds of them
TRUE = partial(TwoStage, weight_decay=0.0)  # the papers' network, plainly trained


def _run(make: Make, data: str, seed: int, quick: bool) -> Mapping[str, float]:
    crowd = feature_crowd(data)
    model = make(random_state=seed)
    if quick:
        _shorten(model)
    model.fit(crowd.x, crowd.labels)
    chosen = getattr(model, "input_dropout_", None)
    figures = crowd.figures(model.predict_proba(crowd.asked), model.result_.chances)
    return figures if chosen is None else figures | {"noise": float(chosen)}


def _shorten(model: Any) -> None:
    known = model.get_params(deep=False)
    short = {"epochs": 1, "rounds": 1, "steps": 2, "fine_tuning": 2, "input_dropout": 0.1}
    model.set_params(**{name: value for name, value in short.items() if name in known})


def _truth(data: str, seed: int, quick: bool) -> Mapping[str, float]:
    """The papers' network trained on the truth; where the annotated tasks are scored, the truth itself."""
    crowd = feature_crowd(data)
    if not crowd.has_test:
        return {"accuracy": 1.0}
    told = crowd.truth >= 0
    model = TRUE(random_state=seed, epochs=1 if quick else 50).fit(crowd.x[told], crowd.names()[told])
    chances = np.asarray(model.predict_proba(crowd.test_x))
    return {"accuracy": crowd.figures(chances, np.eye(chances.shape[1])[crowd.truth])["accuracy"]}


def _majority(data: str, seed: int, quick: bool) -> Mapping[str, float]:
    """The same network on the majority; where the annotated tasks are scored, the majority itself."""
    crowd = feature_crowd(data)
    model = TRUE(random_state=seed, epochs=1 if quick else 50).fit(crowd.x, crowd.labels)
    return crowd.figures(model.predict_proba(crowd.asked), model.aggregator_.result_.chances)


def cells(systems: Mapping[str, Make], seeds: int = SEEDS) -> tuple[Cell, ...]:
    """Each of these on every crowd, the two ends of the share first, what is dear last."""
    found = []
    for data in CROWDS:
        ends = {"truth": partial(_truth, data), "majority": partial(_majority, data)}
        found += [Cell(data, name, run, {}, seeds) for name, run in ends.items()]
        found += [
            Cell(data, name, partial(_run, make, data), {}, seeds)
            for name, make in systems.items()
            if name not in LAST
        ]
    later = [name for name in LAST if name in systems]
    found += [
        Cell(data, name, partial(_run, systems[name], data), {}, LAST[name])
        for name in later
        for data in CROWDS
    ]
    return tuple(found)


TABLE = Table(
    "default",
    "Ours and the papers' systems, untuned, on every crowd with features and a truth",
    cells(OURS | PAPERS),
    ("accuracy", "x alone", "x and labels", "noise"),
    "every system has its own defaults: those of its paper, where it states them, and one layer of 128 with dropout .5 for all but "
    "LIA. Accuracy is on the test tasks, from x, where there is a test split (labelme: valid and test; music-genre, sentiment-polarity), "
    "else on the annotated tasks, from x and labels together (the crowd layer has no such posterior: x alone). `noise` is the "
    "share of features left out that held-out answers chose. LSA: 200 latent directions of TF-IDF. Trials of the default have seen "
    f"{', '.join(SEEN)}; the others nobody tuned on. Truth, where annotated tasks are scored, is 1, and the majority is without a network. "
    "LIA has one seed.",
    share=Share("accuracy"),
    overall="accuracy",
)
