"""Worker agreement with aggregate: majority, weighted by each annotator's agreement with it."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np
import torch

from ..annotations import Annotations
from ..channels import Votes, votes_of
from ..channels.counting import shares, winners
from ..processes import totals
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
    sums: ClassVar[bool] = True

    def _learn(self, labels: Annotations, start: Posterior | None) -> Result:
        votes = votes_of(labels)
        evidence = WeightEvidence(skills(totals(agreements(votes))))
        return Result(self.name, labels, evidence.infer(votes), evidence, self._settings())


class Agreements(NamedTuple):
    """Of each annotator: votes that the majority agrees with, and all."""

    agreed: torch.Tensor
    given: torch.Tensor


def agreements(votes: Votes) -> Agreements:
    """What the weights are made of."""
    majority = winners(shares(votes))
    weight = np.ones(len(votes.unit)) if votes.weight is None else votes.weight
    agreed = np.bincount(votes.annotator, weight * majority[votes.unit, votes.label], votes.n_annotators)
    given = np.bincount(votes.annotator, weight, votes.n_annotators)
    return Agreements(torch.from_numpy(agreed), torch.from_numpy(given))


def skills(sums: Agreements) -> np.ndarray:
    """The share agreed with; of who said nothing, one."""
    agreed, given = (part.numpy() for part in sums)
    return np.divide(agreed, given, out=np.ones(len(given)), where=given > 0)
