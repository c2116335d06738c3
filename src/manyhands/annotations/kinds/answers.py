"""What was answered: one entry an answer, whatever the kind of label."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..names import Names
from ..ragged import segment_index

__all__ = ["ABSTAINED", "Answers", "smallest_codes"]

ABSTAINED = -1  # the code of an answer that says "cannot say"


@dataclass(frozen=True, eq=False)
class Answers:
    """The labels of a table, in codes or numbers.

    values: [answers] codes or numbers; [answers, classes] for sets (0 / 1) and soft labels;
        for tags one flat array, answer i being values[starts[i]:starts[i + 1]].
    classes: the names behind the codes; None for numbers.
    empty: the answers that hold nothing at all.
    """

    values: np.ndarray
    classes: Names | None
    empty: np.ndarray
    starts: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.values) if self.starts is None else len(self.starts) - 1

    def take(self, chosen: np.ndarray) -> Answers:
        """The chosen answers, in this order."""
        empty = np.zeros(len(self), dtype=bool)
        empty[self.empty] = True
        still_empty = np.flatnonzero(empty[chosen])
        if self.starts is None:
            return Answers(self.values[chosen], self.classes, still_empty)
        index, starts = segment_index(self.starts, chosen)
        return Answers(self.values[index], self.classes, still_empty, starts)


def smallest_codes(codes: np.ndarray, n_classes: int) -> np.ndarray:
    """Codes in the smallest signed integers that hold them: -1 is an abstention."""
    return codes.astype(np.min_scalar_type(-max(n_classes, 1)), copy=False)
