"""Learning from crowds: logistic regression and the annotators' rates by EM (Raykar et al., 2010)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from ..channels import Confusion
from ..errors import ParameterError
from ..training.callbacks import Callback
from .classifier import CrowdClassifier

__all__ = ["Raykar"]


class Raykar(CrowdClassifier):
    r"""E: $q_i(k) \propto f_k(x_i) \prod_n T_{j_n}[k, l_n]$. M: T by its mode given q, the regression on q.

    Raykar et al., *Learning from crowds*, JMLR 2010: of two classes the second is the positive one,
    $\alpha_j = T_j[1, 1]$ an annotator's sensitivity, $\beta_j = T_j[0, 0]$ its specificity. EM starts
    from the shares of votes. For crowds where each annotator has given labels enough to know them
    by; `DeepEM` is the same mechanism under a deep network.

    sensitivity, specificity: the two numbers (right, wrong) of a Beta prior on each; Beta(1, 1) is
        flat, None is maximum likelihood. `specificity` None is as `sensitivity`; of more than two
        classes each has its own rate by `sensitivity`, and what is wrong shared by the others
        (Dirichlet). Without a prior an annotator of few labels is taken to be what these say, and a
        rare class can die out: `raykar-prior` in the catalogue has Beta(5, 2).
    weight_decay: a Gaussian prior on the regression's weights.
    epochs_a_round: epochs of the regression in an M-step. `network=LogisticRegression()` of
        scikit-learn makes each M-step whole (such a model is not saved).
    The rest are those of `CrowdClassifier`.

    >>> from manyhands import Raykar, simulate
    >>> crowd = simulate("confusion", n_tasks=400, n_annotators=5, n_classes=2, n_features=4, seed=0)
    >>> model = Raykar(sensitivity=(5, 2), epochs=20).fit(crowd.features, crowd.labels)
    >>> bool(abs(model.channel_.confusions().numpy() - crowd.confusions).mean() < 0.05)
    True
    """

    name: ClassVar[str] = "raykar"

    def __init__(
        self,
        network: Any = "linear",
        *,
        sensitivity: tuple[float, float] | None = None,
        specificity: tuple[float, float] | None = None,
        epochs: int = 100,
        batch_size: int | str = 64,
        learning_rate: float = 1e-2,
        weight_decay: float = 0.0,
        optimizer: str = "adam",
        schedule: str | None = None,
        epochs_a_round: int = 2,
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
            weight_decay=weight_decay, optimizer=optimizer, schedule=schedule, epochs_a_round=epochs_a_round,
            average=average, input_dropout=input_dropout, validation_fraction=validation_fraction,
            patience=patience, abstention=abstention, use_truth=use_truth, device=device,
            mixed_precision=mixed_precision, random_state=random_state, callbacks=callbacks,
            checkpoint=checkpoint, checkpoint_every=checkpoint_every, resume=resume,
        )  # fmt: skip
        self.sensitivity, self.specificity = sensitivity, specificity

    def _channel(self) -> Confusion:
        if self.sensitivity is None and self.specificity is None:
            return Confusion()
        own = _counts(self, "sensitivity")
        if self.specificity is None:
            return Confusion(right=own[0], wrong=own[1])
        other = _counts(self, "specificity")
        return Confusion(right=(other[0], own[0]), wrong=(other[1], own[1]))

    def _check(self) -> None:
        for name in ("sensitivity", "specificity"):
            _counts(self, name)
        super()._check()


def _counts(owner: Raykar, name: str) -> tuple[float, float]:
    """The counts of votes that a Beta prior is worth: its mode is that of so many right and wrong."""
    given = getattr(owner, name)
    if given is None:
        return 0.0, 0.0
    try:
        right, wrong = (float(value) - 1 for value in given)
    except (TypeError, ValueError):
        right = wrong = -1.0
    if not (0 <= right < float("inf") and 0 <= wrong < float("inf")):
        raise ParameterError(
            f"{name}={given!r} of Raykar must be None, or two numbers of at least 1, such as (5, 2)"
        )
    return right, wrong
