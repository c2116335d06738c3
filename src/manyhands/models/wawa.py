"""Worker agreement with aggregate: majority, weighted by each annotator's agreement with it."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np
import torch

from ..annotations import Annotations
from ..channels import Votes, votes_of
from ..channels.counting import shares, winners
from ..results import WeightEvidence
from .counted import Counted

__all__ = ["Wawa"]


class Wawa(Counted):
    r"""Weighted majority: $w_j$ is the share of j's votes that the plain majority agrees with.

    A tie of the majority counts as agreement by the tied classes' share. One pass, no
    parameters; a step up from the plain majority where some annotators are poor.

    >>> from manyhands import Annotations, Wawa
    >>> labels = Annotations.from_matrix([[0, 0, 1], [1, 1, 0], [0, 0, 0]])
    >>> Wawa().fit(labels).result_.annotators()["weight"].round(2).to_list()
    [1.0, 1.0, 0.33]
    """

    name: ClassVar[str] = "wawa"

    def _sums(self, labels: Annotations) -> Agreements:
        return agreements(votes_of(labels))

    def _evidence(self, sums: Agreements) -> WeightEvidence:
        agreed, given = (part.numpy() for part in sums)
        return WeightEvidence(np.divide(agreed, given, out=np.ones(len(given)), where=given > 0))

    def _votes(self, labels: Annotations) -> Votes:
        return votes_of(labels)


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
    return Agreements(torch.from_numpy(agreed).double(), torch.from_numpy(given).double())
