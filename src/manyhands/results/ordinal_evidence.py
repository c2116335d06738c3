"""What one vote on ordered classes says: thresholds on one scale, three numbers an annotator."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from ..channels.votes import Votes
from .evidence import TableEvidence
from .posterior import ClassPosterior

if TYPE_CHECKING:
    from ..channels.ordinal import OrdinalParams

__all__ = ["OrdinalEvidence"]


@dataclass(frozen=True, eq=False)
class OrdinalEvidence:
    """discrimination, shift, log_width: [annotators]; the rest is the crowd's scale.

    thresholds: between labels, [classes - 1]; places: of the classes, [classes].
    size: zeros, [labels, classes]. log_truth: the classes' log prior.
    """

    name: ClassVar[str] = "ordinal"
    discrimination: np.ndarray
    shift: np.ndarray
    log_width: np.ndarray
    thresholds: np.ndarray
    places: np.ndarray
    size: np.ndarray
    log_truth: np.ndarray

    @classmethod
    def of(cls, params: OrdinalParams, log_truth: np.ndarray) -> Self:
        """From what the channel learnt."""
        return cls(
            params.discrimination.numpy(), params.shift.numpy(), params.log_width.numpy(),
            params.thresholds.numpy(), params.places.numpy(), params.size.numpy(), log_truth,
        )  # fmt: skip

    @cached_property
    def table(self) -> TableEvidence:
        """Log p(label | truth) of every annotator, [annotators, labels, classes]."""
        import torch

        from ..channels.ordinal import Ordinal, OrdinalParams

        gaps, steps = (np.log(np.diff(line)) for line in (self.thresholds, self.places))
        parts = (self.log_width, self.discrimination, self.shift, self.thresholds[:1].sum(), gaps, steps)
        params = OrdinalParams._make(torch.as_tensor(part) for part in (*parts, self.size))
        return TableEvidence(Ordinal().log_rows(params).numpy().astype(np.float32), self.log_truth)

    def adapt(self, codes: np.ndarray, votes: Votes) -> TableEvidence:
        """Rows of the table; the unseen answer as the fitted do on average."""
        return self.table.adapt(codes, votes)

    def infer(self, votes: Votes) -> ClassPosterior:
        """One E-step."""
        return self.table.infer(votes)

    def of_vote(self, unit: int, annotator: int, label: int, n_classes: int) -> np.ndarray:
        """The row of the table."""
        return self.table.of_vote(unit, annotator, label, n_classes)

    def columns(self) -> dict[str, np.ndarray]:
        """Discrimination (0: cannot tell classes apart), shift (above 0: too high), width (small: extremes)."""
        return {
            "discrimination": self.discrimination,
            "shift": self.shift,
            "width": np.exp(self.log_width),
        }

    def confusion(self, annotator: int) -> np.ndarray:
        """T[k, l] of one annotator."""
        return self.table.confusion(annotator)
