"""Regressors trained straight from disagreeing numbers: a network, a channel, an objective."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
import torch
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from ..annotations import Annotations
from ..channels import Gaussian
from ..errors import ParameterError
from ..results import Result
from ..training.callbacks import Callback
from ..training.features import Features
from ..training.learner import Learner
from ..training.number_truth import NumberTruth
from ..training.spread import held_out_tasks, settle
from ..training.truth import Truth
from .checks import check_between
from .crowd_estimator import CrowdEstimator
from .inputs import features_for, numbers_for
from .number_result import number_result
from .number_scoring import held_out_density
from .soft_label_fit import is_soft_network

__all__ = ["CrowdRegressor"]


class CrowdRegressor(RegressorMixin, CrowdEstimator):
    r"""$l_n = a_j z_i + b_j + \epsilon_n$, $z_i \sim N(\mu(x_i), s^2)$: any network, any channel of numbers.

    network: as `CrowdClassifier` has it, of one output; it learns numbers brought to mean 0 and
        deviation 1, and says them in the answers' own units.
    channel: `Gaussian` (None: a bias and a precision an annotator), `Student` for crowds with wild
        answers, `NumberLayer` (squared error, objective "marginal" alone).
    objective: "joint", the exact likelihood of all answers to a task together; "em" climbs the same in
        rounds, in closed form where the channel has one; "marginal" draws the truth anew for each answer.
    calibration_fraction: the share of labelled tasks that a second training, on the others, is held
        against, to say how far truths lie from what the network says: the deviation of `predict`. At 0
        the training's own tasks say it: half the time, and too sure where the network knows them by heart.
    The rest are those of `CrowdClassifier`. Where no task has two answers nothing tells noise from
    truth: what the network leaves is then taken for the truth's.

    Attributes: `network_`, `channel_`, `history_`, `seed_`, `spread_` (the deviation of truths about the
    network's word, apart from a bias of the whole crowd), `result_` (the training tasks, from network and labels together; annotators).

    >>> from manyhands import CrowdRegressor, simulate
    >>> crowd = simulate("numbers", n_tasks=300, n_annotators=8, seed=0)
    >>> X = crowd.truth[:, None] + np.random.default_rng(0).normal(size=(300, 2))
    >>> mean, deviation = CrowdRegressor("linear", epochs=5).fit(X, crowd.labels).predict(X, return_std=True)
    >>> mean.shape, deviation.shape
    ((300,), (300,))
    """

    name: ClassVar[str] = "crowd-regressor"
    kinds: ClassVar[tuple[str, ...]] = ("number",)
    _truth_class: ClassVar[type[Truth]] = NumberTruth

    def __init__(
        self,
        network: Any = "skip",
        channel: Any = None,
        objective: str = "joint",
        *,
        calibration_fraction: float = 0.2,
        epochs: int = 50,
        batch_size: int | str = "auto",
        learning_rate: float = 1e-3,
        channel_learning_rate: float | None = 1e-2,
        weight_decay: float = 0.1,
        optimizer: str = "adamw",
        schedule: str | None = None,
        epochs_a_round: int = 1,
        closed_form: bool = True,
        majority_epochs: int = 0,
        marginal_epochs: int = 0,
        average: int = 5,
        input_dropout: float | str = "auto",
        validation_fraction: float = 0.0,
        patience: int | None = None,
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
            network, channel, objective, epochs=epochs, batch_size=batch_size, learning_rate=learning_rate,
            channel_learning_rate=channel_learning_rate, weight_decay=weight_decay, optimizer=optimizer,
            schedule=schedule, epochs_a_round=epochs_a_round, closed_form=closed_form,
            majority_epochs=majority_epochs, marginal_epochs=marginal_epochs, average=average,
            input_dropout=input_dropout, validation_fraction=validation_fraction, patience=patience,
            use_truth=use_truth, device=device, mixed_precision=mixed_precision, random_state=random_state,
            callbacks=callbacks, checkpoint=checkpoint, checkpoint_every=checkpoint_every, resume=resume,
        )  # fmt: skip
        self.calibration_fraction = calibration_fraction

    def partial_fit(self, X: Any, y: Any = None, *, annotations: Any = None) -> Self:
        """One more epoch, on these tasks; annotators, and the units of the numbers, are those of the first call."""
        given = y if annotations is None else annotations
        return self._go_on(X, given) if hasattr(self, "network_") else self.fit(X, given)

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """The number of every row; with return_std also the deviation of its truth.

        It holds what x leaves open, and how far the whole crowd may be biased, as biases scatter.
        """
        check_is_fitted(self, "network_")
        features = features_for(self, X, None, reset=False)
        mean, deviation = self._number_truth().restored(
            self.learner_.predict_log(features), self.learner_.channel
        )
        return (mean, deviation) if return_std else mean

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The mean log-density of held-out annotations; or, for plain gold numbers, R squared.

        An annotator that was not fitted answers as an ordinary one, without bias.
        """
        if not isinstance(y, Annotations):
            return float(super().score(X, y, sample_weight))
        check_is_fitted(self, "network_")
        features = features_for(self, X, y.n_tasks, reset=False)
        return held_out_density(self.learner_, self.labels_, features, y)

    def _check(self) -> None:
        check_between(self, 0, 0.9, "calibration_fraction")
        if is_soft_network(self.network):
            name = type(self.network).__name__
            raise ParameterError(
                f"network={name} is scikit-learn's, which numbers do not take: give a torch network"
            )
        super()._check()

    def _channel(self) -> Any:
        return Gaussian() if self.channel is None else self.channel

    def _accept(self, y: Any) -> Annotations:
        return numbers_for(y)

    def _accept_more(self, y: Any) -> Annotations:
        return numbers_for(y)

    def _finish(self, learner: Learner, features: Features, labels: Annotations, weight: Any) -> None:
        """Tasks that a twin has not seen say how far truths lie from a network's word."""
        settle(learner)
        rest, held = held_out_tasks(labels, self.calibration_fraction, self.seed_, features.shard)
        if held is None:
            return
        twin = copy.copy(self).set_params(callbacks=(), checkpoint=None, resume=False)
        other = twin._learner(features, rest, weight)
        other.fit()
        settle(other, learner.truth.votes(held, self.abstention)._replace(shard=learner.data.votes.shard))
        with torch.no_grad():
            learner.channel.log_spread.copy_(other.channel.log_spread)  # type: ignore[union-attr, arg-type, operator]

    def _result(self, learner: Learner, labels: Annotations) -> Result:
        return number_result(self, learner, labels)

    def _describe(self, result: Result) -> None:
        log_spread: Any = self.learner_.channel.log_spread
        self.spread_ = float(np.exp(0.5 * float(log_spread.detach()))) * self._number_truth().scale

    def _number_truth(self) -> NumberTruth:
        truth = self.learner_.truth
        assert isinstance(truth, NumberTruth)
        return truth
