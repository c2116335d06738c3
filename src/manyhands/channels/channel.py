"""What every channel over classes promises the EM loop."""

from __future__ import annotations

from typing import Any, Protocol

from torch import Tensor

__all__ = ["FLOOR", "Channel"]

# Of a vote, seen before any in every cell: a certain channel would forbid what may yet be seen.
# It is part of the objective, so that nothing ever goes down.
FLOOR = 1e-10


class Channel(Protocol):
    """p(label | truth, annotator), with parameters in a NamedTuple of log-domain tensors.

    The statistics of one E-step are the expected counts [annotators, labels, classes]: how often
    each annotator gave each label to units of each truth.
    """

    def maximise(self, counts: Tensor, params: Any | None) -> Any:
        """The parameters that explain the counts best (or better than `params`)."""
        ...

    def log_rows(self, params: Any) -> Tensor:
        """Log p(label | truth), [annotators, labels, classes], float64."""
        ...

    def log_prior(self, params: Any) -> float:
        """The log density of the parameters' prior, up to a constant."""
        ...

    def project(self, params: Any) -> Any:
        """The nearest valid parameters, after an extrapolation."""
        ...
