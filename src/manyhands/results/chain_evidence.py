"""What one tag of one annotator says where neighbouring truths hang together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from ..channels.previous import previous_labels
from ..channels.votes import Votes
from .posterior import ClassPosterior

__all__ = ["ChainEvidence"]


@dataclass(frozen=True, eq=False)
class ChainEvidence:
    """log_rows: expected log p(label | truth, label before), [annotators, before, labels, classes].

    before: how often each annotator was in each state, [annotators, before]; of one state where annotators
        have no memory. first, step: logs of the chain's chances. may_end: 0, or little where no sentence ends so.
    log_truth: what the neighbours say of each unit, [units, classes], so that it and the votes make the posterior.
    """

    name: ClassVar[str] = "chain"
    log_rows: np.ndarray
    before: np.ndarray
    first: np.ndarray
    step: np.ndarray
    may_end: np.ndarray
    log_truth: np.ndarray

    def adapt(self, codes: np.ndarray, votes: Votes) -> ChainEvidence:
        """Rows of the table; the unseen answer as the fitted do on average."""
        rows, before = (np.concatenate([part, _mean(part)])[codes] for part in (self.log_rows, self.before))
        known = replace(self, log_rows=rows, before=before)
        return known.given(votes, known.infer(votes).chances)

    def given(self, votes: Votes, chances: np.ndarray) -> ChainEvidence:
        """The same where these chances came out: what the votes themselves do not say, neighbours said."""
        said = np.zeros(chances.shape)
        np.add.at(said, votes.unit, self.plain[votes.annotator, votes.label])
        return replace(self, log_truth=np.log(np.maximum(chances, 1e-30)) - said)

    def infer(self, votes: Votes) -> ClassPosterior:
        """Forward and backward."""
        import torch

        from ..objectives.chain import Layout, forward_backward

        assert votes.starts is not None
        scores, layout = torch.from_numpy(self._scores(votes)), Layout(votes.starts)
        scores[layout.last] += torch.from_numpy(self.may_end).to(scores)
        chain = (torch.from_numpy(part).exp().to(scores) for part in (self.first, self.step))
        posterior, _, _ = forward_backward(scores, layout, *chain)
        return ClassPosterior(posterior.numpy())

    def of_vote(self, unit: int, annotator: int, label: int, n_classes: int) -> np.ndarray:
        """The mean over what may have been said before; the rest is what the neighbours say."""
        return self.plain[annotator, label]

    @cached_property
    def plain(self) -> np.ndarray:
        """Log rows without memory, [annotators, labels, classes]: means by how often each state was met."""
        share = self.before / np.maximum(self.before.sum(axis=1, keepdims=True), 1e-300)
        mean: np.ndarray = np.einsum("jp,jplk->jlk", share, self.log_rows)
        return mean

    def columns(self) -> dict[str, np.ndarray]:
        """None: the confusion matrices are asked for by themselves."""
        return {}

    def confusion(self, annotator: int) -> np.ndarray:
        """T[k, l] = p(label | truth) of one annotator, over all states of mind."""
        chances = np.exp(self.plain[annotator].astype(np.float64)).T
        total: np.ndarray = chances / chances.sum(axis=1, keepdims=True)
        return total

    def _scores(self, votes: Votes) -> np.ndarray:
        state = previous_labels(votes) if self.log_rows.shape[1] > 1 else 0
        said = self.log_rows[votes.annotator, state, votes.label]
        scores = np.zeros((votes.n_units, votes.n_classes), dtype=np.float32)
        np.add.at(scores, votes.unit, said)
        return scores


def _mean(part: np.ndarray) -> np.ndarray:
    return part.mean(axis=0, keepdims=True) if len(part) else np.zeros((1, *part.shape[1:]), dtype=part.dtype)
