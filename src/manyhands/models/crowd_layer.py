"""Crowd Layer: a map from the network's softmax to each annotator's labels (Rodrigues and Pereira, 2018)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from ..channels import CrowdLayer as CrowdLayerChannel
from ..training.callbacks import Callback
from .classifier import CrowdClassifier

__all__ = ["CrowdLayer"]


class CrowdLayer(CrowdClassifier):
    r"""$p(l | x, j) = \mathrm{softmax}(F_j(f(x)))$; prediction is f(x), without the layer.

    Rodrigues and Pereira, *Deep learning from crowds*, AAAI 2018. Simple and quick at any number
    of annotators. Its softmax of a softmax, kept as published, can say no class louder than
    $e / (e + K - 1)$, .28 of 8 classes, and it has no posterior of a task's truth given its labels:
    `SpeeLFC` is the same with probabilities.

    variant: F_j is "MW" a matrix, "VW" weights of the classes, "VB" biases of theirs, "VW+B" both.
    network: the paper's for LabelMe is "mlp": 128 ReLU, dropout .5.
    epochs, batch_size: the published code has 50 and 64 (LabelMe), 30 and 16 (dogs and cats).
    majority_epochs: epochs on the majority first, as the published code does for NER (5).
    The rest are those of `CrowdClassifier`. After fit, `channel_.weights()` and
    `channel_.biases()` are the raw layer, `channel_.confusions()` what each annotator would say
    were the network sure.

    >>> from manyhands import CrowdLayer, simulate
    >>> crowd = simulate("confusion", n_tasks=300, n_annotators=5, n_classes=3, n_features=4, seed=0)
    >>> CrowdLayer(epochs=5, variant="VW").fit(crowd.features, crowd.labels).channel_.weights().shape
    torch.Size([5, 3, 3])
    """

    name: ClassVar[str] = "crowd-layer"

    def __init__(
        self,
        network: Any = "mlp",
        variant: str = "MW",
        *,
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
        self.variant = variant

    def _channel(self) -> CrowdLayerChannel:
        return CrowdLayerChannel(self.variant)
