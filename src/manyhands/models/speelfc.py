"""SpeeLFC and SpeeLFC-D: learning from crowds end to end, in probabilities (Chen et al., 2020)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import torch
from sklearn.utils.validation import check_is_fitted

from ..channels import Confusion, Difficulty
from ..training.callbacks import Callback
from .classifier import CrowdClassifier

__all__ = ["SpeeLFC", "SpeeLFCD"]


class SpeeLFC(CrowdClassifier):
    r"""$p(l | x, j) = \sum_k f_k(x) T_j[k, l]$, $T_j[k, :] = \mathrm{softmax}(P_j[k, :])$, by `marginal`.

    Chen et al., *Structured probabilistic end-to-end learning from crowds*, IJCAI 2020. A
    confusion matrix an annotator: a good first choice where each annotator has given many labels;
    `Confusion(shared=1.0)` borrows from the crowd where each has given few.

    diagonal: how far the diagonal of P starts above the rest. The paper has 3.7 for ten classes
        (p(right) = .82) and 0.4 for two (.60).
    network, epochs, learning_rate: the paper has `MLP((1200,))`, 200 and 1e-4 for sentences,
        "linear", 5000 and 1e-3 for music.
    The rest are those of `CrowdClassifier`.

    >>> from manyhands import SpeeLFC, simulate
    >>> from manyhands.metrics import js_divergence
    >>> crowd = simulate("confusion", n_tasks=600, n_annotators=5, n_classes=3, n_features=4, seed=0)
    >>> model = SpeeLFC("linear", epochs=30, learning_rate=1e-2).fit(crowd.features, crowd.labels)
    >>> js_divergence(crowd.confusions, model.channel_.confusions().numpy()) < 0.02
    True
    """

    name: ClassVar[str] = "speelfc"

    def __init__(
        self,
        network: Any = "mlp",
        *,
        diagonal: float = 3.7,
        epochs: int = 200,
        batch_size: int | str = 64,
        learning_rate: float = 1e-4,
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
        self.diagonal = diagonal

    def _channel(self) -> Any:
        return Confusion(diagonal=self.diagonal)


class SpeeLFCD(CrowdClassifier):
    r"""$p(\mathrm{right}) = \sigma(a_j b(x_i))$, $b = \lambda_1 + \lambda_2 \sigma(g(x))$, by `marginal`.

    Chen et al., *Structured probabilistic end-to-end learning from crowds*, IJCAI 2020. One ability
    an annotator and an easiness of each task that is read off its features: for few classes and
    few labels an annotator. Where errors prefer some classes `SpeeLFC` sees it and this does not.

    hidden: layers of g (ReLU, dropout .5): the paper has 128 for sentences, 32 for music.
    ability, least, spread: where a starts, and $\lambda_1, \lambda_2$. They are made for steps of 1e-4,
        `channel_learning_rate`: raise that or `spread` alone, and it breaks.
    majority_epochs: one or two keep the abilities from turning over with a network that happens to
        begin the wrong way round.
    The rest are those of `CrowdClassifier`.

    >>> from manyhands import SpeeLFCD, simulate
    >>> crowd = simulate("confusion", n_tasks=300, n_annotators=5, n_classes=3, n_features=4, seed=0)
    >>> model = SpeeLFCD(epochs=5, learning_rate=1e-3).fit(crowd.features, crowd.labels)
    >>> model.difficulty(crowd.features).shape
    (300,)
    """

    name: ClassVar[str] = "speelfc-d"

    def __init__(
        self,
        network: Any = "mlp",
        *,
        hidden: tuple[int, ...] = (128,),
        ability: float = 0.028,
        least: float = 0.001,
        spread: float = 100.0,
        epochs: int = 200,
        batch_size: int | str = 64,
        learning_rate: float = 1e-4,
        channel_learning_rate: float | None = 1e-4,
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
        self.hidden, self.ability, self.least, self.spread = hidden, ability, least, spread

    def _channel(self) -> Any:
        return Difficulty(tuple(self.hidden), 0.5, self.ability, self.least, self.spread)

    def difficulty(self, X: Any) -> np.ndarray:
        """How often the average annotator would err on each task, [tasks]: what is identified of b."""
        check_is_fitted(self, "network_")
        features = self._features(X)
        channel: Any = self.channel_.eval()
        ability = channel.ability.weight.squeeze(1)
        with torch.no_grad():
            right = [
                (channel.easiness(x)[:, None] * ability).sigmoid().mean(dim=1) for _, x in features.all()
            ]
        return 1 - torch.cat(right).cpu().numpy()
