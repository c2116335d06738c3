"""Aggregators that count: one sum over all tasks, and then each task by itself."""

from __future__ import annotations

from abc import abstractmethod
from functools import partial, reduce
from typing import Any, ClassVar

from ..annotations import Annotations
from ..io.blocks import Blocks
from ..objectives.summed import added
from ..processes import totals
from ..results import Evidence, Result
from ..results.block_result import BlockResult
from ..results.posterior import Posterior
from .aggregator import Aggregator

__all__ = ["Counted"]


class Counted(Aggregator):
    """Subclasses say what is summed, what follows of the annotators, and what of a task."""

    sums: ClassVar[bool] = True

    @abstractmethod
    def _sums(self, labels: Annotations) -> Any:
        """A tuple of tensors that add up over tables."""

    @abstractmethod
    def _evidence(self, sums: Any) -> Evidence:
        """What a vote says, from the sums over all tasks."""

    def _posterior(self, evidence: Evidence, sums: Any, labels: Annotations) -> Posterior:
        """What is believed of the tasks of a table."""
        return evidence.infer(self._votes(labels))

    @abstractmethod
    def _votes(self, labels: Annotations) -> Any:
        """The votes of a table."""

    def _learn(self, labels: Annotations, start: Posterior | None) -> Result:
        self._check()
        sums = totals(self._sums(labels))
        evidence = self._evidence(sums)
        posterior = self._posterior(evidence, sums, labels)
        return Result(self.name, labels, posterior, evidence, self._settings())

    def _learn_blocks(self, blocks: Blocks) -> BlockResult:
        self._check()
        sums = totals(reduce(added, map(self._sums, blocks), self._sums(blocks.nobody())))
        evidence = self._evidence(sums)
        judge = partial(self._posterior, evidence, sums)
        return BlockResult(self.name, blocks, judge, evidence, self._settings())

    def _check(self) -> None:
        """Of parameters."""
