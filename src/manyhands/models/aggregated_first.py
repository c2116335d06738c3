"""What systems in two stages share, of classes or of numbers: labels are aggregated, a network learns the outcome."""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from importlib import import_module
from typing import Any

import torch
from sklearn.base import clone

from ..annotations import Annotations
from ..errors import ParameterError
from ..results import Result
from ..training.features import Features
from ..training.learner import Learner
from ..training.settings import Extent, Settings
from .aggregator import Aggregator
from .crowd_estimator import CrowdEstimator
from .variants import VARIANTS

__all__ = ["AggregatedFirst"]


class AggregatedFirst(CrowdEstimator):
    """Before the estimator that it is mixed into, which has a parameter `aggregator`."""

    aggregator: Any

    @abstractmethod
    def _beliefs(self, result: Result, learner: Learner) -> torch.Tensor:
        """What the network is to learn, a row a unit, from what the aggregator found."""

    def _settings_for(self, sample: torch.Tensor, labels: Annotations, extent: Extent) -> Settings:
        settings = super()._settings_for(sample, labels, extent)
        return dataclasses.replace(settings, epochs=0, majority_epochs=self.epochs)

    def _learner(self, features: Features, labels: Annotations, weight: Any) -> Learner:
        learner = super()._learner(features, labels, weight)
        seen, _ = self._divided(labels, features.shard)
        self.aggregator_ = self._aggregator(self.seed_).fit(seen)
        beliefs = self._beliefs(self.aggregator_.result_, learner).to(learner.device)
        if learner.known is not None:
            told = learner.truth.told(learner.known)
            beliefs[told] = learner.shares[told]
        learner.shares = beliefs
        with torch.no_grad():
            counts = learner.truth.statistics(beliefs[learner.data_units], learner.data, None)
            learner.company.add_up(counts)
            learner.channel.update(counts)
        return learner

    def _go_on(self, X: Any, y: Any) -> Any:
        raise ParameterError(
            f"{type(self).__name__} has no partial_fit: the labels are aggregated once; fit all of them"
        )

    def _aggregator(self, seed: int) -> Aggregator:
        known = aggregators(self.kinds)
        if isinstance(self.aggregator, str) and self.aggregator in known:
            cls, settings = known[self.aggregator]
            made = cls(**settings)
        elif isinstance(self.aggregator, Aggregator):
            made = clone(self.aggregator)
        else:
            raise ParameterError(
                f"aggregator={self.aggregator!r} of {type(self).__name__} must be one of "
                f"{', '.join(map(repr, known))}, or an aggregator such as {next(reversed(known.values()))[0].__name__}()"
            )
        settable = made.get_params()
        shared = {"abstention": self.abstention, "use_truth": self.use_truth, "random_state": seed}
        names = shared if isinstance(self.aggregator, str) else ()
        return made.set_params(**{k: shared[k] for k in names if k in settable})

    def _check(self) -> None:
        super()._check()
        self._aggregator(0)


def aggregators(kinds: tuple[str, ...]) -> dict[str, tuple[type[Aggregator], dict[str, Any]]]:
    """Those for the first of these kinds, by the name that they go by: the class and what is set."""
    models = import_module(__package__)
    found = [getattr(models, name) for name in models.__all__]
    kept = [c for c in found if isinstance(c, type) and issubclass(c, Aggregator) and kinds[0] in c.kinds]
    plain: dict[str, tuple[type[Aggregator], dict[str, Any]]] = {c.name: (c, {}) for c in kept}
    variants = {name: (getattr(models, v.class_name), dict(v.settings)) for name, v in VARIANTS.items()}
    return plain | {name: made for name, made in variants.items() if made[0] in kept}
