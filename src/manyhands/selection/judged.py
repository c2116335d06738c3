"""One method's row in a comparison."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

__all__ = ["Judged"]


@dataclass(frozen=True)
class Judged:
    """What hidden votes say of a method.

    heldout_log_likelihood, se: the mean of ln p(vote) over hidden votes, and its standard error, tasks being
        what is drawn.
    behind, behind_se: how far below the likeliest method, and the standard error of that difference, vote by
        vote (paired).
    calibration: how far the predicted chances of votes are from their shares (0: as announced).
    weight: its share of the stack. differs: the share of tasks where it decides otherwise than the pick; of
        numbers, the distance from it in deviations of the pick.
    doubt: the share of its decisions that it expects to be wrong, by its own account; of numbers nan.
    truth: against known truths, where these were given.
    """

    name: str
    heldout_log_likelihood: float
    se: float
    behind: float
    behind_se: float
    calibration: float
    weight: float
    differs: float
    doubt: float
    seconds: float
    truth: dict[str, float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """As a flat row of plain data."""
        row = asdict(self)
        row |= row.pop("truth")
        return row
