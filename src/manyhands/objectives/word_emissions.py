"""Words as what the true tags say: a chance of every word in every class."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from ..channels.dirichlet import divergence, expected_log

__all__ = ["WordEmissions"]


class WordEmissions:
    r"""$w_t \sim \theta[z_t, \cdot]$, with $q(\theta)$ a Dirichlet a class, $\theta_k \sim \mathrm{Dir}(m)$ before any word.

    codes: the word of every unit, 0 ... n_words - 1; none where words are not known. mass: m, times that each word was
    seen in each class beforehand.

    >>> words = WordEmissions(np.array([0, 1, 1]), mass=1.0, n_words=2)
    >>> words.counts(torch.eye(2)[[0, 1, 1]]).tolist()
    [[1.0, 0.0], [0.0, 2.0]]
    """

    def __init__(self, codes: np.ndarray, mass: float, n_words: int = 0):
        self.codes, self.mass, self.n_words = torch.from_numpy(codes.astype(np.int64)), mass, n_words

    def counts(self, chances: Tensor) -> Tensor:
        """How often each class said each word, as expected, [words, classes]."""
        counts = torch.zeros(self.n_words, chances.shape[1], dtype=torch.float64)
        return counts.index_add_(0, self.codes, chances[: len(self.codes)].double())

    def maximise(self, counts: Tensor) -> Tensor:
        """Logs of the Dirichlet counts, [words, classes]."""
        return (counts + self.mass).log()

    def scores(self, log_counts: Tensor) -> Tensor:
        r"""$E \log \theta[z, w]$ of every unit, [units, classes]."""
        return expected_log(log_counts.exp(), dim=0)[self.codes]

    def divergence(self, log_counts: Tensor) -> float:
        """From the prior."""
        if not self.n_words:
            return 0.0
        counts = log_counts.exp()
        return float(divergence(counts, torch.full_like(counts, self.mass), dim=0).sum())

    def project(self, log_counts: Tensor) -> Tensor:
        """No count below the prior's."""
        return log_counts.clamp(min=float(np.log(self.mass)))
