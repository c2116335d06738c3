"""How likely hidden votes are by a result's own account of its annotators."""

from __future__ import annotations

import numpy as np

from ..annotations import Annotations
from ..channels import number_votes, votes_of
from ..errors import UnsupportedError
from ..results import NumberEvidence, Result, TableEvidence
from ..results.ordinal_evidence import OrdinalEvidence

__all__ = ["own_log_likelihood"]

LEAST = 1e-300  # so that nothing is infinitely unlikely


def own_log_likelihood(result: Result, held: Annotations) -> np.ndarray:
    r"""$\ln \sum_k q_i(k) T_j[k, l]$ of every vote of `held`, a table of the same tasks and annotators.

    Methods are not on a par here: one that says nothing of annotators has no such account.

    >>> from manyhands import DawidSkene, simulate, split
    >>> seen, held = split(simulate("confusion", n_tasks=100, n_annotators=5, seed=0).labels, 0.1)
    >>> own_log_likelihood(DawidSkene(shared=10).fit(seen).result_, held).shape
    (50,)
    """
    if isinstance(result.evidence, NumberEvidence):
        return _of_numbers(result, result.evidence, held)
    table = result.evidence.table if isinstance(result.evidence, OrdinalEvidence) else result.evidence
    if not isinstance(table, TableEvidence):
        raise UnsupportedError(
            f"{result.method} says nothing of annotators by which a vote could be predicted"
        )
    votes = votes_of(held, result.abstention)
    rows = table.log_rows[votes.annotator, votes.label].astype(np.float64)
    chance = (result.chances[votes.unit].astype(np.float64) * np.exp(rows)).sum(axis=1)
    return np.asarray(np.log(np.maximum(chance, LEAST)))


def _of_numbers(result: Result, evidence: NumberEvidence, held: Annotations) -> np.ndarray:
    votes, truth = number_votes(held), result.numbers
    variance = truth.sd[votes.unit] ** 2 + np.exp(-evidence.log_precision[votes.annotator])
    gap = votes.value - truth.mean[votes.unit] - evidence.bias[votes.annotator]
    return np.asarray(-0.5 * (gap**2 / variance + np.log(2 * np.pi * variance)))
