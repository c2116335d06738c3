"""One coin: every annotator is right with one probability."""

from __future__ import annotations

from typing import Any, ClassVar

from ..channels import OneCoin as OneCoinChannel
from .checks import check_number
from .em_aggregator import EMAggregator

__all__ = ["OneCoin"]


class OneCoin(EMAggregator):
    r"""$T_j[k, l] = p_j$ where l = k, else $(1 - p_j) / (K - 1)$; EM on the joint likelihood.

    right, wrong: a Beta prior's counts of right and wrong answers; 0 and 0 is maximum likelihood.

    One parameter an annotator: the choice for few votes each and errors without a pattern.
    Below 1 / K an annotator is an adversary, and counts against what was said. Abstentions
    cannot tell anything here. The other parameters are those of every EM aggregator.

    >>> from manyhands import OneCoin, simulate
    >>> crowd = simulate("one-coin", n_tasks=200, n_annotators=10, seed=1)
    >>> model = OneCoin().fit(crowd.labels)
    >>> bool((model.result_.posterior.best() == crowd.truth).mean() > 0.8)
    True
    """

    name: ClassVar[str] = "one-coin"

    def __init__(
        self,
        *,
        right: float = 0.0,
        wrong: float = 0.0,
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
        self.right, self.wrong = right, wrong
        self.max_iter, self.tol, self.n_init, self.accelerate = max_iter, tol, n_init, accelerate
        self.class_prior, self.abstention, self.use_truth = class_prior, abstention, use_truth
        self.warm_start, self.random_state, self.dtype, self.callback = (
            warm_start,
            random_state,
            dtype,
            callback,
        )

    def _channel(self) -> OneCoinChannel:
        return OneCoinChannel(self.right, self.wrong)

    def _check(self) -> None:
        super()._check()
        check_number(self, right=0, wrong=0)
