"""Dirichlet distributions along an axis: the expected logarithm, the divergence, draws, moments."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

__all__ = ["Moments", "divergence", "draw", "expected_log", "moments"]

LEAST = 1e-300  # of a gamma draw: small counts underflow to nothing


class Moments(NamedTuple):
    """Mean and variance of every chance."""

    mean: Tensor
    variance: Tensor


def expected_log(counts: Tensor, dim: int) -> Tensor:
    r"""$E \log p = \psi(a) - \psi(\sum a)$."""
    return torch.digamma(counts) - torch.digamma(counts.sum(dim=dim, keepdim=True))


def divergence(counts: Tensor, prior: Tensor, dim: int) -> Tensor:
    r"""$KL(\mathrm{Dir}(a) \| \mathrm{Dir}(a_0))$ of each row.

    >>> divergence(torch.tensor([3.0, 2.0]), torch.tensor([3.0, 2.0]), dim=0).item()
    0.0
    """
    if prior.ndim < counts.ndim:
        prior = prior.expand_as(counts)
    gain = ((counts - prior) * expected_log(counts, dim)).sum(dim=dim)
    return gain + _log_beta(prior, dim) - _log_beta(counts, dim)


def moments(counts: Tensor, dim: int) -> Moments:
    """Mean and variance.

    >>> [part.tolist() for part in moments(torch.tensor([1.0, 1.0]), dim=0)]
    [[0.5, 0.5], [0.0833333358168602, 0.0833333358168602]]
    """
    total = counts.sum(dim=dim, keepdim=True)
    mean = counts / total
    return Moments(mean, mean * (1 - mean) / (total + 1))


def draw(counts: Tensor, dim: int, generator: np.random.Generator) -> Tensor:
    """Chances drawn from each Dirichlet, as logarithms."""
    gamma = torch.from_numpy(np.maximum(generator.standard_gamma(counts.numpy()), LEAST)).log()
    return gamma - gamma.logsumexp(dim=dim, keepdim=True)


def _log_beta(counts: Tensor, dim: int) -> Tensor:
    return torch.lgamma(counts).sum(dim=dim) - torch.lgamma(counts.sum(dim=dim))
