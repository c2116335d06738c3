"""Aggregate first, then train a network on the outcome: the baseline of every paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import torch

from ..channels import Confusion
from ..results import Result
from ..training.callbacks import Callback
from ..training.learner import Learner
from .aggregated_first import AggregatedFirst
from .classifier import CrowdClassifier
from .deep_em import winners

__all__ = ["TwoStage"]


class TwoStage(AggregatedFirst, CrowdClassifier):
    r"""First $q_i(k)$ from the labels alone, by any aggregator; then f by $\sum_i \sum_k q_i(k) \log f_k(x_i)$.

    What every other system is to be compared with, at the same network; often hard to beat where
    each task has many labels.

    aggregator: a method for classes by its name in the catalogue, such as "glad", "ibcc" or "dawid-skene-map" (the
        command says it in one: `--method two-stage:glad`), or an estimator, such as
        `DawidSkene(shared=5)`, which is copied at fit: `aggregator_`, with a `result_` of its own.
    soft: train on the chances of the classes; else on the likeliest, evenly among ties.
    The rest are those of `CrowdClassifier`. Matrices (`channel_`, `result_`) are counted against q;
    `result_` has the posterior of network and labels together.

    >>> from manyhands import simulate
    >>> crowd = simulate("confusion", n_tasks=300, n_annotators=5, n_classes=3, n_features=4, seed=0)
    >>> model = TwoStage("linear", aggregator="dawid-skene", epochs=5).fit(crowd.features, crowd.labels)
    >>> model.aggregator_.result_.method, model.predict_proba(crowd.features).shape
    ('dawid-skene', (300, 3))
    """

    name: ClassVar[str] = "two-stage"

    def __init__(
        self,
        network: Any = "mlp",
        aggregator: Any = "majority",
        *,
        soft: bool = True,
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
            network, None, "em", epochs=epochs, batch_size=batch_size, learning_rate=learning_rate,
            channel_learning_rate=None, weight_decay=weight_decay, optimizer=optimizer, schedule=schedule,
            average=average, input_dropout=input_dropout, validation_fraction=validation_fraction,
            patience=patience, abstention=abstention, use_truth=use_truth, device=device,
            mixed_precision=mixed_precision, random_state=random_state, callbacks=callbacks,
            checkpoint=checkpoint, checkpoint_every=checkpoint_every, resume=resume,
        )  # fmt: skip
        self.aggregator, self.soft = aggregator, soft

    def _channel(self) -> Confusion:
        return Confusion(right=1.0, wrong=1.0)

    def _beliefs(self, result: Result, learner: Learner) -> torch.Tensor:
        chances = torch.from_numpy(np.ascontiguousarray(result.chances, dtype=np.float32))
        return chances if self.soft else winners(chances)
