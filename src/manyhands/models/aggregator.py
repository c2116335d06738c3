"""What every aggregator has in common: labels in, truths out, no features."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np

from ..annotations import Annotations
from ..annotations.sharded import united
from ..errors import LabelError, UnsupportedError
from ..io.blocks import Blocks
from ..processes import size, watched
from ..results import Result
from ..results.block_result import BlockResult
from ..results.posterior import Posterior
from ..results.tables import decisions, unit_labels
from .parameters import Parameters

__all__ = ["CLASS_KINDS", "Aggregator", "as_annotations"]

CLASS_KINDS = ("class", "ordinal", "tags", "set", "soft")


class Aggregator(Parameters, ABC):
    """Fit on a table of labels, predict the truth of its tasks or of new ones.

    Attributes after `fit`: `result_` holds everything learnt; `classes_` the classes in order;
    `labels_` the table.
    """

    name: ClassVar[str]
    sums: ClassVar[bool] = False  # whether what is learnt of annotators follows from sums over tasks
    kinds: ClassVar[tuple[str, ...]] = CLASS_KINDS

    result_: Any  # Result; of blocks BlockResult
    labels_: Any
    classes_: np.ndarray

    def fit(self, labels: Any, y: Any = None) -> Self:
        """Learn the truths of a table: `Annotations`, a data frame, or a wide matrix.

        In a process group each process gives its own tasks, and learns from those of all; tables larger than
        memory come as `Blocks` (docs/scale.md).
        """
        if isinstance(labels, Blocks):
            return self._fit_blocks(labels)
        return self._fit(self._accept(labels), self._before())

    def partial_fit(self, labels: Any, y: Any = None) -> Self:
        """Add labels to those seen, and go on from where the fit stands.

        Settled, it is where `fit` on all labels settles. New tasks and annotators are welcome;
        classes must have been declared by the first table.
        """
        if isinstance(labels, Blocks) or isinstance(getattr(self, "result_", None), BlockResult):
            raise UnsupportedError("labels are not added to blocks: make Blocks of all files, and call fit")
        new = self._accept(labels)
        if not hasattr(self, "result_"):
            return self._fit(new, None)
        new = united(new)
        whole = Annotations.concat([self.labels_, new])
        if whole.classes != self.labels_.classes:
            unknown = [c for c in whole.classes or () if c not in (self.labels_.classes or ())]
            raise UnsupportedError(f"classes {unknown!r} are new: declare all classes= in the first table")
        return self._fit(whole, self.result_)

    def predict(self, labels: Any = None, cost: Any = None) -> np.ndarray:
        """The truth of each task as believed; of the fitted tasks, or of new ones.

        cost: as of `Result.consensus`: decide by least expected cost, not for the likeliest.
        """
        result = self._result_for(labels)
        if cost is None and not result.labels.truth_is_categorical:
            return result.numbers.mean
        values = unit_labels(result, decisions(result, cost)[0]).to_list()
        if result.labels.kind in ("tags", "set"):
            return np.fromiter(values, dtype=object, count=len(values))
        return np.array(values)

    def predict_proba(self, labels: Any = None) -> np.ndarray:
        """The chances of the classes, [units, classes], in the order of `classes_`."""
        return self._result_for(labels).chances

    def fit_predict(self, labels: Any, y: Any = None) -> np.ndarray:
        """`fit`, then the truth of each task."""
        return self.fit(labels).predict()

    @abstractmethod
    def _learn(self, labels: Annotations, start: Posterior | None) -> Result:
        """The result; `start` is what was believed of these units before, for a warm start."""

    def _before(self) -> Result | None:
        """What a warm start goes on from."""
        before = getattr(self, "result_", None) if getattr(self, "warm_start", False) else None
        return before if isinstance(before, Result) else None  # not of blocks

    def _fit(self, labels: Annotations, before: Result | None) -> Self:
        with watched():
            labels = self._united(labels)
            start = None if before is None else before.infer(labels).posterior
            self.result_ = self._learn(labels, start)
        self.labels_ = labels
        self.classes_ = np.array(labels.unit_classes.to_list())
        return self

    def _learn_blocks(self, blocks: Blocks) -> BlockResult:
        """The same of blocks; of those methods alone that learn from sums."""
        raise UnsupportedError(
            f"{self.name} does not learn from sums over tasks, so it wants the whole table in memory: read it with "
            f"manyhands.read, without --memory"
        )

    def _fit_blocks(self, blocks: Blocks) -> Self:
        self._check_kind(blocks.kind)
        if blocks.kind != "number" and not blocks.n_classes:
            raise LabelError("there are no labels and no declared classes: add answers, or declare classes=")
        with watched():
            self.result_ = self._learn_blocks(blocks)
        self.labels_ = blocks
        self.classes_ = np.array(blocks.nobody().unit_classes.to_list())
        return self

    def _check_kind(self, kind: str) -> None:
        if kind not in self.kinds:
            raise UnsupportedError(
                f"{type(self).__name__} takes labels of kind {' or '.join(self.kinds)}, not {kind!r}: "
                f"`manyhands methods --kind {kind}` lists those that fit"
            )

    def _accept(self, labels: Any) -> Annotations:
        table = as_annotations(labels, None if "class" in self.kinds else self.kinds[0])
        self._check_kind(table.kind)
        return table

    def _united(self, labels: Annotations) -> Annotations:
        if size() > 1 and not self.sums:
            raise UnsupportedError(
                f"{self.name} does not learn from sums over tasks, so {size()} processes cannot share its work: fit "
                f"it in one process, or each by itself within manyhands.processes.alone()"
            )
        labels = united(labels)
        if labels.kind != "number" and not labels.n_classes:
            raise LabelError("there are no labels and no declared classes: add answers, or declare classes=")
        return labels

    def _result_for(self, labels: Any) -> Result:
        if not hasattr(self, "result_"):
            from sklearn.exceptions import NotFittedError

            raise NotFittedError(f"this {type(self).__name__} has learnt nothing yet: call fit(labels) first")
        if labels is None and isinstance(self.result_, BlockResult):
            raise UnsupportedError(
                "the tasks were fitted in blocks: go through result_.parts(), or result_.write(folder)"
            )
        found: Result = self.result_ if labels is None else self.result_.infer(self._accept(labels))
        return found

    def _settings(self) -> dict[str, Any]:
        """The parameters that can be written down."""
        plain = (str, int, float, bool, type(None), list, tuple)
        return {k: v for k, v in self.get_params().items() if isinstance(v, plain)}


def as_annotations(labels: Any, kind: str | None = None) -> Annotations:
    """A table as it is, a data frame by `from_frame`, anything else by `from_y`; of this kind, if none is said."""
    if isinstance(labels, Annotations):
        return labels
    import narwhals as nw

    frame = nw.from_native(labels, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        return Annotations.from_frame(labels, kind=kind)
    return Annotations.from_y(labels, kind=kind)
