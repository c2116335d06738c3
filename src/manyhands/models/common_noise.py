"""Dawid-Skene in which some noise is everybody's: CoNAL's appendix."""

from __future__ import annotations

from typing import Any, ClassVar

import torch

from ..channels import CommonConfusion
from ..objectives import JointParams
from ..results import Evidence
from ..results.common_evidence import CommonEvidence
from .checks import check_number
from .em_aggregator import EMAggregator

__all__ = ["CommonNoise"]


class CommonNoise(EMAggregator):
    r"""$q_i(k) \propto f_k \prod_n (s_{j_n} C[k, l_n] + (1 - s_{j_n}) T_{j_n}[k, l_n])$; EM on the joint likelihood.

    The appendix of CoNAL (Chu, Ma and Wang, 2021): each vote comes from the confusion matrix C that the crowd
    has in common, or from the annotator's own. Repaired: whose a vote is is judged given the
    truth, $q(s | z)$ (printed: with the truth left open), and its chance $s_j$ is pooled over the
    annotator's votes under a Beta prior (printed: one a vote, which runs to 0 or 1).

    right, wrong: Dirichlet counts of each row of every T before any vote, of its own class and of the
        others together; C has none.
    common, own: Beta counts of votes of the crowd's and of the annotator's own noise.

    Use it to see which confusions the tasks themselves invite: `result_.evidence.common` is C, and
    `result_.annotators()` has each one's share of it (`common`). What an annotator does in all is known well; how
    much of that is of C is known of those with few votes only, for a busy one's own matrix can say
    everything. It judges truths much as `DawidSkene(shared=10)` does. The other parameters are those of every EM aggregator.

    >>> from manyhands import CommonNoise, simulate
    >>> crowd = simulate("confusion", n_tasks=200, n_annotators=10, seed=1)
    >>> result = CommonNoise().fit(crowd.labels).result_
    >>> result.evidence.common.shape, "common" in result.annotators().columns
    ((3, 3), True)
    """

    name: ClassVar[str] = "common-noise"

    def __init__(
        self,
        *,
        right: float = 1.0,
        wrong: float = 1.0,
        common: float = 2.0,
        own: float = 2.0,
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
        self.right, self.wrong, self.common, self.own = right, wrong, common, own
        self.max_iter, self.tol, self.n_init, self.accelerate = max_iter, tol, n_init, accelerate
        self.class_prior, self.abstention, self.use_truth = class_prior, abstention, use_truth
        self.warm_start, self.random_state, self.dtype, self.callback = (
            warm_start,
            random_state,
            dtype,
            callback,
        )

    def _channel(self) -> CommonConfusion:
        return CommonConfusion(self.right, self.wrong, self.common, self.own)

    def _evidence(self, problem: Any, params: JointParams) -> Evidence:
        table = self._channel().log_rows(params.channel).to(getattr(torch, self.dtype))
        common, share = params.channel.log_common.exp().T, torch.sigmoid(params.channel.logit)
        return CommonEvidence(table.numpy(), params.log_truth.numpy(), common.numpy(), share.numpy())

    def _check(self) -> None:
        super()._check()
        check_number(self, right=0, wrong=0, common=0, own=0)
