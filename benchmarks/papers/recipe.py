"""The named systems with the recipe of our default: what of its gain is recipe, and what is model."""

from __future__ import annotations

from functools import partial
from typing import Any

from manyhands import CrowdClassifier

from .default import PAPERS, Make, cells
from .default import TABLE as DEFAULT
from .table import Share, Table

__all__ = ["TABLE"]

# What CrowdClassifier has by default, apart from its channel and its objective.
RECIPE: dict[str, Any] = {
    name: value
    for name, value in CrowdClassifier().get_params(deep=False).items()
    if name
    in ("network", "batch_size", "learning_rate", "weight_decay", "optimizer", "average", "input_dropout")
}
RATES = {"channel_learning_rate": 1e-2, "epochs": 50}


def _with_recipe(name: str, make: Make) -> Make:
    known = make().get_params(deep=False)
    given = RECIPE | {key: value for key, value in RATES.items() if key in known}
    return partial(make, **given)


SYSTEMS = {name: _with_recipe(name, make) for name, make in PAPERS.items() if name != "SpeeLFC-D"}
TABLE = Table(
    "default-recipe",
    "The papers' systems with the recipe of our default: network, optimiser, input noise by held-out answers, mean of weights",
    cells({"crowd-classifier": CrowdClassifier} | SYSTEMS, 3),
    DEFAULT.shows,
    "none of them is as published: every system has the network `skip`, AdamW with decay .1, batches of max(30, tasks / 30), 50 epochs "
    "(LIA: its rounds), input noise chosen by held-out answers, and the mean of the last five epochs' weights; the channel and the objective are its own.",
    share=Share("accuracy"),
    overall="accuracy",
)
