"""The result of a fit in blocks: what is believed of tasks goes to part files, a block at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..annotations import Annotations
from ..processes import totals
from .evidence import Evidence
from .posterior import Posterior
from .result import Result

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

    from ..io.blocks import Blocks

__all__ = ["BlockResult", "Written"]


class Written(NamedTuple):
    """The part files of all processes, and the table of annotators."""

    parts: list[str]
    annotators: pl.DataFrame


@dataclass(frozen=True, eq=False, repr=False)
class BlockResult:
    r"""What was learnt of annotators, and how to judge a block of tasks by it.

    judge: the posterior of a block. In a process group the tasks are those of this process, the annotators those
    of all; `annotators` and `write` are called by all processes together.

    >>> import tempfile
    >>> from pathlib import Path
    >>> import manyhands as mh
    >>> path = Path(tempfile.mkdtemp(), "votes.csv")
    >>> _ = path.write_text("task,annotator,label\nt1,ann,x\nt1,bob,x\nt2,bob,y\n")
    >>> result = mh.MajorityVote().fit(mh.Blocks(path)).result_
    >>> [sorted(part.consensus()["label"]) for part in result.parts()]
    [['x', 'y']]
    """

    method: str
    labels: Blocks
    judge: Callable[[Annotations], Posterior]
    evidence: Evidence
    settings: dict[str, Any] = field(default_factory=dict)
    history: list[dict[str, Any]] = field(default_factory=list)
    converged: bool = True

    def parts(self) -> Iterator[Result]:
        """The result of each block, as of a table of its own; one at a time in memory."""
        for number in range(self.labels.n_blocks):
            yield self._part(self.labels.block(number, names=True))

    def infer(self, labels: Annotations) -> Result:
        """The truths of other tasks by these annotators, as of `Result.infer`."""
        return self._part(self.labels.nobody()).infer(labels)

    def consensus(self) -> pl.DataFrame:
        """The consensus of all tasks of this process, in memory: see `write` for many."""
        import polars as pl

        parts = [part.consensus() for part in self.parts()]
        return pl.concat(parts or [self._part(self.labels.nobody()).consensus()])

    def annotators(self, level: float = 0.95) -> pl.DataFrame:
        """A row an annotator, from the sums over all blocks and processes; of numbers what the method learnt."""
        return self._table((_sums(part) for part in self.parts()), level)

    def write(
        self,
        folder: str | Path,
        annotators: str | Path | None = None,
        *,
        chances: bool = False,
        progress: Callable[[int, int], Any] | None = None,
    ) -> Written:
        """Write the consensus as parquet part files, and the annotators as one table, going through the blocks once.

        The part files get their names, and old ones go, when all are whole on the disk; `_SUCCESS` is written last.

        chances: with a column of chances a class. progress: called with (blocks done, of how many).
        """
        from .part_files import PartFiles

        with PartFiles(folder) as files:
            table = self._table(self._written(files, chances, progress), 0.95)
            return Written(files.finish(table, annotators), table)

    def to_dict(self) -> dict[str, Any]:
        """The figures of the fit as plain data: tasks and answers of all processes."""
        import torch

        own = torch.tensor([self.labels.n_tasks, self.labels.n_answers], dtype=torch.float64)
        tasks, answers = (int(n) for n in totals((own,))[0])
        return {
            "method": self.method,
            "settings": self.settings,
            "tasks": tasks,
            "annotators": self.labels.n_annotators,
            "answers": answers,
            "iterations": len(self.history),
            "objective": self.history[-1].get("objective") if self.history else None,
            "converged": self.converged,
        }

    def __repr__(self) -> str:
        return f"BlockResult(method={self.method!r}, {self.labels.n_blocks} blocks of {self.labels.path})"

    def _part(self, labels: Annotations) -> Result:
        posterior = self.judge(labels)
        return Result(
            self.method, labels, posterior, self.evidence, self.settings, self.history, self.converged
        )

    def _written(
        self, files: Any, chances: bool, progress: Callable[[int, int], Any] | None
    ) -> Iterator[list[np.ndarray]]:
        for number, part in enumerate(self.parts()):
            files.add(_frame(part, chances))
            yield _sums(part)
            if progress is not None:
                progress(number + 1, self.labels.n_blocks)

    def _table(self, parts: Iterator[list[np.ndarray]], level: float) -> pl.DataFrame:
        import torch

        from .annotator_table import AnnotatorSums, class_columns, with_names

        sums = _sums(self._part(self.labels.nobody()))
        for part in parts:
            sums = [a + b for a, b in zip(sums, part, strict=True)]
        sums = [part.numpy() for part in totals(tuple(torch.from_numpy(part).double() for part in sums))]
        if self.labels.kind == "number":
            columns = {"n": sums[0].astype(np.int64)}
        else:
            classes = self.labels.nobody().unit_classes
            columns = class_columns(AnnotatorSums(*sums), classes, self.evidence, level)
        return with_names(self.labels.annotators, columns | self.evidence.columns())


def _sums(part: Result) -> list[np.ndarray]:
    """What the table of annotators is made of."""
    from .annotator_table import annotator_sums

    if part.labels.kind == "number":
        return [np.bincount(part.labels.annotator, minlength=part.labels.n_annotators)]
    return [*annotator_sums(part)]


def _frame(part: Result, chances: bool) -> pl.DataFrame:
    import polars as pl

    frame = part.consensus()
    if not chances or part.labels.kind == "number":
        return frame
    columns = zip(part.classes, part.chances.T, strict=True)
    return frame.with_columns(
        pl.Series(f"p:{name}", np.ascontiguousarray(column)) for name, column in columns
    )
