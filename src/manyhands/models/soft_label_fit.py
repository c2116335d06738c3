"""A scikit-learn classifier in the network's place: EM whose M-step is `fit` on weighted rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter
from torch import Tensor, nn

from ..errors import ParameterError, UnsupportedError
from ..objectives.objective import objective_named
from ..training.features import Features
from ..training.learner import Learner

__all__ = ["SoftLabelLearner", "SoftLabelNetwork", "check_soft_network", "is_soft_network"]

LEAST = 1e-6  # a row of less weight is left out
SETTLED = 1e-4  # the largest change of a target after which EM has settled
NEITHER = {"marginal_epochs": 0, "majority_epochs": 0, "patience": None, "schedule": None, "checkpoint": None}


def is_soft_network(network: Any) -> bool:
    """Whether it is scikit-learn's, not torch's."""
    return isinstance(network, BaseEstimator) and not isinstance(network, nn.Module)


def check_soft_network(owner: Any) -> None:
    """Refuse, before it trains, what has no meaning or cannot be kept."""
    network, name = owner.network, type(owner.network).__name__
    if not is_classifier(network) or not hasattr(network, "predict_proba"):
        raise ParameterError(
            f"network={name} has no predict_proba: give a classifier that has, or a torch network"
        )
    if not has_fit_parameter(_last(network), "sample_weight"):
        raise ParameterError(
            f"network={name} takes no sample_weight, which soft labels need: give one that does"
        )
    if owner.objective not in ("em", "em-marginal"):
        raise ParameterError(
            f"objective={owner.objective!r} is climbed by gradients, which {name} does not have: set objective='em' "
            f"or 'em-marginal'"
        )
    for parameter, nothing in NEITHER.items():
        if getattr(owner, parameter) != nothing:
            why = "it is not saved" if parameter == "checkpoint" else "it is fitted whole in every round"
            raise UnsupportedError(f"{parameter}= has no meaning with network={name}: {why}; leave it out")


class SoftLabelNetwork(nn.Module):
    """The classifier as a module: rows in, log of the classes' chances out; no gradients.

    >>> from sklearn.linear_model import LogisticRegression
    >>> network = SoftLabelNetwork(LogisticRegression(), 3, seed=0)
    >>> _ = network.fit(np.array([[-1.0], [1.0]]), np.array([[0.9, 0.1, 0], [0.2, 0.8, 0]]))
    >>> network(torch.tensor([[5.0]])).argmax().item()
    1
    """

    def __init__(self, classifier: Any, n_classes: int, seed: int):
        super().__init__()
        self.classifier, self.n_classes = clone(classifier), n_classes
        loose = {
            k: seed
            for k, v in self.classifier.get_params().items()
            if k.endswith("random_state") and v is None
        }
        self.classifier.set_params(**loose)

    def fit(self, x: Any, weights: np.ndarray) -> SoftLabelNetwork:
        """Every row once for each class that it may have, weighted by its chance."""
        row, label = np.nonzero(weights > LEAST)
        last = f"{self.classifier.steps[-1][0]}__" if isinstance(self.classifier, Pipeline) else ""
        self.classifier.fit(x[row], label, **{f"{last}sample_weight": weights[row, label]})
        return self

    def forward(self, x: Tensor) -> Tensor:
        """Log chances; a class that no row had a chance of has next to none."""
        chances = np.zeros((len(x), self.n_classes))
        if len(x):
            chances[:, self.classifier.classes_] = self.classifier.predict_proba(x.cpu().numpy())
        return torch.from_numpy(np.log(np.maximum(chances, 1e-10))).float()


class SoftLabelLearner(Learner):
    """EM: an epoch is a round; it stops where no target moves."""

    by_itself = "a scikit-learn network is fitted"
    network: SoftLabelNetwork
    log_f: Tensor | None = None  # of the training rows, since the last fit

    @torch.no_grad()
    def run_epoch(self, epoch: int) -> None:
        """E-step, closed-form channel, `fit`."""
        before = self.targets
        self.refresh(self.objective, first=epoch == 0)
        if not self.in_closed_form:
            raise ParameterError(
                f"channel {type(self.channel).__name__} has no closed form, and a scikit-learn network no gradients: "
                f"use Confusion, or a torch network"
            )
        self.network.fit(_plain(self.features), self._weights())
        self.log_f = None
        self.log_f = self.predict_log()
        self.history.append({"epoch": epoch, "phase": self.objective.name, "loss": self._loss()})
        if before is not None and self.targets is not None:
            self.stopped = bool((before - self.targets).abs().max() < SETTLED)
        self._tell("on_epoch_end")

    def take(self, *_: Any) -> None:
        """Not without the tasks that it was fitted on."""
        raise UnsupportedError(
            "a scikit-learn network is fitted whole: fit all tasks at once, not by partial_fit"
        )

    def _weights(self) -> np.ndarray:
        assert self.targets is not None
        weights = self.targets
        if self.objective.per_vote:
            weights = torch.zeros_like(self.shares).index_add(0, self.data_units, weights)
        return (weights * self.told[:, None]).cpu().numpy().astype(np.float64)

    def _loss(self) -> float:
        objective = objective_named("marginal" if self.objective.per_vote else "joint")
        parts = [(objective.loss(f, self.channel, b, None), b.weight_sum()) for b, f in self._sweep()]
        return float(sum(loss for loss, _ in parts)) / max(float(sum(n for _, n in parts)), 1e-12)

    def _sweep(self, data: Any = None, features: Features | None = None) -> Any:
        if data is not None or features is not None or self.log_f is None:
            yield from super()._sweep(data, features)
            return
        for rows, x in self.features.all():
            units = torch.arange(rows.start, rows.stop, device=self.device)
            places, unit = self.data.places(units)
            yield self.data.taken(units, places, unit, x), self.log_f[rows]


def _last(network: Any) -> Any:
    return network.steps[-1][1] if isinstance(network, Pipeline) else network


def _plain(features: Features) -> Any:
    """What scikit-learn takes: a matrix, dense or sparse."""
    source = features.source
    if isinstance(source, Tensor):
        return source.cpu().numpy()
    if hasattr(source, "tocsr"):
        return source
    raise UnsupportedError("a scikit-learn network needs features as one matrix, not a Dataset")
