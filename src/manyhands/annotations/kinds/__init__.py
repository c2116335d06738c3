"""The kinds of label: how the label of one row is read, and what has one truth.

A kind turns a column of raw labels into `Answers`. Nothing below the table needs to know more
than the units and codes that come out of it.
"""

from .answers import ABSTAINED, NOT_ASKED, Answers
from .kind import KINDS, infer_kind, read_labels

__all__ = ["ABSTAINED", "KINDS", "NOT_ASKED", "Answers", "infer_kind", "read_labels"]
