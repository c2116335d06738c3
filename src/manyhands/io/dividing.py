"""Rows of any table, divided into tables of whole tasks by a hash of the task."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from ..annotations import Annotations, Answers, id_hash
from ..annotations.assemble import as_given, assemble
from ..annotations.encode import declared, encode
from ..annotations.kinds import read_labels
from ..errors import LabelError, UnsupportedError
from ..processes import agree, gathered, rank, size
from .batches import batches, files_of, guessed_rows
from .growing import GrowingNames
from .request import Request
from .roles import find_roles, given_columns
from .spill import Spill
from .tables import Table

__all__ = ["Dividing"]

KINDS = ("class", "ordinal", "number")


class Dividing:
    """First `read`, batch by batch, to files a shard; then `tables`, shard by shard.

    Annotators and labels get codes as they are met. Of labels every distinct one is understood once, at the
    end; in a process group annotators and classes are those of all processes.
    """

    def __init__(self, table: Table, request: Request, scratch: Path, n_shards: int, sharded: bool):
        self.table, self.request, self.n_shards, self.sharded = table, request, n_shards, sharded
        self.annotators, self.labels = GrowingNames("annotator ids"), GrowingNames("labels")
        self.kind, self.classes = (
            "",
            None if request.classes is None else declared(request.classes, "classes="),
        )
        self._roles = find_roles(table, given_columns(request.columns))
        self._spill = Spill(scratch)
        if request.kind is not None:
            self._settle_kind(request.kind)

    def read(self, rows: int, progress: Callable[[int, int], Any] | None) -> None:
        """Put all rows aside that are of this process, so many at a time."""
        done, total = 0, guessed_rows(self.table)
        for number, file in enumerate(files_of(self.table)):
            if not self.sharded or number % size() == rank():
                for _, start, frame in batches(file, [*self._roles.values()], rows):
                    self._add(frame, done + start)
                    if progress is not None:
                        progress(done + start + frame.height, total)
            done += guessed_rows(file)
        self._agree()

    def tables(self) -> Iterator[Annotations]:
        """The table of each shard that has rows."""
        for shard in range(self.n_shards):
            rows = self._spill.take(shard)
            if rows is not None:
                yield self._table(rows)

    def _add(self, frame: pl.DataFrame, first: int) -> None:
        """Code a batch; its rows are numbered on from `first`."""
        task, annotator, label = (frame[self._roles[role]] for role in ("task", "annotator", "label"))
        try:
            if not self.kind:
                self._settle_kind(read_labels(label, None, self.classes, self.request.abstain)[0])
            shard = self._shards(task)
            coded = {"task": task, "annotator": self.annotators.codes(annotator), "label": self._said(label)}
        except LabelError as error:
            raise error if error.row is None else _numbered_on(error, first) from None
        coded["row"] = np.arange(first, first + frame.height)
        self._spill.add(pl.DataFrame(coded), shard)

    def _settle_kind(self, kind: str) -> None:
        if kind not in KINDS:
            raise UnsupportedError(
                f"labels of kind {kind!r} are not read in blocks, only {', '.join(KINDS)}: read the table whole, "
                f"without --memory"
            )
        self.kind = kind

    def _said(self, label: pl.Series) -> np.ndarray:
        """Numbers (NaN for none), or codes of distinct labels (-1 for none)."""
        if self.kind == "number":
            return read_labels(label, "number", None, self.request.abstain)[1].values
        return self.labels.codes_or_empty(label)

    def _shards(self, task: pl.Series) -> np.ndarray:
        """The shard of each row: a hash of its task; -1 of another process."""
        distinct, codes = encode(task, "task ids")
        hashes = id_hash(distinct) >> np.uint64(33)
        shard = (hashes // np.uint64(size()) % np.uint64(self.n_shards)).astype(np.int64)
        if not self.sharded:
            shard[hashes % np.uint64(size()) != rank()] = -1
        return shard[codes]

    def _agree(self) -> None:
        """The same kind, annotators and classes in all processes."""
        kinds = [kind for kind in gathered(self.kind) if kind]
        if not kinds:
            raise LabelError(f"{self.table.path} holds no answers")
        self.kind = self.kind or kinds[0]
        agree("the kind of label", self.kind)
        self._annotator_codes, self._codes = self.annotators.unite(), self.labels.unite()
        if self.kind != "number":
            distinct = self.labels.names.to_series("label")
            _, answers = read_labels(distinct, self.kind, self.classes, self.request.abstain)
            self.classes = answers.classes
            self._codes = np.append(answers.values, answers.values.dtype.type(-1))[self._codes]

    def _table(self, rows: pl.DataFrame) -> Annotations:
        said = rows["label"].to_numpy()
        values, empty = (said, np.isnan(said)) if self.kind == "number" else (self._codes[said], said < 0)
        names = self.annotators.names, self._annotator_codes[rows["annotator"].to_numpy()]
        answers = Answers(values, self.classes, np.flatnonzero(empty))
        given = as_given(self.kind, encode(rows["task"], "task ids"), names, answers, None)
        given = given._replace(row=rows["row"].to_numpy())
        return assemble(Annotations, given, self.request.missing or "error", self.request.repeats)


def _numbered_on(error: LabelError, first: int) -> LabelError:
    assert error.row is not None
    return error.at(f"row {error.row + first}", error.row + first)
