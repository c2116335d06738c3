"""Truth, annotators and network in turn, by EM: Raykar et al. (2010), AggNet (2016), DL-EM."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from ..annotations import Annotations
from ..channels import Confusion
from ..training.callbacks import Callback
from ..training.features import Features
from ..training.learner import Learner
from .checks import check_choice, check_number
from .classifier import CrowdClassifier

__all__ = ["DeepEM"]


class DeepEM(CrowdClassifier):
    r"""E: $q_i(k) \propto f_k(x_i) \prod_n T_{j_n}[k, l_n]$. M: T from counts, the network on q.

    Raykar et al., *Learning from crowds*, JMLR 2010, with `network="linear"`; Albarqouni et al.,
    *AggNet*, 2016, with a deep one. A confusion matrix an annotator, in closed form, one round of EM
    an epoch. For crowds where each annotator has given labels enough to know them by.

    right, wrong: the prior on the matrices: votes that each row has for its own class, and, shared
        out evenly, for the others, before any is seen. Raykar's with prior has such; AggNet's
        published code counts one in every cell.
    start: the first q: "hard", the majority, evenly among ties, as published; or "soft", shares of
        votes.
    epochs_a_round: more epochs make each M-step of the network more complete.
    The rest are those of `CrowdClassifier`.

    >>> from manyhands import simulate
    >>> crowd = simulate("confusion", n_tasks=600, n_annotators=5, n_classes=3, n_features=4, seed=0)
    >>> model = DeepEM("linear", epochs=10, learning_rate=1e-2).fit(crowd.features, crowd.labels)
    >>> bool(abs(model.channel_.confusions().numpy() - crowd.confusions).mean() < 0.05)
    True
    """

    name: ClassVar[str] = "deep-em"

    def __init__(
        self,
        network: Any = "mlp",
        *,
        right: float = 1.0,
        wrong: float = 1.0,
        start: str = "hard",
        epochs: int = 50,
        batch_size: int | str = 64,
        learning_rate: float = 1e-3,
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
            network, None, "em", epochs=epochs, batch_size=batch_size, learning_rate=learning_rate,
            channel_learning_rate=None, weight_decay=weight_decay, optimizer=optimizer, schedule=schedule,
            epochs_a_round=epochs_a_round, average=average, input_dropout=input_dropout,
            validation_fraction=validation_fraction, patience=patience, abstention=abstention,
            use_truth=use_truth, device=device, mixed_precision=mixed_precision, random_state=random_state,
            callbacks=callbacks, checkpoint=checkpoint, checkpoint_every=checkpoint_every, resume=resume,
        )  # fmt: skip
        self.right, self.wrong, self.start = right, wrong, start

    def _channel(self) -> Confusion:
        return Confusion(right=self.right, wrong=self.wrong)

    def _learner(self, features: Features, labels: Annotations, weight: Any) -> Learner:
        learner = super()._learner(features, labels, weight)
        if self.start == "hard":
            learner.shares = winners(learner.shares)
        return learner

    def _check(self) -> None:
        super()._check()
        check_choice(self, start=("hard", "soft"))
        check_number(self, right=0, wrong=0)


def winners(shares: Any) -> Any:
    """The likeliest class of every row, evenly among ties.

    >>> import torch
    >>> winners(torch.tensor([[0.5, 0.3, 0.2], [0.4, 0.4, 0.2]])).tolist()
    [[1.0, 0.0, 0.0], [0.5, 0.5, 0.0]]
    """
    best = (shares >= shares.amax(dim=1, keepdim=True)).to(shares)
    return best / best.sum(dim=1, keepdim=True)
