"""CoNAL: common and individual noise behind a gate (Chu, Ma and Wang, 2021)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import torch
from sklearn.utils.validation import check_is_fitted

from ..annotations import Annotations
from ..channels import Common, votes_of
from ..errors import UnsupportedError
from ..training.callbacks import Callback
from ..training.vote_data import VoteData
from .classifier import CrowdClassifier

__all__ = ["CoNAL"]


class CoNAL(CrowdClassifier):
    r"""$p(l | x, j) = \sum_k f_k(x) (w C[k, l] + (1 - w) T_j[k, l])$, $w = \sigma(u_j \cdot v(x))$, by `marginal`.

    Chu, Ma and Wang, *Learning from crowds by modeling common confusions*, AAAI 2021. For crowds
    whose annotators share mistakes, such as two classes that nearly all confuse.

    mix: "probability", the paper's equation 1; "logit", its code.
    length, temperature, n_groups, apart, full_sum: see `manyhands.channels.Common`. The paper tries
        lengths of 20, 40, 60, 80 and apart of 0, 1e-4, 1e-5, 1e-6.
    network: the paper's is 128 ReLU, dropout .5; batch_size, learning_rate, epochs: as its code has
        them for LabelMe (music: 200 epochs); it searches rates .02, .01, .005.
    The rest are those of `CrowdClassifier`. After fit, `task_shares(X, labels)` says how much of what
    was said of a task is common noise, `channel_.mean_shares()` the same of annotators by class,
    `channel_.common_confusions()` and `channel_.individual_confusions()` are the matrices.

    >>> from manyhands import CoNAL, simulate
    >>> crowd = simulate("common", n_tasks=300, n_annotators=10, n_classes=4, seed=0)
    >>> model = CoNAL(epochs=5).fit(crowd.features, crowd.labels)
    >>> model.task_shares(crowd.features, crowd.labels).shape
    (300,)
    """

    name: ClassVar[str] = "conal"

    def __init__(
        self,
        network: Any = "mlp",
        *,
        mix: str = "probability",
        length: int = 20,
        temperature: float = 1.0,
        n_groups: int = 1,
        apart: float = 1e-5,
        full_sum: bool = False,
        epochs: int = 100,
        batch_size: int | str = 1024,
        learning_rate: float = 1e-2,
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
        self.mix, self.length, self.temperature = mix, length, temperature
        self.n_groups, self.apart, self.full_sum = n_groups, apart, full_sum

    def task_shares(self, X: Any, labels: Annotations) -> np.ndarray:
        """The mean of w over the labels of each task, by fitted annotators; nan where there is none."""
        check_is_fitted(self, "network_")
        codes = self.labels_.annotators.codes(labels.annotators)
        if (codes < 0).any():
            who = labels.annotators[int(np.argmin(codes))]
            raise UnsupportedError(f"annotator {who!r} was not fitted, so the gate does not know them")
        features = self._features(X, labels.n_tasks)
        votes = votes_of(labels, self.abstention)
        data = VoteData(votes._replace(annotator=codes[votes.annotator]), self.device)
        channel: Any = self.channel_
        total = torch.zeros(labels.n_units, device=self.device)
        for rows, x in features.all():
            batch = data.batch(torch.arange(rows.start, rows.stop, device=self.device), x)
            total[rows].index_add_(0, batch.unit, channel.shares(batch))
        return (total / data.counts.clamp(min=1)).where(data.counts > 0, torch.nan).cpu().numpy()

    def _channel(self) -> Common:
        return Common(self.length, self.temperature, self.mix, self.n_groups, self.apart, self.full_sum)
