"""Majority vote with a threshold of its own for each label, chosen by held-out votes."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ..annotations import Annotations
from ..channels import Votes, votes_of
from ..errors import ParameterError
from ..metrics import vote_threshold
from ..results import Result
from ..results.posterior import Posterior
from ..results.threshold_evidence import ThresholdEvidence
from ..training.kinds import units_of
from .aggregator import Aggregator

__all__ = ["ThresholdVote"]


class ThresholdVote(Aggregator):
    r"""Yes where the share of yes votes is above t; $\hat z_i = [\bar l_i > t]$.

    For sets of labels and for two classes, of which the second is yes: annotators overlook a label
    more often than they invent one, so a third of the votes may be enough.

    threshold: "held-out", a number, or a number a label in class order. "held-out" holds out every
        vote in turn and takes the threshold whose two sides say most of it
        (`manyhands.metrics.vote_threshold`): one a label of sets, one for two classes.

    The chances are shares bent so that the threshold comes to a half. With more than two classes there
    is no threshold, and it is the soft majority.

    Attributes: `thresholds_`, one a label; empty where there is none.

    >>> from manyhands import Annotations, ThresholdVote
    >>> answers = {t: {a: {"x"} if a < t else set() for a in range(6)} for t in (0, 2, 3, 0, 1)}
    >>> model = ThresholdVote(threshold=0.4).fit(Annotations.from_dict(answers, kind="set"))
    >>> model.predict().tolist()
    [[], [], ['x'], []]
    """

    name: ClassVar[str] = "majority-threshold"
    kinds: ClassVar[tuple[str, ...]] = ("class", "ordinal", "tags", "set")

    def __init__(self, *, threshold: Any = "held-out"):
        self.threshold = threshold

    def _learn(self, labels: Annotations, start: Posterior | None) -> Result:
        votes = votes_of(labels)
        n = units_of(labels).per_task if votes.n_classes == 2 else 0
        self.thresholds_ = self._given(n) if self.threshold != "held-out" else held_out(votes, n)
        evidence = ThresholdEvidence(self.thresholds_)
        return Result(self.name, labels, evidence.infer(votes), evidence, self._settings())

    def _given(self, n: int) -> np.ndarray:
        try:
            given = np.asarray(self.threshold, dtype=np.float64)
            inside = bool(((given > 0) & (given < 1)).all()) and not isinstance(self.threshold, bool)
        except (TypeError, ValueError):
            inside = False
        if not inside or given.shape not in ((), (n,)):
            raise ParameterError(
                f"threshold={self.threshold!r} of ThresholdVote must be 'held-out', or a number above 0 and below 1, "
                f"or one for each of the {n} labels"
            )
        return np.full(n, given)


def held_out(votes: Votes, n_labels: int) -> np.ndarray:
    """The threshold of every label by its own votes."""
    which = votes.unit % max(n_labels, 1)
    own = [(votes.unit[which == k], votes.label[which == k] == 1) for k in range(n_labels)]
    return np.array([vote_threshold(unit, yes, votes.n_units).threshold for unit, yes in own])
