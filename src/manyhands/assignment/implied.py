"""A result's evidence as chances of labels given truths, also where the method merely counts votes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..results import AbilityEvidence, NoEvidence, Result, TableEvidence, WeightEvidence
from ..results.dirichlet_evidence import DirichletEvidence
from ..results.ordinal_evidence import OrdinalEvidence
from ..results.signed_weight_evidence import SignedWeightEvidence
from ..results.threshold_evidence import ThresholdEvidence

__all__ = ["probabilistic"]

TABLED = (TableEvidence, DirichletEvidence, OrdinalEvidence)  # p(label | truth) of each annotator alone
COUNTED = (
    WeightEvidence,
    NoEvidence,
    SignedWeightEvidence,
    ThresholdEvidence,
)  # shares, which are no chances


def probabilistic(result: Result, always: bool = False) -> Result:
    """With chances of labels given truths; where a method has none, those that its posterior implies.

    Where votes are merely counted, the posterior is inferred anew from these. always: a table of
    them, also where the method has chances task by task.
    """
    kept = TABLED if always else (*TABLED, AbilityEvidence)
    if isinstance(result.evidence, kept) or result.labels.kind == "number":
        return result
    counts = result.counts + _habit(result.counts)
    log_rows = np.log(counts / counts.sum(axis=2, keepdims=True)).transpose(0, 2, 1)
    truth = result.chances.sum(axis=0, dtype=np.float64) + 1.0
    evidence = TableEvidence(
        np.ascontiguousarray(log_rows, dtype=np.float32), np.log(truth / truth.sum()).astype(np.float32)
    )
    if not isinstance(result.evidence, COUNTED):
        return replace(result, evidence=evidence)
    posterior = evidence.infer(result.votes)
    if result.labels.truth is not None and result.uses_truth:
        posterior = posterior.given(result.labels.truth)
    return replace(result, evidence=evidence, posterior=posterior)


def _habit(counts: np.ndarray) -> np.ndarray:
    """Ten votes a row as the whole crowd casts them: the same borrowing as the default method's."""
    pooled = counts.sum(axis=0) + np.eye(counts.shape[1], counts.shape[2]) + 0.1
    return 10 * pooled / pooled.sum(axis=1, keepdims=True)
