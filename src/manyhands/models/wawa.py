"""Worker agreement with aggregate: majority, weighted by each annotator's agreement with it."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ..annotations import Annotations
from ..channels import votes_of
from ..channels.counting import shares, winners
from ..results import Result, WeightEvidence
from ..results.posterior import Posterior
from .aggregator import Aggregator

__all__ = ["Wawa"]


class Wawa(Aggregator):
    r"""Weighted majority: $w_j$ is the share of j's votes that the plain majority agrees with.

    A tie of the majority counts as agreement by the tied classes' share. One pass, no
    parameters; a step up from the plain majority where some annotators are poor.

    >>> from manyhands import Annotations, Wawa
    >>> labels = Annotations.from_matrix([[0, 0, 1], [1, 1, 0], [0, 0, 0]])
    >>> Wawa().fit(labels).result_.annotators()["weight"].round(2).to_list()
    [1.0, 1.0, 0.33]
    """

    name: ClassVar[str] = "wawa"

    def _learn(self, labels: Annotations, start: Posterior | None) -> Result:
        votes = votes_of(labels)
        majority = winners(shares(votes))
        weight = np.ones(len(votes.unit)) if votes.weight is None else votes.weight
        agreed = np.bincount(votes.annotator, weight * majority[votes.unit, votes.label], votes.n_annotators)
        total = np.bincount(votes.annotator, weight, votes.n_annotators)
        skill = np.divide(agreed, total, out=np.ones(len(total)), where=total > 0)
        evidence = WeightEvidence(skill)
        return Result(self.name, labels, evidence.infer(votes), evidence, self._settings())
