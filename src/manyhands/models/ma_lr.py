"""MA-LR: logistic regression that tells good from random labelers (Rodrigues et al., 2013)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from ..channels import Reliability
from ..training.callbacks import Callback
from .checks import check_between
from .classifier import CrowdClassifier

__all__ = ["MALR"]


class MALR(CrowdClassifier):
    r"""$p(l | x, j) = \phi_j f_l(x) + (1 - \phi_j) / K$: in earnest as the regression says, or at random.

    Rodrigues, Pereira and Ribeiro, *Learning from multiple annotators: distinguishing good from random
    labelers*, Pattern Recognition Letters 2013, by EM (`em-marginal`). One number an annotator and no
    truth that the labels of a task share: for few labels a task from a crowd of which some click
    anything. Adversaries and errors that prefer some classes it does not see.

    reliable: where $\phi$ starts.
    epochs: rounds of EM, each with one pass over the tasks for the regression. Here the E-step keeps
        the truth behind a random label too (drawn from f): the paper's likelihood and the paper's
        fixed points, reached in smaller steps.
    The rest are those of `CrowdClassifier`. After fit, `channel_.reliable()` has $\phi$.

    >>> from manyhands import MALR, simulate
    >>> crowd = simulate("spammers", n_tasks=300, n_annotators=10, n_features=4, seed=0)
    >>> MALR(epochs=20).fit(crowd.features, crowd.labels).channel_.reliable().shape
    torch.Size([10])
    """

    name: ClassVar[str] = "ma-lr"

    def __init__(
        self,
        network: Any = "linear",
        *,
        reliable: float = 0.8,
        epochs: int = 100,
        batch_size: int | str = 64,
        learning_rate: float = 1e-2,
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
            network, None, "em-marginal", epochs=epochs, batch_size=batch_size, learning_rate=learning_rate,
            weight_decay=weight_decay, optimizer=optimizer, schedule=schedule, epochs_a_round=epochs_a_round,
            average=average, input_dropout=input_dropout, validation_fraction=validation_fraction,
            patience=patience, abstention=abstention, use_truth=use_truth, device=device,
            mixed_precision=mixed_precision, random_state=random_state, callbacks=callbacks,
            checkpoint=checkpoint, checkpoint_every=checkpoint_every, resume=resume,
        )  # fmt: skip
        self.reliable = reliable

    def _channel(self) -> Reliability:
        return Reliability(self.reliable)

    def _check(self) -> None:
        check_between(self, 1e-3, 1 - 1e-3, "reliable")
        super()._check()
