"""The joint objective: sum_i log sum_k f_k(x_i) prod_n T_n[k], one truth a unit."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor

from ..channels.incidence import BLOCK

__all__ = ["joint_posterior"]

LEAST = 1e-30  # of a mass whose parts are still exact in float32


def joint_posterior(
    log_truth: Tensor,
    scores: Iterable[tuple[slice, Tensor]],
    n_units: int,
    known: Tensor | None = None,
    n_subtypes: int = 1,
) -> tuple[Tensor, float]:
    r"""The posterior $q_i(k) \propto f_k \prod_n T_n[k]$ of every unit, and the log-likelihood.

    log_truth: $\log f$, [classes], or [units, classes] where a network says it.
    scores: $\sum_n \log T_n[k]$, block by block of units (they are overwritten).
    known: [units] codes of known truths, -1 elsewhere; their posterior is certain.
    n_subtypes: of a class, where z is more than the class: that many columns in a row.

    A softmax over a short last axis costs more than the sums of rows, so it is written out here,
    one cache-sized block at a time, and the likelihood falls out of it. The largest score of a unit
    is taken off first only in blocks that need it: where some unit's whole mass leaves the range.
    """
    n_classes = log_truth.shape[-1]
    posterior = log_truth.new_empty(n_units, n_classes)
    ones = log_truth.new_ones(n_classes)
    prior = log_truth.expand(BLOCK, n_classes).contiguous() if log_truth.ndim == 1 else None
    likelihood = 0.0
    for units, block in scores:
        block += log_truth[units] if prior is None else prior[: len(block)]
        if known is not None:
            _rule_out(block, known[units], n_subtypes)
        likelihood += _normalise(block, ones, out=posterior[units])
    return posterior, likelihood


def _normalise(scores: Tensor, ones: Tensor, out: Tensor) -> float:
    """Chances from scores [units, classes], and the sum of the units' log masses."""
    mass = torch.mv(torch.exp(scores, out=out), ones)
    if not len(mass):
        return 0.0
    least, most = torch.aminmax(mass)
    if float(least) > LEAST and float(most) < 1 / LEAST:  # false of NaN as well
        out.div_(mass[:, None])
        return float(mass.log_().sum(dtype=torch.float64))
    top = scores.amax(dim=1)
    mass = torch.mv(torch.exp(scores.sub_(top[:, None]), out=out), ones)
    out.div_(mass[:, None])
    return float((mass.log_() + top).sum(dtype=torch.float64))


def _rule_out(scores: Tensor, known: Tensor, n_subtypes: int) -> None:
    """All classes but the known one are impossible."""
    rows = torch.nonzero(known >= 0).squeeze(1)
    of_class = torch.arange(scores.shape[1]) // n_subtypes
    scores[rows] = scores[rows].masked_fill(of_class != known[rows, None], -torch.inf)
