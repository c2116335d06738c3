"""Worker clustering: annotators of one group share a confusion matrix."""

from __future__ import annotations

from typing import Any, ClassVar

from ..channels import AnnotatorGroups
from ..objectives import JointParams
from ..results import Evidence
from ..results.group_evidence import GroupEvidence
from ..results.posterior import Posterior
from .checks import check_integer, check_number
from .em_aggregator import EMAggregator

__all__ = ["ClusteredAnnotators"]


class ClusteredAnnotators(EMAggregator):
    r"""Annotator j is of group m with chance $\alpha_m$ and answers by $\beta_m[k, l]$ (WC: Imamura, Sato and Sugiyama, 2018).

    $r_j(m) \propto \alpha_m \prod_{k, l} \beta_m[k, l]^{c_j[k, l]}$, c the expected counts: variational
    EM, as in the paper, on $\log T_j[k, l] = \sum_m r_j(m) \log \beta_m[k, l]$ less $KL(r_j \| \alpha)$.

    n_groups: how many groups; those too many are left empty or alike. Five predict held-out answers of
        the real crowds best among 2, 3, 5 and 8.
    smoothing: votes in every cell of $\alpha$ and $\beta$ before any vote.

    For many annotators with few votes each, who come in kinds: a matrix is learnt from all votes of
    its kind. Where annotators differ by degrees and have votes enough, `DawidSkene(shared=10)` is
    better. `result_.annotators()` has each one's likeliest group and its chance. The other parameters
    are those of every EM aggregator, but that `partial_fit` learns anew from all labels.

    >>> from manyhands import ClusteredAnnotators, simulate
    >>> crowd = simulate("groups", n_tasks=300, n_annotators=30, seed=1)
    >>> model = ClusteredAnnotators().fit(crowd.labels)
    >>> model.result_.annotators().columns[-2:]
    ['group', 'group_chance']
    """

    name: ClassVar[str] = "clustered-annotators"
    warm_start = False

    def __init__(
        self,
        *,
        n_groups: int = 5,
        smoothing: float = 0.0,
        max_iter: int = 200,
        tol: float = 1e-5,
        n_init: int = 1,
        accelerate: bool = False,
        class_prior: Any = "estimate",
        abstention: str = "ignore",
        use_truth: bool = True,
        random_state: int = 0,
        dtype: str = "float32",
        callback: Any = None,
    ):
        self.n_groups, self.smoothing = n_groups, smoothing
        self.max_iter, self.tol, self.n_init, self.accelerate = max_iter, tol, n_init, accelerate
        self.class_prior, self.abstention, self.use_truth = class_prior, abstention, use_truth
        self.random_state, self.dtype, self.callback = random_state, dtype, callback

    def _begin(self, start: Posterior | None) -> None:
        """Always the plain start: groups that few labels suggested would stay."""

    def _channel(self) -> AnnotatorGroups:
        return AnnotatorGroups(self.n_groups, self.smoothing)

    def _evidence(self, problem: Any, params: JointParams) -> Evidence:
        channel = params.channel
        return GroupEvidence(
            channel.log_belonging.exp().numpy(), channel.log_matrices.numpy(), params.log_truth.numpy()
        )

    def _check(self) -> None:
        super()._check()
        check_integer(self, n_groups=1)
        check_number(self, smoothing=0)
