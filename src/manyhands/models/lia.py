"""LIA: the truth, the tasks' difficulties and the annotators' competences, each a function (2020)."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
import torch
from sklearn.utils.validation import check_is_fitted
from torch import Tensor, nn

from ..annotations import Annotations
from ..channels import LowRank, Votes
from ..channels.task_embedding import TaskEmbedding
from ..errors import UnsupportedError
from ..networks import MLP, build_network
from ..processes import size
from ..training.callbacks import Callback
from ..training.features import Features
from ..training.settings import Extent, Settings
from .checks import check_integer
from .classifier import CrowdClassifier
from .inputs import labels_for
from .soft_label_fit import is_soft_network

__all__ = ["LIA"]

LABELS = 1024  # in a batch


class LIA(CrowdClassifier):
    r"""$p(l | z = k) = \mathrm{softmax}_l(D(x_i), C(r_j))[k, :]$, by EM, then `marginal`.

    Platanios et al., *Learning from imperfect annotations*, 2020. For crowds where who is right
    depends on the task, and for annotators with features: those never seen have a competence too
    (`annotator_quality`). Without features, `LIA().fit(labels)`, it is LIA-E: an embedding a task.

    Made to say the truth of the tasks that were annotated: `result_`. On tasks that nobody annotated the paper's h, which
    has no dropout, no decay and thousands of steps on few tasks, knows the training labels by heart, errors and all,
    and can fall below the plain majority with a better kept network: for those give `network="skip"`,
    `input_dropout="held-out"` and fewer `steps`, or use `CrowdClassifier`.

    network: h; None is the paper's perceptron of 4 layers of 16, selu.
    hidden: widths of the layers of h, where network is None, and of d. The rest of what the channel is made of,
        combine, latent, embedding, gamma: see `manyhands.channels.LowRank`.
    rounds, steps: of EM, which starts from the soft majority; steps of the optimiser in each.
    fine_tuning: steps of `marginal` at the end.
    batch_size: in tasks; "auto" is as many as have 1024 labels.
    The rest are those of `CrowdClassifier`.

    >>> from manyhands import LIA, simulate
    >>> crowd = simulate("confusion", n_tasks=300, n_annotators=5, n_classes=3, n_features=4, seed=0)
    >>> model = LIA(rounds=2, steps=20, fine_tuning=0).fit(crowd.features, crowd.labels)
    >>> model.annotator_quality(crowd.features).shape
    (300, 5)
    """

    name: ClassVar[str] = "lia"
    kinds: ClassVar[tuple[str, ...]] = ("class", "ordinal", "soft")

    def __init__(
        self,
        network: Any = None,
        *,
        hidden: Sequence[int] = (16, 16, 16, 16),
        combine: str = "add",
        latent: int = 1,
        embedding: int = 16,
        gamma: float = 0.25,
        rounds: int = 10,
        steps: int = 1000,
        fine_tuning: int = 1000,
        batch_size: int | str = "auto",
        learning_rate: float = 1e-3,
        channel_learning_rate: float | None = None,
        weight_decay: float = 0.0,
        optimizer: str = "amsgrad",
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
            network, None, "em", batch_size=batch_size, learning_rate=learning_rate,
            channel_learning_rate=channel_learning_rate, weight_decay=weight_decay, optimizer=optimizer,
            schedule=schedule, average=average, input_dropout=input_dropout,
            validation_fraction=validation_fraction, patience=patience, abstention=abstention,
            use_truth=use_truth, device=device, mixed_precision=mixed_precision, random_state=random_state,
            callbacks=callbacks, checkpoint=checkpoint, checkpoint_every=checkpoint_every, resume=resume,
        )  # fmt: skip
        self.hidden = hidden
        self.combine, self.latent, self.embedding, self.gamma = combine, latent, embedding, gamma
        self.rounds, self.steps, self.fine_tuning = rounds, steps, fine_tuning

    def fit(
        self, X: Any, y: Any = None, *, sample_weight: Any = None, annotations: Any = None, places: Any = None
    ) -> Self:
        """As `CrowdClassifier`; X=None, or labels in place of X, is LIA-E."""
        if isinstance(X, Annotations):
            X, y = None, X
        self.by_task_ = X is None
        if self.by_task_ and size() > 1:
            raise UnsupportedError(
                "LIA-E has numbers of its own for every task, which it learns in one process only: give features"
            )
        if self.by_task_:
            y = labels_for(y if annotations is None else annotations, self.kinds)
            X, annotations = numbers(y.n_tasks), None
        return super().fit(X, y, sample_weight=sample_weight, annotations=annotations, places=places)

    def predict_proba(self, X: Any = None) -> np.ndarray:
        """p(z | x) of every row; LIA-E knows the fitted tasks alone, with X=None."""
        check_is_fitted(self, "network_")
        return super().predict_proba(X)

    def predict(self, X: Any = None, cost: Any = None) -> np.ndarray:
        """The likeliest class of every row, or that of least expected cost."""
        return super().predict(X, cost)

    def annotator_quality(self, X: Any = None, features: Any = None) -> np.ndarray:
        """p(right) of every annotator on every task, [tasks, annotators].

        features: of annotators never seen, in place of those fitted.
        """
        check_is_fitted(self, "network_")
        tasks = self._features(X)
        given = None if features is None else torch.as_tensor(np.asarray(features, dtype=np.float32))
        channel: Any = self.channel_
        truth = self.learner_.predict_log(tasks).exp()
        right = [
            torch.einsum("ijkk,ik->ij", channel.matrices_at(x, given)[..., : truth.shape[1]], truth[rows])
            for rows, x in tasks.all(64)
        ]
        return torch.cat(right).cpu().numpy()

    def _features(self, X: Any, n_tasks: int | None = None) -> Features:
        return super()._features(self._inputs(X), n_tasks)

    def _inputs(self, X: Any) -> Any:
        if not self.by_task_:
            return X
        if X is not None:
            raise UnsupportedError(
                "fitted without features, LIA-E knows no other tasks: predict() gives those fitted"
            )
        return numbers(self.labels_.n_tasks)

    def _go_on(self, X: Any, y: Any) -> Self:
        if self.by_task_:
            raise UnsupportedError(
                "fitted without features, LIA-E cannot go on to other tasks: fit all at once"
            )
        return super()._go_on(X, y)

    def _channel(self) -> LowRank:
        return LowRank(
            self.combine,
            self.latent,
            self.embedding,
            tuple(self.hidden),
            gamma=self.gamma,
            by_task=getattr(self, "by_task_", False),
        )

    def _parts(self, sample: Tensor, labels: Annotations, votes: Votes) -> tuple[Any, Any]:
        if self.network is not None and not self.by_task_:
            return super()._parts(sample, labels, votes)
        network, channel = self._network(), self._channel().build(self._sizes(sample, labels, votes))
        if not self.by_task_:
            return build_network(network, sample, labels.n_classes), channel
        body = build_network(network, torch.zeros(1, self.embedding), labels.n_classes)
        return nn.Sequential(TaskEmbedding(labels.n_tasks, self.embedding), body), channel

    def _network(self) -> Any:
        if self.network is not None:
            return self.network
        return MLP(tuple(self.hidden), dropout=0.0, activation="selu")

    def _settings_for(self, sample: Tensor, labels: Annotations, extent: Extent) -> Settings:
        settings, n = super()._settings_for(sample, labels, extent), max(extent.n_units, 1)
        batch = settings.batch_size
        if self.batch_size == "auto":
            batch = max(1, round(LABELS * n / max(extent.n_labels, 1)))
        steps_an_epoch = math.ceil(n / batch)
        a_round = math.ceil(self.steps / steps_an_epoch)
        return dataclasses.replace(
            settings, batch_size=batch, epochs=self.rounds * a_round, epochs_a_round=a_round,
            marginal_epochs=math.ceil(self.fine_tuning / steps_an_epoch),
            input_dropout=0.0 if self.by_task_ else settings.input_dropout,
        )  # fmt: skip

    def _check(self) -> None:
        super()._check()
        check_integer(self, rounds=1, steps=1, fine_tuning=0)
        if self.by_task_ and is_soft_network(self.network):
            raise UnsupportedError(
                f"network={self.network!r} needs features: LIA-E trains a torch network on embeddings"
            )


def numbers(n_tasks: int) -> np.ndarray:
    """The tasks' numbers as their only feature."""
    return np.arange(n_tasks, dtype=np.float32)[:, None]
