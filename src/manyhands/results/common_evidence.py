"""What a vote says where some noise is everybody's: a table, and whose the noise is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..channels.votes import Votes
from .evidence import TableEvidence

__all__ = ["CommonEvidence"]


@dataclass(frozen=True, eq=False)
class CommonEvidence(TableEvidence):
    """The table of mixtures. common: C[truth, label]; share: how much each annotator draws on it."""

    name: ClassVar[str] = "common"
    common: np.ndarray
    share: np.ndarray

    def adapt(self, codes: np.ndarray, votes: Votes) -> CommonEvidence:
        """Rows of the table; the unseen answer, and draw on the common noise, as the fitted do on average."""
        table = super().adapt(codes, votes)
        share = np.append(self.share, self.share.mean() if len(self.share) else 0.5)[codes]
        return CommonEvidence(table.log_rows, table.log_truth, self.common, share)

    def columns(self) -> dict[str, np.ndarray]:
        """The share of the common noise."""
        return {"common": self.share}
