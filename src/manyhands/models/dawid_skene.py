"""Dawid-Skene: a confusion matrix for every annotator."""

from __future__ import annotations

from typing import Any, ClassVar

from ..channels import Confusion
from .checks import check_number
from .em_aggregator import EMAggregator

__all__ = ["DawidSkene"]


class DawidSkene(EMAggregator):
    r"""$q_i(k) \propto f_k \prod_n T_{j_n}[k, l_n]$ with T free (Dawid and Skene, 1979).

    right, wrong: Dirichlet counts of each row before any vote (MAP); 0 and 0 is the maximum
        likelihood of the paper.
    shared: votes that each row borrows from the crowd's common matrix, which is learnt.

    Learns who confuses what with what. Plain maximum likelihood wants many votes an annotator;
    `shared` lets the busy ones stand up for the rest. The other parameters are those of every
    EM aggregator.

    >>> from manyhands import DawidSkene, simulate
    >>> crowd = simulate("biased", n_tasks=200, n_annotators=10, seed=1)
    >>> model = DawidSkene().fit(crowd.labels)
    >>> model.result_.confusion("a0").shape
    (3, 3)
    """

    name: ClassVar[str] = "dawid-skene"

    def __init__(
        self,
        *,
        right: float = 0.0,
        wrong: float = 0.0,
        shared: float = 0.0,
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
        self.right, self.wrong, self.shared = right, wrong, shared
        self.max_iter, self.tol, self.n_init, self.accelerate = max_iter, tol, n_init, accelerate
        self.class_prior, self.abstention, self.use_truth = class_prior, abstention, use_truth
        self.warm_start, self.random_state, self.dtype, self.callback = (
            warm_start,
            random_state,
            dtype,
            callback,
        )

    def _channel(self) -> Confusion:
        return Confusion(self.right, self.wrong, self.shared)

    def _check(self) -> None:
        super()._check()
        check_number(self, right=0, wrong=0, shared=0)
