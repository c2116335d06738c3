"""CMM: a mixture of groups of annotations (Mena and Nanculef, 2019)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
import torch
from sklearn.utils.validation import check_is_fitted
from torch import Tensor

from ..annotations import Annotations
from ..channels import Groups, votes_of
from ..errors import UnsupportedError
from ..training.callbacks import Callback
from ..training.features import Features
from ..training.learner import Learner
from ..training.vote_data import VoteData
from .classifier import CrowdClassifier

__all__ = ["CMM"]


class CMM(CrowdClassifier):
    r"""$p(l | x) = \sum_m \sum_k \alpha_m \beta_m[k, l] f_k(x)$, by EM on the marginal.

    Mena and Nanculef, *Revisiting machine learning from crowds: a mixture model for grouping
    annotations*, CIARP 2019. Parameters do not grow with annotators, and their ids are not needed:
    for crowds of many annotators who each gave few labels, or whose names were not kept.

    n_groups, per, gate, smoothing: see `manyhands.channels.Groups`. With per="annotation", the
        paper's, only the crowd's matrix $\sum_m \alpha_m \beta_m$ is identified, not the groups: do
        not choose n_groups by likelihood. per="annotator" gives each annotator one group, which is.
    objective: "em-marginal"; "marginal" is the same likelihood without EM.
    epochs: one is one round of EM.
    The rest are those of `CrowdClassifier`. After fit, `annotator_groups()` says how likely each
    annotator is of each group, `channel_.overall_confusion()` is the crowd's matrix.

    >>> from manyhands import CMM, simulate
    >>> crowd = simulate("groups", n_tasks=600, n_annotators=20, n_features=4, seed=0)
    >>> model = CMM(epochs=5).fit(crowd.features, crowd.labels)
    >>> model.annotator_groups().shape
    (20, 3)
    """

    name: ClassVar[str] = "cmm"

    def __init__(
        self,
        network: Any = "mlp",
        objective: str = "em-marginal",
        *,
        n_groups: int = 3,
        per: str = "annotation",
        gate: str = "none",
        smoothing: float = 0.0,
        epochs: int = 50,
        batch_size: int | str = 64,
        learning_rate: float = 1e-3,
        channel_learning_rate: float | None = None,
        weight_decay: float = 0.0,
        optimizer: str = "adam",
        schedule: str | None = None,
        epochs_a_round: int = 1,
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
            network, None, objective, epochs=epochs, batch_size=batch_size, learning_rate=learning_rate,
            channel_learning_rate=channel_learning_rate, weight_decay=weight_decay, optimizer=optimizer,
            schedule=schedule, epochs_a_round=epochs_a_round, average=average, input_dropout=input_dropout,
            validation_fraction=validation_fraction, patience=patience, abstention=abstention,
            use_truth=use_truth, device=device, mixed_precision=mixed_precision, random_state=random_state,
            callbacks=callbacks, checkpoint=checkpoint, checkpoint_every=checkpoint_every, resume=resume,
        )  # fmt: skip
        self.n_groups, self.per, self.gate, self.smoothing = n_groups, per, gate, smoothing

    def annotator_groups(self, X: Any = None, labels: Annotations | None = None) -> np.ndarray:
        """p(group | annotator) of the annotators fitted, [annotators, groups].

        X, labels: features and labels of other annotators, who need few; groups are as fitted.
        """
        return self._belongings(X, labels).cpu().numpy()

    def annotator_confusions(self, X: Any = None, labels: Annotations | None = None) -> np.ndarray:
        """Their matrices, [annotators, classes, labels]."""
        belongings = self._belongings(X, labels)
        channel: Any = self.channel_
        return channel.matrices_of(belongings).cpu().numpy()

    def _belongings(self, X: Any, labels: Annotations | None) -> Tensor:
        check_is_fitted(self, "network_")
        channel: Any = self.channel_
        if labels is None:
            return channel.belongings()
        if labels.classes != self.labels_.classes:
            raise UnsupportedError(
                f"labels have classes {labels.classes}, fitted on {self.labels_.classes}: declare classes="
            )
        features = self._features(X, labels.n_tasks)
        data = VoteData(votes_of(labels, self.abstention), self.device)
        evidence = _evidence(self.learner_, features, data)[: labels.n_annotators]
        return channel.memberships(evidence)

    def _channel(self) -> Groups:
        return Groups(self.n_groups, self.per, self.gate, smoothing=self.smoothing)

    def _keep(self, learner: Learner, labels: Annotations) -> Self:
        channel: Any = learner.channel
        evidence = _evidence(learner, learner.features, learner.data)[: labels.n_annotators]
        learner.company.add_up(evidence)
        channel.know(evidence)
        return super()._keep(learner, labels)


@torch.no_grad()
def _evidence(learner: Learner, features: Features, data: VoteData) -> Tensor:
    """What labels say of their annotators' groups, a block of tasks at a time."""
    learner.network.eval()
    learner.channel.eval()
    channel: Any = learner.channel
    n_annotators = max(data.votes.n_annotators, channel.n_annotators)
    total = torch.zeros(n_annotators, channel.spec.n_groups, device=learner.device)
    for rows, x in features.all():
        units = torch.arange(rows.start, rows.stop, device=learner.device)
        part = channel.evidence(learner.log_truth(x), data.batch(units, x))
        total[: len(part)] += part
    return total
