"""Confusion matrices held to the least trace (Tanno et al., 2019; Anno-Reg in CoNAL's tables)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real
from typing import Any, ClassVar

from ..channels import Trace
from ..errors import ParameterError
from ..training.callbacks import Callback
from .classifier import CrowdClassifier

__all__ = ["TraceRegularised"]


class TraceRegularised(CrowdClassifier):
    r"""`SpeeLFC` whose loss of a task has $\lambda \sum_j \mathrm{tr}(T_j)$ more, by `marginal`.

    Tanno et al., *Learning from noisy labels by regularized estimation of annotator confusion*, CVPR
    2019. Votes fix only the product of the network's chances and the matrices. Of all pairs that
    explain them, `trace` above zero takes the noisiest annotators and so the surest network, which is
    the truth where the average annotator is more often right than wrong; below zero it takes matrices
    near the identity, as CoNAL's text describes the term, and doubt is left to the network. For
    networks that could fit anything; a large crowd of few labels each needs less of it.

    trace: lambda, 1e-2 in the paper, against the mean negative log-likelihood of a task.
    diagonal: how far the diagonal of the logits starts above the rest.
    The rest are those of `CrowdClassifier`.

    >>> from manyhands import TraceRegularised, simulate
    >>> crowd = simulate("confusion", n_tasks=300, n_annotators=5, n_classes=3, n_features=4, seed=0)
    >>> fit = lambda sign: TraceRegularised("linear", trace=sign * 0.02, epochs=20).fit(crowd.features, crowd.labels)
    >>> noisy, clean = (fit(sign).channel_.confusions().diagonal(dim1=1, dim2=2).mean() for sign in (1, -1))
    >>> bool(noisy < clean)
    True
    """

    name: ClassVar[str] = "trace-regularised"

    def __init__(
        self,
        network: Any = "mlp",
        *,
        trace: float = 1e-2,
        diagonal: float = 3.7,
        epochs: int = 50,
        batch_size: int | str = 64,
        learning_rate: float = 1e-3,
        channel_learning_rate: float | None = None,
        weight_decay: float = 0.0,
        optimizer: str = "adam",
        schedule: str | None = None,
        majority_epochs: int = 0,
        average: int = 0,
        input_dropout: float | str = 0.0,
        validation_fraction: float = 0.0,
        patience: int | None = None,
        abstention: str = "ignore",
        use_truth: bool = True,
        device: str = "cpu",
        mixed_precision: bool = False,
        random_state: int | None = 0,
        callbacks: Sequence[Callback] = (),
        checkpoint: Any = None,
        checkpoint_every: int = 1,
        resume: bool = False,
    ):
        super().__init__(
            network, None, "marginal", epochs=epochs, batch_size=batch_size, learning_rate=learning_rate,
            channel_learning_rate=channel_learning_rate, weight_decay=weight_decay, optimizer=optimizer,
            schedule=schedule, majority_epochs=majority_epochs, average=average, input_dropout=input_dropout,
            validation_fraction=validation_fraction, patience=patience, abstention=abstention,
            use_truth=use_truth, device=device, mixed_precision=mixed_precision, random_state=random_state,
            callbacks=callbacks, checkpoint=checkpoint, checkpoint_every=checkpoint_every, resume=resume,
        )  # fmt: skip
        self.trace, self.diagonal = trace, diagonal

    def _channel(self) -> Trace:
        return Trace(self.trace, self.diagonal)

    def _check(self) -> None:
        super()._check()
        if isinstance(self.trace, bool) or not isinstance(self.trace, Real) or not math.isfinite(self.trace):
            raise ParameterError(f"trace={self.trace!r} of TraceRegularised must be a number, of either sign")
