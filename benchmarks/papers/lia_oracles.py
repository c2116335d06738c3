"""LIA, the check of section 4.3: an annotator added who is always right comes out first, one always wrong last."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from manyhands import LIA

from .lia import QUICK, STEPS, crowd, oracles
from .table import Cell, Table

__all__ = ["TABLE"]


def _places(name: str, features: bool, seed: int, quick: bool) -> Mapping[str, float]:
    """From 0, the best by mean p(right) over the tasks, to 1, the worst."""
    given = crowd(name)
    x = given.x if features else None
    labels = oracles(given)
    model = LIA(random_state=seed, **(QUICK if quick else STEPS)).fit(x, labels)
    quality = model.annotator_quality(x).mean(axis=0)
    names = labels.annotators.to_list()
    place = {
        who: float((quality > quality[names.index(who)]).sum() / (len(names) - 1))
        for who in ("(right)", "(wrong)")
    }
    return {
        "place of the right": place["(right)"], "place of the wrong": place["(wrong)"],
        "p(right) of the right": float(quality[names.index("(right)")]),
        "p(right) of the wrong": float(quality[names.index("(wrong)")]),
    }  # fmt: skip


RIGHT = {"place of the right": 0.0, "place of the wrong": 1.0}
TABLE = Table(
    "lia-oracles",
    "LIA, section 4.3: the places among the annotators of two who were added, from 0 (best) to 1 (worst)",
    (
        Cell("rte", "LIA", partial(_places, "rte", True), RIGHT, 3),
        Cell("wordsim", "LIA", partial(_places, "wordsim", True), RIGHT, 3),
        Cell("bluebirds", "LIA-E", partial(_places, "bluebirds", False), RIGHT, 3),
    ),
    ("place of the right", "place of the wrong", "p(right) of the right", "p(right) of the wrong"),
    "annotators stand by their mean p(right) over the tasks; features and steps as in Table 2. The oracles answer every task, and "
    "are in the majority that EM starts from, as they were there.",
)
