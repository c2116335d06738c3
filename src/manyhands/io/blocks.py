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
from ..annotations.assemble import as_given, assemble
from ..annotations.encode import declared, encode
from ..annotations.kinds import read_labels
from ..errors import LabelError, ParameterError, ProcessError, UnsupportedError
from ..processes import agree, gathered, rank, size
from .batches import batches, files_of, guessed_rows
from .growing import GrowingNames
from .memory import as_bytes
from .request import Request
from .roles import find_roles, given_columns
from .spill import Spill
from .tables import Table, open_table

__all__ = ["Blocks"]

KINDS = ("class", "ordinal", "number")
RESIDENT = 450 << 20  # bytes that Python, torch and polars hold before any row
ROW = 260  # bytes that a row takes at most while its block is made
BATCH_ROW = 500  # bytes that a row takes while it is read and divided
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
        self.path, self.memory, self.sharded = Path(path), as_bytes(memory), sharded
        room = self.memory - RESIDENT
        if room < 64 << 20:
            raise ParameterError(
                f"memory={memory!r} is too little: the program itself holds {RESIDENT >> 20} MB; give 600M or more"
            )
        table = open_table(path, format, delimiter)
        self._request = Request(kind, columns, classes, abstain, missing, repeats).for_table(table)
        self._roles = find_roles(table, given_columns(columns))
        self.scratch = Path(tempfile.mkdtemp(prefix=".tmp-blocks-", dir=scratch))
        self._finalizer = weakref.finalize(self, shutil.rmtree, self.scratch, True)
        rows = guessed_rows(table)
        self._n_shards = max(1, -(-rows // (size() * (room // ROW))))
        self._annotators, self._labels = GrowingNames("annotator ids"), GrowingNames("labels")
        self.kind = ""
        spill = Spill(self.scratch)
        self._put_aside(table, spill, room // BATCH_ROW, rows, progress)
        self._agree()
        self._make(spill)

    # --- what a table has ----------------------------------------------------------------------------

    def __iter__(self) -> Iterator[Annotations]:
        """The blocks, with plain codes for tasks: for fits, which ask for no names."""
        return (self.block(number) for number in range(self.n_blocks))

    def block(self, number: int, names: bool = False) -> Annotations:
        """One block; names: with the ids of its tasks."""
        with open(self._file(number), "rb") as handle:
            starts, annotator, values = (np.load(handle) for _ in range(3))
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
        return self._annotators.names

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

    # --- making it -----------------------------------------------------------------------------------

    def _put_aside(
        self, table: Table, spill: Spill, rows: int, total: int, progress: Callable[[int, int], Any] | None
    ) -> None:
        done = 0
        for number, file in enumerate(files_of(table)):
            first = 0
            if not self.sharded or number % size() == rank():
                for _, first, frame in batches(file, [*self._roles.values()], rows):
                    self._add(spill, frame, done + first)
                    if progress is not None:
                        progress(done + first + frame.height, total)
            done += guessed_rows(file)

    def _add(self, spill: Spill, frame: pl.DataFrame, first: int) -> None:
        """Code a batch; its rows are numbered on."""
        task, annotator, label = (frame[self._roles[role]] for role in ("task", "annotator", "label"))
        try:
            shard = self._shards(task)
            if not self.kind:
                self._find_kind(label)
            coded = {
                "task": task,
                "annotator": self._annotators.codes(annotator),
                "label": self._read_numbers(label)
                if self.kind == "number"
                else self._labels.codes_or_empty(label),
                "row": np.arange(first, first + frame.height),
            }
        except LabelError as error:
            raise (
                error if error.row is None else error.at(f"row {error.row + first}", error.row + first)
            ) from None
        spill.add(pl.DataFrame(coded), shard)

    def _shards(self, task: pl.Series) -> np.ndarray:
        """The shard of each row: a hash of its task; of another process -1."""
        distinct, codes = encode(task, "task ids")
        hashes = id_hash(distinct) >> np.uint64(33)
        own = hashes // np.uint64(size()) % np.uint64(self._n_shards)
        shard = own.astype(np.int64)
        if not self.sharded:
            shard[hashes % np.uint64(size()) != rank()] = -1
        return shard[codes]

    def _find_kind(self, label: pl.Series) -> None:
        request = self._request
        stated = None if request.classes is None else declared(request.classes, "classes=")
        self.kind, _ = read_labels(label, request.kind, stated, request.abstain)
        if self.kind not in KINDS:
            raise UnsupportedError(
                f"labels of kind {self.kind!r} are not read in blocks, only {', '.join(KINDS)}: read the table whole, "
                f"without --memory"
            )

    def _read_numbers(self, label: pl.Series) -> np.ndarray:
        _, answers = read_labels(label, "number", None, self._request.abstain)
        return answers.values

    def _agree(self) -> None:
        """The same annotators, classes and kind in all processes."""
        kinds = [kind for kind in gathered(self.kind) if kind]
        if not kinds:
            raise LabelError(f"{self.path} holds no answers")
        self.kind = self.kind or kinds[0]
        agree("the kind of label", self.kind)
        self._place, self._said = self._annotators.unite(), self._labels.unite()
        self.classes: Names | None = None
        if self.kind != "number":
            request, names = self._request, self._labels.names
            stated = None if request.classes is None else declared(request.classes, "classes=")
            _, answers = read_labels(names.to_series("label"), self.kind, stated, request.abstain)
            self.classes = answers.classes
            self._said = np.append(answers.values, np.array([-1], dtype=answers.values.dtype))[self._said]

    def _make(self, spill: Spill) -> None:
        """From rows put aside to arrays, shard by shard."""
        self._sizes: list[tuple[int, int]] = []
        sample = []
        for shard in range(self._n_shards):
            rows = spill.take(shard)
            if rows is None:
                continue
            labels = self._table(rows)
            del rows
            number = len(self._sizes)
            with open(self._file(number), "wb") as handle:
                for array in (labels.task_starts, labels.annotator, labels.answers.values):
                    np.save(handle, array)
            labels.tasks.to_series("task").to_frame().write_ipc(
                self._file(number, "arrow"), compression="lz4"
            )
            self._sizes.append((labels.n_tasks, labels.n_answers))
            if self.sharded and size() > 1:
                hashes = id_hash(labels.tasks)
                sample.append(hashes[hashes % SAMPLED == 0])
        _refuse_split_tasks(sample)

    def _table(self, rows: pl.DataFrame) -> Annotations:
        label = rows["label"].to_numpy()
        values, empty = (label, np.isnan(label)) if self.kind == "number" else (self._said[label], label < 0)
        annotator = self._place[rows["annotator"].to_numpy()]
        answers = Answers(values, self.classes, np.flatnonzero(empty))
        given = as_given(
            self.kind, encode(rows["task"], "task ids"), (self.annotators, annotator), answers, None
        )
        given = given._replace(row=rows["row"].to_numpy())
        return assemble(Annotations, given, self._request.missing or "error", self._request.repeats)

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
