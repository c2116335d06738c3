"""Aggregate first, then train a network on the outcome: the baseline of every paper."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from importlib import import_module
from typing import Any, ClassVar

import numpy as np
import torch
from sklearn.base import clone

from ..annotations import Annotations, split
from ..channels import Confusion
from ..errors import ParameterError
from ..training.callbacks import Callback
from ..training.features import Features
from ..training.learner import Learner
from ..training.rounds import closed_form_counts
from ..training.settings import Settings
from .aggregator import Aggregator
from .classifier import CrowdClassifier
from .deep_em import winners
from .variants import VARIANTS

__all__ = ["TwoStage"]


class TwoStage(CrowdClassifier):
    r"""First $q_i(k)$ from the labels alone, by any aggregator; then f by $\sum_i \sum_k q_i(k) \log f_k(x_i)$.

    What every other system is to be compared with, at the same network; often hard to beat where
    each task has many labels.

    aggregator: a method for classes by its name in the catalogue, such as "glad", "ibcc" or "dawid-skene-map" (the
        command says it in one: `--method two-stage:glad`), or an estimator, such as
        `DawidSkene(shared=5)`, which is copied at fit: `aggregator_`, with a `result_` of its own.
    soft: train on the chances of the classes; else on the likeliest, evenly among ties.
    The rest are those of `CrowdClassifier`. Matrices (`channel_`, `result_`) are counted against q;
    `result_` has the posterior of network and labels together.

    >>> from manyhands import simulate
    >>> crowd = simulate("confusion", n_tasks=300, n_annotators=5, n_classes=3, n_features=4, seed=0)
    >>> model = TwoStage("linear", aggregator="dawid-skene", epochs=5).fit(crowd.features, crowd.labels)
    >>> model.aggregator_.result_.method, model.predict_proba(crowd.features).shape
    ('dawid-skene', (300, 3))
    """

    name: ClassVar[str] = "two-stage"

    def __init__(
        self,
        network: Any = "mlp",
        aggregator: Any = "majority",
        *,
        soft: bool = True,
        epochs: int = 50,
        batch_size: int | str = 64,
        learning_rate: float = 1e-3,
        weight_decay: float = 0.0,
        optimizer: str = "adam",
        schedule: str | None = None,
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
            average=average, input_dropout=input_dropout, validation_fraction=validation_fraction,
            patience=patience, abstention=abstention, use_truth=use_truth, device=device,
            mixed_precision=mixed_precision, random_state=random_state, callbacks=callbacks,
            checkpoint=checkpoint, checkpoint_every=checkpoint_every, resume=resume,
        )  # fmt: skip
        self.aggregator, self.soft = aggregator, soft

    def _channel(self) -> Confusion:
        return Confusion(right=1.0, wrong=1.0)

    def _settings_for(self, sample: torch.Tensor, labels: Annotations) -> Settings:
        settings = super()._settings_for(sample, labels)
        return dataclasses.replace(settings, epochs=0, majority_epochs=self.epochs)

    def _learner(self, features: Features, labels: Annotations, weight: Any) -> Learner:
        learner = super()._learner(features, labels, weight)
        seen = labels
        if self.validation_fraction:
            seen, _ = split(labels, self.validation_fraction, random_state=self.seed_)
        self.aggregator_ = self._aggregator(self.seed_).fit(seen)
        chances = torch.from_numpy(np.ascontiguousarray(self.aggregator_.result_.chances, dtype=np.float32))
        if learner.known is not None:
            told = learner.known >= 0
            chances[told] = learner.shares[told].cpu()
        learner.shares = (chances if self.soft else winners(chances)).to(learner.device)
        with torch.no_grad():
            counts = closed_form_counts(learner.shares[learner.data_units], learner.data)
            learner.channel.update(counts)
        return learner

    def _go_on(self, X: Any, y: Any) -> Any:
        raise ParameterError("TwoStage has no partial_fit: the labels are aggregated once; fit all of them")

    def _aggregator(self, seed: int) -> Aggregator:
        known = aggregators()
        if isinstance(self.aggregator, str) and self.aggregator in known:
            cls, settings = known[self.aggregator]
            made = cls(**settings)
        elif isinstance(self.aggregator, Aggregator):
            made = clone(self.aggregator)
        else:
            raise ParameterError(
                f"aggregator={self.aggregator!r} of TwoStage must be one of {', '.join(map(repr, known))}, or an "
                f"aggregator such as DawidSkene(shared=10)"
            )
        settable = made.get_params()
        shared = {"abstention": self.abstention, "use_truth": self.use_truth, "random_state": seed}
        names = shared if isinstance(self.aggregator, str) else ()
        return made.set_params(**{k: shared[k] for k in names if k in settable})

    def _check(self) -> None:
        super()._check()
        self._aggregator(0)


def aggregators() -> dict[str, tuple[type[Aggregator], dict[str, Any]]]:
    """Those for classes, by the name that they go by: the class and what is set."""
    models = import_module(__package__)
    found = [getattr(models, name) for name in models.__all__]
    kept = [c for c in found if isinstance(c, type) and issubclass(c, Aggregator) and "class" in c.kinds]
    plain: dict[str, tuple[type[Aggregator], dict[str, Any]]] = {c.name: (c, {}) for c in kept}
    return plain | {name: (getattr(models, v.class_name), dict(v.settings)) for name, v in VARIANTS.items()}
