"""Spam or knowledge: MACE's channel (Hovy et al., 2013)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from .channel import FLOOR
from .sums import steady_sum

__all__ = ["Spam", "SpamParams"]


class SpamParams(NamedTuple):
    """logit: log-odds of answering in earnest, [annotators]; log_spam: log xi, [annotators, labels].

    size: zeros, there for their shape [labels, classes].
    """

    logit: Tensor
    log_spam: Tensor
    size: Tensor


@dataclass(frozen=True)
class Spam:
    r"""$T_j[k, l] = \theta_j [l = k] + (1 - \theta_j) \xi_{jl}$.

    With chance theta the annotator gives the truth, else a label of a habit that does not know
    the truth. Whether a vote was in earnest is a hidden variable of its own; given label and
    truth its posterior is known, so the update needs no more than the counts.

    earnest, spamming: Beta counts before any vote; habit: Dirichlet counts of each habit.
    """

    earnest: float = 0.5
    spamming: float = 0.5
    habit: float = 0.5

    def maximise(self, counts: Tensor, params: SpamParams | None = None) -> SpamParams:
        """One update of theta and xi from the votes' chances of having been in earnest."""
        if params is None:
            params = self._start(counts)
        n_classes = counts.shape[2]  # "cannot say" is a label beyond them, and never in earnest
        earnest = counts.diagonal(dim1=1, dim2=2) * self._earnest(params)[:, :n_classes]
        spam = counts.sum(dim=2)
        spam[:, :n_classes] -= earnest
        spam = spam.clamp_(min=0)
        logit = (earnest.sum(dim=1) + self.earnest + FLOOR).log()
        logit -= (spam.sum(dim=1) + self.spamming + FLOOR).log()
        habit = spam + self.habit + FLOOR
        return SpamParams(logit, habit.log() - habit.sum(dim=1, keepdim=True).log(), params.size)

    def log_rows(self, params: SpamParams) -> Tensor:
        """Knowledge on the diagonal, habit everywhere."""
        n_classes = params.size.shape[1]
        spam = torch.nn.functional.logsigmoid(-params.logit)[:, None] + params.log_spam
        rows = spam[:, :, None].repeat(1, 1, n_classes)
        truthful = torch.nn.functional.logsigmoid(params.logit)[:, None]
        rows.diagonal(dim1=1, dim2=2).copy_(torch.logaddexp(spam[:, :n_classes], truthful))
        return rows

    def log_prior(self, params: SpamParams) -> float:
        """Beta and Dirichlet, up to a constant."""
        log_theta = torch.nn.functional.logsigmoid(params.logit)
        log_spam = torch.nn.functional.logsigmoid(-params.logit)
        habit = (self.habit + FLOOR) * params.log_spam.sum(dim=1)
        return steady_sum((self.earnest + FLOOR) * log_theta + (self.spamming + FLOOR) * log_spam + habit)

    def project(self, params: SpamParams) -> SpamParams:
        """Habits that sum to one."""
        log_spam = params.log_spam - params.log_spam.logsumexp(dim=1, keepdim=True)
        return params._replace(log_spam=log_spam)

    def _start(self, counts: Tensor) -> SpamParams:
        n_annotators, n_labels = counts.shape[:2]
        even = counts.new_zeros(n_annotators, n_labels) - torch.log(counts.new_tensor(float(n_labels)))
        return SpamParams(counts.new_zeros(n_annotators), even, counts.new_zeros(counts.shape[1:]))

    def _earnest(self, params: SpamParams) -> Tensor:
        """p(in earnest | label = truth = l), [annotators, labels]."""
        return torch.sigmoid(params.logit[:, None] - params.log_spam)
