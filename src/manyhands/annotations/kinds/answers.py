"""What was answered: one entry an answer, whatever the kind of label."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...errors import LabelError
from ..names import Names
from ..ragged import segment_index

__all__ = ["ABSTAINED", "NOT_ASKED", "Answers", "frozen", "in_rows", "smallest_codes"]

ABSTAINED = -1  # the code of an answer that says "cannot say"
NOT_ASKED = -2  # of a label of a set that the annotator was not asked about: no answer at all


@dataclass(frozen=True, eq=False)
class Answers:
    """The labels of a table, in codes or numbers.

    values: [answers] codes or numbers; [answers, classes] for sets (0 / 1; -1 cannot say, -2 not
        asked) and soft labels;
        for tags one flat array, answer i being values[starts[i]:starts[i + 1]].
    classes: the names behind the codes; None for numbers.
    empty: the answers that hold nothing at all; none are left once the table stands.
    """

    values: np.ndarray
    classes: Names | None
    empty: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    starts: np.ndarray | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", frozen(self.values))
        if self.starts is not None:
            object.__setattr__(self, "starts", frozen(self.starts))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled and copied frozen."""
        return Answers, (self.values, self.classes, self.empty, self.starts)

    def __len__(self) -> int:
        return len(self.values) if self.starts is None else len(self.starts) - 1

    def take(self, chosen: np.ndarray) -> Answers:
        """The chosen answers, in this order; or those where a mask is true."""
        empty = self.empty
        if len(empty):
            mask = np.zeros(len(self), dtype=bool)
            mask[empty] = True
            empty = np.flatnonzero(mask[chosen])
        if self.starts is None:
            return Answers(self.values[chosen], self.classes, empty)
        chosen = np.flatnonzero(chosen) if chosen.dtype == bool else chosen
        index, starts = segment_index(self.starts, chosen)
        return Answers(self.values[index], self.classes, empty, starts)


def frozen(array: np.ndarray) -> np.ndarray:
    """A look at an array through which nobody can write; its owner still can."""
    if not array.flags.writeable:
        return array
    view = array.view()
    view.flags.writeable = False
    return view


def smallest_codes(codes: np.ndarray, n_classes: int) -> np.ndarray:
    """Codes in the smallest signed integers that hold them: -1 is an abstention."""
    return codes.astype(np.min_scalar_type(-max(n_classes, 1)), copy=False)


@contextmanager
def in_rows(rows: np.ndarray) -> Iterator[None]:
    """What is wrong in entry k of a part is wrong in row rows[k] of the whole."""
    try:
        yield
    except LabelError as error:
        if error.row is None:
            raise
        row = int(rows[error.row])
        raise error.at(f"row {row}", row) from None
