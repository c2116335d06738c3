"""The container of labels: built from anything, checked once, frozen."""

from .encode import sorted_names
from .hashing import id_hash, shard_of
from .header import ALIASES, find_columns
from .kinds import ABSTAINED, KINDS, NOT_ASKED, Answers
from .names import Names
from .ragged import group, starts_of
from .rows import Rows
from .splits import folds, split
from .summary import Summary
from .table import Annotations

__all__ = [
    "ABSTAINED",
    "ALIASES",
    "KINDS",
    "NOT_ASKED",
    "Annotations",
    "Answers",
    "Names",
    "Rows",
    "Summary",
    "find_columns",
    "folds",
    "group",
    "id_hash",
    "shard_of",
    "sorted_names",
    "split",
    "starts_of",
]
