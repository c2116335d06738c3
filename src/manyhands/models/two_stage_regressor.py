"""Aggregate numbers first, then train a network on the outcome: the mean-trained network of every paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import torch

from ..channels import Gaussian
from ..results import Result
from ..training.callbacks import Callback
from ..training.learner import Learner
from .aggregated_first import AggregatedFirst
from .regressor import CrowdRegressor

__all__ = ["TwoStageRegressor"]


class TwoStageRegressor(AggregatedFirst, CrowdRegressor):
    r"""First $m_i$ from the answers alone, by any aggregator; then the network by $\sum_i (m_i - \mu(x_i))^2$.

    What every other system is to be compared with, at the same network.

    aggregator: "mean", "median", "precision-weighted", or an estimator, such as
        `PrecisionWeighted(pull=5)`, which is copied at fit: `aggregator_`, with a `result_` of its own.
    The rest are those of `CrowdRegressor`. Biases and precisions (`channel_`, `result_`) are read off m.

    >>> from manyhands import TwoStageRegressor, simulate
    >>> crowd = simulate("numbers", n_tasks=300, n_annotators=5, seed=0)
    >>> model = TwoStageRegressor("linear", "median", epochs=5).fit(crowd.truth[:, None], crowd.labels)
    >>> model.aggregator_.result_.method
    'median'
    """

    name: ClassVar[str] = "two-stage-regressor"

    def __init__(
        self,
        network: Any = "mlp",
        aggregator: Any = "mean",
        *,
        calibration_fraction: float = 0.2,
        epochs: int = 50,
        batch_size: int | str = 64,
        learning_rate: float = 1e-3,
        weight_decay: float = 0.0,
        optimizer: str = "adam",
        schedule: str | None = None,
        average: int = 0,
        input_dropout: float | str = 0.0,
        validation_fraction: float = 0.0,
        patience: int | None = None,
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
            network, None, "em", calibration_fraction=calibration_fraction, epochs=epochs, batch_size=batch_size,
            learning_rate=learning_rate, channel_learning_rate=None, weight_decay=weight_decay,
            optimizer=optimizer, schedule=schedule, average=average, input_dropout=input_dropout,
            validation_fraction=validation_fraction, patience=patience, use_truth=use_truth, device=device,
            mixed_precision=mixed_precision, random_state=random_state, callbacks=callbacks,
            checkpoint=checkpoint, checkpoint_every=checkpoint_every, resume=resume,
        )  # fmt: skip
        self.aggregator = aggregator

    def _channel(self) -> Gaussian:
        return Gaussian()

    def _beliefs(self, result: Result, learner: Learner) -> torch.Tensor:
        """Rows (mean, variance); where nobody spoke, what training begins with."""
        truth: Any = learner.truth
        found = result.numbers
        mean, sd = (found.mean - truth.centre) / truth.scale, found.sd / truth.scale
        first = learner.shares.cpu().numpy()
        rows = np.stack(
            [np.where(np.isnan(mean), first[:, 0], mean), np.where(np.isnan(sd), first[:, 1], sd**2)], 1
        )
        return torch.from_numpy(rows.astype(np.float32))
