"""MACE: each vote is knowledge or spam."""

from __future__ import annotations

from typing import Any, ClassVar

from ..channels import Spam
from .checks import check_number
from .em_aggregator import EMAggregator

__all__ = ["MACE"]


class MACE(EMAggregator):
    r"""$T_j[k, l] = \theta_j [l = k] + (1 - \theta_j) \xi_{jl}$ (Hovy et al., 2013).

    earnest, spamming: Beta counts on theta before any vote; habit: Dirichlet counts on each
        class of each xi.

    Tells spammers by the habit of their answers. theta is trust: a spammer's is near 0 however
    often luck makes the answer right. Adversaries are outside the model. The other parameters
    are those of every EM aggregator; restarts differ.

    >>> from manyhands import MACE, simulate
    >>> crowd = simulate("spammers", n_tasks=200, n_annotators=10, seed=1)
    >>> model = MACE().fit(crowd.labels)
    >>> model.result_.converged
    True
    """

    name: ClassVar[str] = "mace"

    def __init__(
        self,
        *,
        earnest: float = 0.5,
        spamming: float = 0.5,
        habit: float = 0.1,
        max_iter: int = 100,
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
        self.earnest, self.spamming, self.habit = earnest, spamming, habit
        self.max_iter, self.tol, self.n_init, self.accelerate = max_iter, tol, n_init, accelerate
        self.class_prior, self.abstention, self.use_truth = class_prior, abstention, use_truth
        self.warm_start, self.random_state, self.dtype, self.callback = (
            warm_start,
            random_state,
            dtype,
            callback,
        )

    def _channel(self) -> Spam:
        return Spam(self.earnest, self.spamming, self.habit)

    def _check(self) -> None:
        super()._check()
        check_number(self, earnest=0, spamming=0, habit=0)
