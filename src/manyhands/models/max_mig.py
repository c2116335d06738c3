"""Max-MIG: network and labels agree on as much as there is to agree on (Cao et al., 2019)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import torch

from ..annotations import Annotations
from ..channels import Confusion
from ..training.callbacks import Callback
from ..training.features import Features
from ..training.learner import Learner
from ..training.rounds import closed_form_counts
from .checks import check_number
from .classifier import CrowdClassifier

__all__ = ["MaxMIG"]


class MaxMIG(CrowdClassifier):
    r"""Climbs $1 + E \log r_{aa} - E_{a \ne b} r_{ab}$, $r_{ab} = \sum_c h_c(x_a) g_c(b) / p_c$.

    Cao, Xu, Kong and Wang, *Max-MIG: an information theoretic approach for joint learning from
    crowds*, ICLR 2019, in its KL form. h is the network, $g(b) \propto p_c \prod_n T_n[c]$ what the
    labels of task b say: what the two have in common is counted in nats, so a network is not asked to
    explain noise that the features do not know. For crowds with much noise of their own; where it is
    known what an annotator does to the truth, a likelihood (`SpeeLFC`) uses it better.

    It needs pairs of tasks: the batch makes them, so small batches know less. The matrices begin as
    counted against the soft majority, `smooth` votes in each row for its class and as many shared by
    the others; the prior p is the mean share of votes.
    The rest are those of `CrowdClassifier`, whose `objective="mutual-information"` this is: any channel
    and any network can be trained to it.

    >>> from manyhands import MaxMIG, simulate
    >>> crowd = simulate("confusion", n_tasks=300, n_annotators=5, n_classes=3, n_features=4, seed=0)
    >>> model = MaxMIG("linear", epochs=20, learning_rate=1e-2).fit(crowd.features, crowd.labels)
    >>> bool((model.predict(crowd.features) == crowd.truth).mean() > 0.8)
    True
    """

    name: ClassVar[str] = "max-mig"

    def __init__(
        self,
        network: Any = "mlp",
        *,
        smooth: float = 1.0,
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
            network, None, "mutual-information", epochs=epochs, batch_size=batch_size,
            learning_rate=learning_rate, channel_learning_rate=channel_learning_rate, weight_decay=weight_decay,
            optimizer=optimizer, schedule=schedule, majority_epochs=majority_epochs, average=average,
            input_dropout=input_dropout, validation_fraction=validation_fraction, patience=patience,
            abstention=abstention, use_truth=use_truth, device=device, mixed_precision=mixed_precision,
            random_state=random_state, callbacks=callbacks, checkpoint=checkpoint,
            checkpoint_every=checkpoint_every, resume=resume,
        )  # fmt: skip
        self.smooth = smooth

    def _channel(self) -> Confusion:
        return Confusion()

    def _learner(self, features: Features, labels: Annotations, weight: Any) -> Learner:
        learner = super()._learner(features, labels, weight)
        counts = closed_form_counts(learner.shares[learner.data_units], learner.data)
        smooth = Confusion(right=self.smooth, wrong=self.smooth).pseudo(*counts.shape[1:])
        with torch.no_grad():
            learner.channel.update(counts + smooth.to(counts))
        return learner

    def _check(self) -> None:
        super()._check()
        check_number(self, smooth=1e-6)
