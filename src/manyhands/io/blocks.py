"""Labels larger than memory: a table as blocks of whole tasks, in scratch files."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from ..annotations import Annotations, Answers, Names, id_hash
from ..errors import ParameterError, ProcessError
from ..processes import gathered, size
from .batches import guessed_rows
from .dividing import Dividing
from .memory import as_bytes
from .request import Request
from .tables import open_table

__all__ = ["Blocks"]

RESIDENT = 450 << 20  # bytes that Python, torch and polars hold before any row
LEAST = 64 << 20  # bytes for rows, without which nothing goes on
ROW = 160  # bytes that a row takes at most while its block is made; half of that with short ids
BATCH_ROW = 400  # bytes that a row takes while it is read and divided
SAMPLED = np.uint64(64)  # one task in so many is looked at, to see whether files are sharded


class Blocks:
    r"""A file, or a folder of part files, as blocks of whole tasks that fit into memory one at a time.

    One pass codes annotators and labels and puts rows aside by a hash of their task, so that a task's
    answers meet wherever they stood; from then on blocks are arrays in a scratch folder, which is
    removed with this object. In a process group each process has blocks of its own tasks.

    Args:
        path: parquet (read row group by row group), csv or jsonl (read file by file).
        memory: what the process may hold in all, such as "2G".
        kind, columns, classes, abstain, missing, repeats, format, delimiter: as of `manyhands.read`; kinds are class,
            ordinal and number.
        sharded: in a process group: no task is in two files, so that each process reads its share of the files.
            By default every process reads all files and keeps the tasks whose hash is its own.
        scratch: a folder for the scratch files; they take about 20 bytes an answer and the ids of the tasks.
        progress: called with (rows done, of how many).

    >>> import manyhands as mh
    >>> folder = tempfile.mkdtemp()
    >>> _ = Path(folder, "a.csv").write_text("task,annotator,label\nt1,ann,x\nt2,ann,y\n")
    >>> _ = Path(folder, "b.csv").write_text("task,annotator,label\nt1,bob,x\nt2,bob,x\nt2,cid,y\n")
    >>> blocks = mh.Blocks(folder, memory="1G")
    >>> blocks.n_tasks, blocks.n_answers, blocks.annotators.to_list()
    (2, 5, ['ann', 'bob', 'cid'])
    >>> sorted(mh.DawidSkene().fit(blocks).result_.consensus()["label"])
    ['x', 'y']
    """

    def __init__(
        self,
        path: str | Path,
        *,
        memory: int | str = "2G",
        kind: str | None = None,
        columns: Any = None,
        classes: Any = None,
        abstain: Any = None,
        missing: str | None = None,
        repeats: str = "error",
        format: str | None = None,
        delimiter: str | None = None,
        sharded: bool = False,
        scratch: str | Path | None = None,
        progress: Callable[[int, int], Any] | None = None,
    ):
        self.path, self.memory = Path(path), as_bytes(memory)
        room = self.memory - RESIDENT
        if room < LEAST:
            raise ParameterError(
                f"memory={memory!r} is too little: the program itself holds {RESIDENT >> 20} MB; give 600M or more"
            )
        table = open_table(path, format, delimiter)
        request = Request(kind, columns, classes, abstain, missing, repeats).for_table(table)
        self.scratch = Path(tempfile.mkdtemp(prefix=".tmp-blocks-", dir=scratch))
        weakref.finalize(self, shutil.rmtree, self.scratch, True)
        n_shards = max(1, -(-guessed_rows(table) // (size() * (room // ROW))))
        dividing = Dividing(table, request, self.scratch, n_shards, sharded)
        dividing.read(room // BATCH_ROW, progress)
        self.kind, self.classes, self._annotators = dividing.kind, dividing.classes, dividing.annotators.names
        self._sizes: list[tuple[int, int]] = []
        sample = [self._keep(labels) for labels in dividing.tables()]
        if sharded:
            _refuse_split_tasks(sample)

    # --- what a table has ----------------------------------------------------------------------------

    def __iter__(self) -> Iterator[Annotations]:
        """The blocks, with plain codes for tasks: for fits, which ask for no names."""
        return (self.block(number) for number in range(self.n_blocks))

    def block(self, number: int, names: bool = False) -> Annotations:
        """One block; names: with the ids of its tasks."""
        with open(self._file(number), "rb") as handle:
            starts, annotator, values = (np.load(handle, allow_pickle=False) for _ in range(3))
        n = len(starts) - 1
        task = np.repeat(np.arange(n, dtype=np.int32), np.diff(starts))
        ids = Names.range(n)
        if names:
            ids = Names.distinct(pl.read_ipc(self._file(number, "arrow"))["task"])
        return Annotations(self.kind, ids, self.annotators, task, annotator, Answers(values, self.classes))

    @property
    def n_blocks(self) -> int:
        """How many blocks this process has."""
        return len(self._sizes)

    @property
    def n_tasks(self) -> int:
        """Tasks of this process."""
        return sum(tasks for tasks, _ in self._sizes)

    @property
    def n_answers(self) -> int:
        """Answers of this process."""
        return sum(answers for _, answers in self._sizes)

    @property
    def annotators(self) -> Names:
        """All annotators, also of other processes."""
        return self._annotators

    @property
    def n_annotators(self) -> int:
        """How many."""
        return len(self.annotators)

    @property
    def n_classes(self) -> int:
        """How many values the truth of a unit may take."""
        return len(self.classes or ())

    def nobody(self) -> Annotations:
        """A block without tasks."""
        none = np.empty(0, dtype=np.int32)
        values = np.empty(0, dtype=np.float64 if self.kind == "number" else np.int8)
        return Annotations(
            self.kind, Names.range(0), self.annotators, none, none, Answers(values, self.classes)
        )

    def _keep(self, labels: Annotations) -> np.ndarray:
        """Write a block; gives a sample of the hashes of its tasks."""
        number = len(self._sizes)
        with open(self._file(number), "wb") as handle:
            for array in (labels.task_starts, labels.annotator, labels.answers.values):
                np.save(handle, array)
        ids = labels.tasks.to_series("task")
        ids.to_frame().write_ipc(self._file(number, "arrow"), compression="lz4")
        self._sizes.append((labels.n_tasks, labels.n_answers))
        hashes = id_hash(ids) if size() > 1 else np.empty(0, dtype=np.uint64)
        return hashes[hashes % SAMPLED == 0]

    def _file(self, number: int, suffix: str = "npy") -> Path:
        return self.scratch / f"block-{number:06d}.{suffix}"


def _refuse_split_tasks(sample: list[np.ndarray]) -> None:
    """Whether a task turned up in two processes, by a sample of the tasks."""
    seen = gathered(np.concatenate(sample) if sample else np.empty(0, dtype=np.uint64))
    for other in range(1, len(seen)):
        for one in range(other):
            if len(np.intersect1d(seen[one], seen[other])):
                raise ProcessError(
                    f"sharded=True (--sharded) says that no task is in two files, but processes {one} and {other} read "
                    f"answers to the same task: leave it out, and tasks are dealt out by a hash of their id",
                    ranks=[one, other],
                )
