"""Personal classifiers: one logistic regression an annotator about a common one (Kajino et al., 2012)."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, ClassVar

import torch

from ..annotations import Annotations
from ..channels import Personal, Sizes, Votes
from ..networks import build_network
from ..networks.standardize import Standardize
from ..training.callbacks import Callback
from ..training.convex import ConvexLearner
from ..training.learner import Learner
from ..training.settings import Extent, Settings
from .checks import check_number
from .classifier import CrowdClassifier

__all__ = ["PersonalClassifiers"]

AT_ONCE = 2**22  # numbers of the votes' rows of weights, 16 MB


class PersonalClassifiers(CrowdClassifier):
    r"""Lowers $-\sum_n \log \mathrm{softmax}(W_j x)_{l_n} + \frac{\lambda}{2} \sum_j \|W_j - W_0\|^2 + \frac{\eta}{2} \|W_0\|^2$.

    Kajino, Tsuboi and Kashima, *A convex formulation for learning from crowds*, AAAI 2012 (PC). No
    truth behind the labels: W_0 is what the annotators have in common, and it predicts. The problem is
    convex, so there is one answer, no start and no luck; an annotator who labels at random weighs as
    much as any other, being merely noise about W_0. For honest annotators, and as a check on models that
    can fall for a bad start.

    shrinkage: lambda, what holds an annotator to W_0; large, it is one regression on all labels.
    weight_decay: eta; the intercept of W_0 is free.
    epochs: at most, of 10 steps of L-BFGS each; it stops where the gradient is gone.
    network: W_0; another than "linear" is no longer convex (dropout is off in training).
    The rest are those of `CrowdClassifier`. After fit, `channel_.steps` holds the W_j - W_0 of
    standardised features, `channel_.confusions()` what each annotator says where W_0 says a class.

    >>> from manyhands import PersonalClassifiers, simulate
    >>> crowd = simulate("confusion", n_tasks=200, n_annotators=5, n_classes=3, n_features=4, seed=0)
    >>> model = PersonalClassifiers().fit(crowd.features, crowd.labels)
    >>> model.history_[-1]["gradient"] < 1e-4
    True
    """

    name: ClassVar[str] = "personal"

    def __init__(
        self,
        network: Any = "linear",
        *,
        shrinkage: float = 1.0,
        epochs: int = 50,
        weight_decay: float = 1.0,
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
            network, None, "marginal", epochs=epochs, weight_decay=weight_decay, abstention=abstention,
            use_truth=use_truth, device=device, random_state=random_state, callbacks=callbacks,
            checkpoint=checkpoint, checkpoint_every=checkpoint_every, resume=resume, average=0,
            input_dropout=0.0,
        )  # fmt: skip
        self.shrinkage = shrinkage

    def _channel(self) -> Personal:
        return Personal(self.shrinkage)

    def _loop(self, network: Any) -> type[Learner]:
        return ConvexLearner

    def _parts(self, sample: torch.Tensor, labels: Annotations, votes: Votes) -> tuple[Any, Any]:
        width = self._width(sample)
        sizes = Sizes(labels.n_annotators, votes.n_labels, votes.n_classes, width, labels.n_units)
        channel = self._channel().build(sizes)
        channel.lift = Standardize(width).fit(sample)
        return build_network(self.network, sample, labels.n_classes), channel

    def _settings_for(self, sample: torch.Tensor, labels: Annotations, extent: Extent) -> Settings:
        settings = super()._settings_for(sample, labels, extent)
        return dataclasses.replace(settings, batch_size=_batch(labels, self._width(sample)))

    def _width(self, sample: torch.Tensor) -> int:
        return sample.shape[1] if sample.ndim == 2 else 0

    def _check(self) -> None:
        check_number(self, shrinkage=1e-9)
        super()._check()


def _batch(labels: Annotations, width: int) -> int:
    """As many tasks as have rows of weights for a little memory."""
    votes_a_task = max(labels.n_answers / max(labels.n_tasks, 1), 1.0)
    return max(1, int(AT_ONCE / (votes_a_task * (width + 1) * max(labels.n_classes, 1))))
