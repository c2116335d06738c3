"""IBCC: Dawid-Skene as Bayes has it, with intervals."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor

from ..channels import DirichletConfusion
from ..channels.dirichlet import Moments
from ..objectives import JointParams
from ..results import Evidence
from ..results.dirichlet_evidence import DirichletEvidence
from ..training.gibbs import posterior_widths
from .checks import check_above, check_integer
from .variational_aggregator import VariationalAggregator

__all__ = ["IBCC"]


class IBCC(VariationalAggregator):
    r"""$z_i \sim \pi$, $l_n \sim T_{j_n}[z_i, \cdot]$, with Dirichlet priors on $\pi$ and on every row of every $T_j$.

    Independent Bayesian classifier combination (Kim and Ghahramani, 2012), by mean-field variational
    Bayes (Simpson et al., 2013): EM in which chances are $\exp E \log$, so that what is little known
    counts less; the objective is the evidence lower bound.

    right, wrong: counts of each row before any vote, of its own class and of the others together.
    mass: tasks of each class before any.
    sweeps: of the Gibbs sampler that sets the intervals, from where variational Bayes ended. Mean-field
        beliefs are too narrow: they know nothing of how truths and matrices err together. The sampler's
        intervals cover as they say (`benchmarks/coverage.py`). A sweep costs about what a step of the fit
        does: for millions of votes take 50; with 0 the intervals are the variational ones.

    Use it for intervals: `result_.annotators()` (low, high of the accuracy $\sum_k \pi_k T_j[k, k]$),
    `result_.confusion_interval(annotator)`, `result_.class_interval()`; and where annotators have few
    votes. The other parameters are those of every EM aggregator.

    >>> from manyhands import IBCC, simulate
    >>> crowd = simulate("biased", n_tasks=200, n_annotators=10, seed=1)
    >>> model = IBCC().fit(crowd.labels)
    >>> low, high = model.result_.confusion_interval("a0")
    >>> bool((low < model.result_.confusion("a0")).all()), high.shape
    (True, (3, 3))
    """

    name: ClassVar[str] = "ibcc"

    def __init__(
        self,
        *,
        right: float = 4.0,
        wrong: float = 1.0,
        mass: float = 1.0,
        sweeps: int = 500,
        max_iter: int = 200,
        tol: float = 1e-5,
        n_init: int = 1,
        accelerate: bool = False,
        class_prior: Any = "estimate",
        abstention: str = "ignore",
        use_truth: bool = True,
        warm_start: bool = False,
        random_state: int = 0,
        dtype: str = "float32",
        callback: Any = None,
    ):
        self.right, self.wrong, self.mass, self.sweeps = right, wrong, mass, sweeps
        self.max_iter, self.tol, self.n_init, self.accelerate = max_iter, tol, n_init, accelerate
        self.class_prior, self.abstention, self.use_truth = class_prior, abstention, use_truth
        self.warm_start, self.random_state, self.dtype, self.callback = (
            warm_start,
            random_state,
            dtype,
            callback,
        )

    def _channel(self) -> DirichletConfusion:
        return DirichletConfusion(self.right, self.wrong)

    def _evidence(self, problem: Any, params: JointParams) -> Evidence:
        point = posterior_widths(problem, params, 0, 0)
        sampled = posterior_widths(problem, params, self.sweeps, self.random_state)
        rows = self._channel().log_rows(params.channel).to(getattr(torch, self.dtype))
        parts = (_stacked(a.mean, b) for a, b in zip(point, sampled, strict=True))
        confusions, classes, accuracies = parts
        return DirichletEvidence(
            rows.numpy(), problem.log_states(params).numpy(), confusions, accuracies, classes
        )

    def _check(self) -> None:
        super()._check()
        check_above(self, right=0, wrong=0)
        check_integer(self, sweeps=0)


def _stacked(point: Tensor, sampled: Moments) -> np.ndarray:
    return torch.stack([point, sampled.mean, sampled.variance]).numpy()
