r"""Agreement beyond chance, where each unit counts the same: percentage, Fleiss kappa, Gwet AC1.

With n_ik labels k on unit i and m_i labels in all, for any number of labels a unit (Gwet, *Handbook
of Inter-Rater Reliability*):

    pa = mean of sum_k n_ik (n_ik - 1) / (m_i (m_i - 1))  over units with m_i >= 2
    pi_k = mean of n_ik / m_i                             over units with m_i >= 1
    (pa - pe) / (1 - pe),  Fleiss: pe = sum_k pi_k^2,  AC1: pe = sum_k pi_k (1 - pi_k) / (K - 1)
"""

from __future__ import annotations

import numpy as np

from ..annotations import Annotations
from .bootstrap import Resampling, estimate, resampling
from .figures import Figure
from .votes import Votes, collect, refuse_numbers

__all__ = ["ac1_of", "fleiss_kappa", "fleiss_of", "gwet_ac1", "observed_agreement", "percentage_of"]


def observed_agreement(
    labels: Annotations, *, level: float = 0.95, n_boot: int = 1000, seed: int = 0
) -> Figure:
    """The chance that two labels of one unit agree, averaged over units.

    >>> observed_agreement(Annotations.from_matrix([[0, 0, 0], [0, 0, 1]])).value
    0.6666666666666666
    """
    refuse_numbers(labels, "observed_agreement")
    return percentage_of(collect(labels, seed), resampling(level, n_boot, seed))


def fleiss_kappa(labels: Annotations, *, level: float = 0.95, n_boot: int = 1000, seed: int = 0) -> Figure:
    """Fleiss' kappa: chance draws both labels from the shares of the classes.

    >>> fleiss_kappa(Annotations.from_matrix([[0, 0], [1, 1], [0, 1], [1, 1]])).value
    0.4666666666666667
    """
    refuse_numbers(labels, "fleiss_kappa")
    return fleiss_of(collect(labels, seed), resampling(level, n_boot, seed))


def gwet_ac1(labels: Annotations, *, level: float = 0.95, n_boot: int = 1000, seed: int = 0) -> Figure:
    """Gwet's AC1: steady where one class is common, as kappa is not.

    K counts all declared classes, also those nobody used.

    >>> gwet_ac1(Annotations.from_matrix([[0, 0], [1, 1], [0, 1], [1, 1]])).value
    0.5294117647058824
    """
    refuse_numbers(labels, "gwet_ac1")
    return ac1_of(collect(labels, seed), resampling(level, n_boot, seed))


def percentage_of(votes: Votes, how: Resampling) -> Figure:
    """The percentage, from votes."""
    sums = _sums(votes)[:, :2]
    return estimate("percentage", sums, _agreed, len(votes.size), how, counts_agreement=True)


def fleiss_of(votes: Votes, how: Resampling) -> Figure:
    """Fleiss' kappa, from votes."""
    return estimate("fleiss_kappa", _sums(votes), _fleiss, len(votes.size), how, counts_agreement=True)


def ac1_of(votes: Votes, how: Resampling) -> Figure:
    """Gwet's AC1, from votes."""
    return estimate("gwet_ac1", _sums(votes), _ac1, len(votes.size), how, counts_agreement=True)


def _sums(votes: Votes) -> np.ndarray:
    """[blocks, 2 + K]: agreement of units, how many, and the classes of all units, each of weight 1."""
    agreeing = votes.over_blocks(votes.agreeing / (votes.size * (votes.size - 1.0)))
    units = votes.over_blocks(np.ones(len(votes.size)))
    shares = votes.classes_over_blocks(1.0 / votes.size) + votes.singles_over_blocks()
    return np.column_stack([agreeing, units, shares])


def _agreed(total: np.ndarray) -> np.ndarray:
    return np.asarray(total[..., 0] / total[..., 1])


def _shares(total: np.ndarray) -> np.ndarray:
    return np.asarray(total[..., 2:] / total[..., 2:].sum(-1, keepdims=True))


def _fleiss(total: np.ndarray) -> np.ndarray:
    shares = _shares(total)
    return _beyond(total[..., 0] / total[..., 1], (shares**2).sum(-1))


def _ac1(total: np.ndarray) -> np.ndarray:
    shares = _shares(total)
    # One declared class: as if there were a second that nobody used. Chance agreement is then 0.
    others = max(shares.shape[-1] - 1, 1)
    return _beyond(total[..., 0] / total[..., 1], (shares * (1 - shares)).sum(-1) / others)


def _beyond(observed: np.ndarray, chance: np.ndarray) -> np.ndarray:
    """(pa - pe) / (1 - pe); nan where chance agreement is certain, up to rounding."""
    certain = chance > 1 - 1e-12
    return np.where(certain, np.nan, (observed - chance) / np.where(certain, 1.0, 1 - chance))
