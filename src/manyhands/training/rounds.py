"""Expected counts of a round's targets: what closed-form M-steps need."""

from __future__ import annotations

from torch import Tensor

from .vote_data import VoteData

__all__ = ["closed_form_counts"]


def closed_form_counts(targets: Tensor, data: VoteData) -> Tensor:
    """[annotators, labels, classes] in float64, from a posterior a vote [votes, classes]."""
    votes = data.votes
    if data.weight is not None:
        targets = targets * data.weight[:, None]
    cells = data.annotator * votes.n_labels + data.label
    counts = targets.new_zeros(votes.n_annotators * votes.n_labels, votes.n_classes).double()
    counts.index_add_(0, cells, targets.double())
    return counts.view(votes.n_annotators, votes.n_labels, votes.n_classes)
