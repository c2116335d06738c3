"""Semi-LFC: a deep generative model that learns from unlabelled tasks too (Atarashi et al., 2018)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import torch

from ..annotations import Annotations
from ..channels import Confusion, Votes
from ..networks.generative import Generative
from ..training.callbacks import Callback
from ..training.features import Features
from ..training.generative import GenerativeLearner
from ..training.learner import Learner
from .checks import check_integer, check_number
from .classifier import CrowdClassifier

__all__ = ["SemiLFC"]


class SemiLFC(CrowdClassifier):
    r"""$p(x, l_1, \dots) = \sum_z \int p(z) p(h) p(x | z, h) \prod_n T_{j_n}[z, l_n] \, dh$; $q(z | x) = f$ predicts.

    Atarashi, Oyama and Kurihara, *Semi-supervised learning from crowds using deep generative models*,
    AAAI 2018. The truth z and a hidden h make the features, the truth makes the labels; f and
    $q(h | x, z)$ climb the evidence bound of both (Kingma's M2 with a crowd in place of labels), so a task
    that nobody labelled teaches what tasks look like. For few labelled tasks among many, whose
    features fall into clusters that the classes follow; where they do not, the bound pulls f away from
    the labels, and `SpeeLFC` is better.

    X has a row for every task: those without labels are learnt from (`labels.align(ids)`, or tasks=
    of the table, declares them).

    discriminative: what the labels count besides, by the marginal loss of f, as M2's $\alpha$; of a
        labelled task, times all tasks over the labelled ones. Matrices have the prior of `DeepEM`.
    latent, hidden: the length of h; the width of its decoder and encoder.
    warm_up: epochs over which the features' share of the bound grows to all.
    The rest are those of `CrowdClassifier`.

    >>> from manyhands import SemiLFC, simulate
    >>> crowd = simulate("confusion", n_tasks=200, n_annotators=5, n_classes=3, n_features=4, seed=0)
    >>> few = crowd.labels[:40].align(crowd.labels.tasks)  # the other 160 tasks have features alone
    >>> SemiLFC(epochs=3).fit(crowd.features, few).predict(crowd.features).shape
    (200,)
    """

    name: ClassVar[str] = "semi-lfc"

    def __init__(
        self,
        network: Any = "mlp",
        *,
        discriminative: float = 1.0,
        latent: int = 16,
        hidden: int = 128,
        warm_up: int = 10,
        epochs: int = 50,
        batch_size: int | str = 64,
        learning_rate: float = 1e-3,
        weight_decay: float = 0.0,
        optimizer: str = "adam",
        majority_epochs: int = 5,
        validation_fraction: float = 0.0,
        patience: int | None = None,
        abstention: str = "ignore",
        use_truth: bool = True,
        device: str = "cpu",
        random_state: int | None = 0,
        callbacks: Sequence[Callback] = (),
        checkpoint: Any = None,
        checkpoint_every: int = 1,
        resume: bool = False,
    ):
        super().__init__(
            network, None, "marginal", epochs=epochs, batch_size=batch_size, learning_rate=learning_rate,
            weight_decay=weight_decay, optimizer=optimizer, majority_epochs=majority_epochs,
            validation_fraction=validation_fraction, patience=patience, abstention=abstention,
            use_truth=use_truth, device=device, random_state=random_state, callbacks=callbacks,
            checkpoint=checkpoint, checkpoint_every=checkpoint_every, resume=resume, channel_learning_rate=None,
            average=0, input_dropout=0.0,
        )  # fmt: skip
        self.discriminative, self.latent, self.hidden, self.warm_up = discriminative, latent, hidden, warm_up

    def _channel(self) -> Confusion:
        return Confusion(right=1.0, wrong=1.0)

    def _loop(self, network: Any) -> type[Learner]:
        return GenerativeLearner

    def _learner(self, features: Features, labels: Annotations, weight: Any) -> Learner:
        learner: Any = super()._learner(features, labels, weight)
        learner.discriminative, learner.warm_up = self.discriminative, self.warm_up
        return learner

    def _parts(self, sample: torch.Tensor, labels: Annotations, votes: Votes) -> tuple[Any, Any]:
        classifier, channel = super()._parts(sample, labels, votes)
        width = sample.shape[1] if sample.ndim == 2 else 0
        network = Generative(classifier, width, labels.n_classes, self.latent, self.hidden)
        network.scale.fit(sample)
        return network, channel

    def _check(self) -> None:
        check_integer(self, latent=1, hidden=1, warm_up=0)
        check_number(self, discriminative=0)
        super()._check()
