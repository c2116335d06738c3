"""Dawid-Skene for ordered classes: three numbers an annotator on a scale that the crowd shares."""

from __future__ import annotations

from typing import Any, ClassVar

from ..channels import Ordinal
from ..objectives import JointParams
from ..results import Evidence
from ..results.ordinal_evidence import OrdinalEvidence
from .checks import check_number
from .em_aggregator import EMAggregator

__all__ = ["OrdinalDawidSkene"]


class OrdinalDawidSkene(EMAggregator):
    r"""$p(l \le m | k, j) = \sigma(a_j \tau_m - d_j \theta_k - b_j)$; EM on the joint likelihood.

    The cumulative logits of graded responses (Samejima, 1969; as in IRT), the truth being hidden:
    errors fall with distance. The M-step is by Newton in concave blocks and never falls.

    strength: votes' worth of the average annotator behind each one; 0 is maximum likelihood.
    scale: the same behind each gap of the crowd's scale.

    For ordered classes, above all where annotators have few votes or classes are many: a confusion
    matrix has K (K - 1) numbers an annotator, this has 3. `result_.annotators()` has discrimination,
    shift and width (about the crowd's own); `result_.consensus(cost="absolute")` decides by expected cost. The other
    parameters are those of every EM aggregator.

    >>> from manyhands import OrdinalDawidSkene, simulate
    >>> crowd = simulate("thresholds", n_tasks=300, n_annotators=10, n_classes=5, seed=1)
    >>> model = OrdinalDawidSkene().fit(crowd.labels)
    >>> import numpy as np
    >>> shift = model.result_.annotators()["shift"]
    >>> bool(np.corrcoef(shift, crowd.parameters["shift"])[0, 1] > 0.95)
    True
    """

    name: ClassVar[str] = "ordinal-dawid-skene"
    kinds: ClassVar[tuple[str, ...]] = ("ordinal",)

    def __init__(
        self,
        *,
        strength: float = 2.0,
        scale: float = 1.0,
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
        self.strength, self.scale = strength, scale
        self.max_iter, self.tol, self.n_init, self.accelerate = max_iter, tol, n_init, accelerate
        self.class_prior, self.abstention, self.use_truth = class_prior, abstention, use_truth
        self.warm_start, self.random_state, self.dtype, self.callback = (
            warm_start,
            random_state,
            dtype,
            callback,
        )

    def _channel(self) -> Ordinal:
        return Ordinal(self.strength, self.scale)

    def _evidence(self, problem: Any, params: JointParams) -> Evidence:
        return OrdinalEvidence.of(params.channel, params.log_truth.numpy())

    def _check(self) -> None:
        super()._check()
        check_number(self, strength=0, scale=0)
