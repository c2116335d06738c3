"""The joint objective: sum_i log sum_k f_k(x_i) prod_n T_n[k], one truth a unit."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor

__all__ = ["joint_posterior"]


def joint_posterior(
    log_truth: Tensor, scores: Iterable[tuple[slice, Tensor]], n_units: int, known: Tensor | None = None
) -> tuple[Tensor, float]:
    r"""The posterior $q_i(k) \propto f_k \prod_n T_n[k]$ of every unit, and the log-likelihood.

    log_truth: $\log f$, [classes], or [units, classes] where a network says it.
    scores: $\sum_n \log T_n[k]$, block by block of units (they are overwritten).
    known: [units] codes of known truths, -1 elsewhere; their posterior is certain.

    A softmax over a short last axis costs more than the sums of rows, so it is written out
    here, one cache-sized block at a time, and the likelihood falls out of it.
    """
    posterior = log_truth.new_empty(n_units, log_truth.shape[-1])
    likelihood = 0.0
    for units, block in scores:
        block += log_truth if log_truth.ndim == 1 else log_truth[units]
        if known is not None:
            _rule_out(block, known[units])
        top = block.amax(dim=1)
        block = block.sub_(top[:, None]).exp_()
        mass = block.sum(dim=1)
        torch.div(block, mass[:, None], out=posterior[units])
        likelihood += float((mass.log_() + top).sum(dtype=torch.float64))
    return posterior, likelihood


def _rule_out(scores: Tensor, known: Tensor) -> None:
    """All classes but the known one are impossible."""
    rows = torch.nonzero(known >= 0).squeeze(1)
    right = scores[rows, known[rows]]
    scores[rows] = -torch.inf
    scores[rows, known[rows]] = right
