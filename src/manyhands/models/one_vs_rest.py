"""Sets of labels one label at a time: any method of two classes, fitted anew for each."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from ..annotations import Annotations
from ..errors import LabelError, ParameterError, UnsupportedError
from ..results import Result
from ..results.label_evidence import LabelEvidence
from ..results.posterior import ClassPosterior
from ..training.pair_units import PairUnits
from .aggregator import Aggregator
from .parameters import Parameters

__all__ = ["OneVsRest"]


class OneVsRest(Parameters):
    r"""$\hat z_{i\lambda}$ from the yes and no of label $\lambda$ alone: a model a label.

    Every method takes sets as they are, and then an annotator has one matrix, and the truth one prior, for
    all labels together. Here each label has its own, learnt from its own answers: for labels that
    differ much, and are answered often enough.

    estimator: an aggregator, or a classifier that takes features; it is cloned for every label.

    Attributes: `estimators_` by label, `classes_` the labels, `result_` (posterior and evidence of all; to save
    it, save each label's).

    >>> from manyhands import DawidSkene, OneVsRest, simulate
    >>> crowd = simulate("sets", n_tasks=200, n_annotators=5, n_classes=3, redundancy=3, seed=0)
    >>> model = OneVsRest(DawidSkene(shared=10)).fit(crowd.labels)
    >>> model.predict_proba().shape
    (200, 3)
    """

    name: ClassVar[str] = "one-vs-rest"
    kinds: ClassVar[tuple[str, ...]] = ("set",)

    def __init__(self, estimator: Any = None):
        self.estimator = estimator

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        return {"estimator": None}

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The estimator; deep: and its own parameters as estimator__name."""
        inner = self.estimator.get_params() if deep and self.estimator is not None else {}
        return {"estimator": self.estimator} | {f"estimator__{name}": value for name, value in inner.items()}

    def set_params(self, **parameters: Any) -> Self:
        """Other values, also of the estimator's own parameters."""
        head = "estimator__"
        own = {name.removeprefix(head): v for name, v in parameters.items() if name.startswith(head)}
        super().set_params(**{name: v for name, v in parameters.items() if not name.startswith(head)})
        if own:
            self.estimator.set_params(**own)
        return self

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn a model a label; from labels alone, or for classifiers from features and labels."""
        from sklearn.base import clone

        features, labels = (None, X) if y is None else (X, y)
        self._check(features, labels)
        assert labels.classes is not None
        self.estimators_: dict[Any, Any] = {}
        for label in labels.classes:
            given = labels.of_label(label)
            if not given.n_answers:
                raise LabelError(f"nobody was asked about label {label!r}: leave it out of classes=")
            model = clone(self.estimator)
            self.estimators_[label] = model.fit(given) if features is None else model.fit(features, given)
        self.labels_, self.classes_ = labels, np.array(labels.classes.to_list())
        self.result_ = self._result([model.result_ for model in self.estimators_.values()])
        return self

    def predict_proba(self, X: Any = None) -> np.ndarray:
        """The chances of yes, [tasks, labels]: of the fitted tasks, of new labels, or of new features."""
        self._need_fit()
        if X is None:
            return self._units.chances(self.result_.chances)
        if isinstance(X, Annotations):
            return self._units.chances(self.result_.infer(X).chances)
        return np.column_stack([model.predict_proba(X)[:, 1] for model in self.estimators_.values()])

    def predict(self, X: Any = None) -> np.ndarray:
        """The list of each task's labels."""
        chances = self.predict_proba(X)
        return self._units.labels(self.classes_, (chances > 0.5).ravel())

    @property
    def _units(self) -> PairUnits:
        return PairUnits(len(self.classes_))

    def _check(self, features: Any, labels: Any) -> None:
        if self.estimator is None or not hasattr(self.estimator, "fit"):
            raise ParameterError(
                f"estimator={self.estimator!r} of OneVsRest must be a method such as DawidSkene()"
            )
        if not isinstance(labels, Annotations) or labels.kind != "set":
            raise UnsupportedError("OneVsRest is for sets of labels: give Annotations of kind='set'")
        if isinstance(self.estimator, Aggregator) != (features is None):
            takes = "labels alone" if isinstance(self.estimator, Aggregator) else "features and labels"
            raise ParameterError(
                f"{type(self.estimator).__name__} takes {takes}: fit({takes.replace(' and', ',')})"
            )

    def _need_fit(self) -> None:
        if not hasattr(self, "result_"):
            from sklearn.exceptions import NotFittedError

            raise NotFittedError("this OneVsRest has learnt nothing yet: call fit first")

    def _result(self, parts: list[Result]) -> Result:
        chances = np.stack([part.chances for part in parts], axis=1).reshape(self.labels_.n_units, 2)
        return Result(
            f"{self.name} {parts[0].method}", self.labels_, ClassPosterior(chances),
            LabelEvidence(tuple(part.evidence for part in parts)), parts[0].settings,
            [{"label": str(k), **e} for k, part in zip(self.classes_, parts, strict=True) for e in part.history],
            all(part.converged for part in parts),
        )  # fmt: skip
