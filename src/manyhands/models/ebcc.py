"""EBCC: classes have subtypes, and annotators err together on some of them."""

from __future__ import annotations

from typing import Any, ClassVar

import torch
from torch import Tensor

from ..channels import DirichletConfusion
from ..channels.dirichlet import moments
from ..objectives import JointParams
from ..results import Evidence
from ..results.subtype_evidence import SubtypeEvidence
from .checks import check_above, check_integer
from .variational_aggregator import VariationalAggregator

__all__ = ["EBCC"]


class EBCC(VariationalAggregator):
    r"""$z_i \sim \tau$, a subtype $g_i \sim \pi_{z_i}$, $l_n \sim T_{j_n}[z_i, g_i, \cdot]$, all with Dirichlet priors.

    Enhanced Bayesian classifier combination (Li, Rubinstein and Cohn, 2019): given the class the votes
    on a task still hang together, through its subtype: hard ones, or those that fool many alike.
    Mean-field variational Bayes; the objective is the evidence lower bound, and the best of `n_init`
    runs by it is kept, as in the paper (which takes many: raise it): the first starts with subtypes by how disputed
    a task is, the others at random.

    n_subtypes, spread: M, and the Dirichlet mass that a class shares out among them (the paper's a_pi);
        a small one leaves most of them empty.
    right, each_wrong: counts of each row before any vote, of its own class and of every other (a_v, b_v).
    mass: tasks of each class before any (alpha).

    Use it where annotators err together and each task has many votes (ten or more); with few votes a task
    subtypes cannot be told from chance, and a difficult class falls apart: there use `IBCC` or
    `DawidSkene(shared=10)`. Votes have no weights of their own here, as what one tells depends on the
    others. The other parameters are those of every EM aggregator.

    >>> from manyhands import EBCC, simulate
    >>> crowd = simulate("difficulty", n_tasks=200, n_annotators=10, seed=1)
    >>> EBCC(n_init=3).fit(crowd.labels).result_.evidence.subtypes.shape
    (3, 10)
    """

    name: ClassVar[str] = "ebcc"

    def __init__(
        self,
        *,
        n_subtypes: int = 10,
        spread: float = 0.1,
        right: float = 4.0,
        each_wrong: float = 1.0,
        mass: float = 1.0,
        max_iter: int = 200,
        tol: float = 1e-5,
        n_init: int = 3,
        accelerate: bool = False,
        class_prior: Any = "estimate",
        abstention: str = "ignore",
        use_truth: bool = True,
        warm_start: bool = False,
        random_state: int = 0,
        dtype: str = "float32",
        callback: Any = None,
    ):
        self.n_subtypes, self.spread, self.mass = n_subtypes, spread, mass
        self.right, self.each_wrong = right, each_wrong
        self.max_iter, self.tol, self.n_init, self.accelerate = max_iter, tol, n_init, accelerate
        self.class_prior, self.abstention, self.use_truth = class_prior, abstention, use_truth
        self.warm_start, self.random_state, self.dtype, self.callback = (
            warm_start,
            random_state,
            dtype,
            callback,
        )

    def _channel(self) -> DirichletConfusion:
        return DirichletConfusion(self.right, self.each_wrong, self.n_subtypes, each=True)

    def _evidence(self, problem: Any, params: JointParams) -> Evidence:
        rows = problem.channel.log_rows(params.channel).to(getattr(torch, self.dtype))
        subtypes = moments(params.log_truth.exp().reshape(-1, self.n_subtypes), dim=1).mean
        counts = moments(params.channel.log_counts.exp(), dim=1).mean
        return SubtypeEvidence(
            rows.numpy(), problem.log_states(params).numpy(), counts.numpy(), subtypes.numpy()
        )

    def _chances(self, problem: Any, posterior: Tensor) -> Tensor:
        chances: Tensor = problem.chances(posterior)
        return chances

    def _check(self) -> None:
        super()._check()
        check_above(self, right=0, each_wrong=0)
        check_integer(self, n_subtypes=1)
