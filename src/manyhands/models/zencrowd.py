"""ZenCrowd: reliable or not, one number an annotator, with something believed of it beforehand."""

from __future__ import annotations

from typing import Any, ClassVar

from .one_coin import OneCoin

__all__ = ["ZenCrowd"]


class ZenCrowd(OneCoin):
    r"""$q_i(k) \propto \prod_n p_{j_n}^{[l_n = k]} (\frac{1 - p_{j_n}}{K - 1})^{[l_n \ne k]}$ (Demartini, Difallah and Cudre-Mauroux, 2012).

    $p_j = (a + \sum_n q_{i_n}(l_n)) / (a + b + n_j)$: no EM of its own, but one coin with the classes
    held even (those that got a vote) and a Beta prior on each accuracy, which is what this class is.

    right, wrong: a and b, answers before any answer; one who said nothing is right with chance
        a / (a + b). Default: predicts held-out answers best. The paper has test questions: give known truths.

    Use it for few votes an annotator and classes of about the same size, or where the prior is
    really known. The other parameters are those of every EM aggregator.

    >>> from manyhands import ZenCrowd, simulate
    >>> crowd = simulate("one-coin", n_tasks=200, n_annotators=10, seed=1)
    >>> model = ZenCrowd().fit(crowd.labels)
    >>> bool((model.result_.posterior.best() == crowd.truth).mean() > 0.8)
    True
    """

    name: ClassVar[str] = "zencrowd"

    def __init__(
        self,
        *,
        right: float = 2.0,
        wrong: float = 1.0,
        max_iter: int = 100,
        tol: float = 1e-5,
        n_init: int = 1,
        accelerate: bool = False,
        class_prior: Any = "voted",
        abstention: str = "ignore",
        use_truth: bool = True,
        warm_start: bool = False,
        random_state: int = 0,
        dtype: str = "float32",
        callback: Any = None,
    ):
        super().__init__(
            right=right, wrong=wrong, max_iter=max_iter, tol=tol, n_init=n_init, accelerate=accelerate,
            class_prior=class_prior, abstention=abstention, use_truth=use_truth, warm_start=warm_start,
            random_state=random_state, dtype=dtype, callback=callback,
        )  # fmt: skip
