"""Crowd Layer for sentences: a map an annotator after a tagger's softmax (Rodrigues and Pereira, 2018)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from ..channels import CrowdLayer as CrowdLayerChannel
from ..training.callbacks import Callback
from .tagger import CrowdTagger

__all__ = ["CrowdLayerTagger"]


class CrowdLayerTagger(CrowdTagger):
    r"""$p(l_{tj} | x) = \mathrm{softmax}(F_j(f(x, t)))$ of every token; prediction is f, without the layer.

    DL-CL of the paper's named entities: its network (`networks.Tagger`), five epochs on the majority, then the layer.

    variant: F_j is "MW" a matrix, "VW" weights of the tags, "VB" biases of theirs, "VW+B" both.
    The rest are those of `CrowdTagger`; the paper's vectors have 300 numbers (`Tagger(dim=300)`).

    >>> from manyhands import Annotations
    >>> X = [["Ada", "wrote"], ["so", "did", "Ada"]] * 20
    >>> y = Annotations.from_dict({i: {"ann": ["B-PER" if w == "Ada" else "O" for w in x]} for i, x in enumerate(X)})
    >>> CrowdLayerTagger(variant="VW", epochs=20).fit(X, y).predict([["Ada", "did"]]).tolist()
    [['B-PER', 'O']]
    """

    name: ClassVar[str] = "crowd-layer-tagger"

    def __init__(
        self,
        network: Any = None,
        variant: str = "MW",
        *,
        warm_start: str | None = "majority",
        vectors: Any = None,
        lowercase: bool = True,
        epochs: int = 25,
        batch_size: int | str = 64,
        learning_rate: float = 1e-3,
        channel_learning_rate: float | None = None,
        weight_decay: float = 0.0,
        optimizer: str = "adam",
        schedule: str | None = None,
        majority_epochs: int = 0,
        average: int = 0,
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
            network, None, "marginal", warm_start=warm_start, vectors=vectors, lowercase=lowercase, epochs=epochs,
            batch_size=batch_size, learning_rate=learning_rate, channel_learning_rate=channel_learning_rate,
            weight_decay=weight_decay, optimizer=optimizer, schedule=schedule, majority_epochs=majority_epochs,
            average=average, validation_fraction=validation_fraction, patience=patience, abstention=abstention,
            use_truth=use_truth, device=device, mixed_precision=mixed_precision, random_state=random_state,
            callbacks=callbacks, checkpoint=checkpoint, checkpoint_every=checkpoint_every, resume=resume,
        )  # fmt: skip
        self.variant = variant

    def _channel(self) -> CrowdLayerChannel:
        return CrowdLayerChannel(self.variant)
