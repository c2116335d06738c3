"""Names that are met batch by batch."""

from __future__ import annotations

import numpy as np
import polars as pl

from ..annotations import Names
from ..annotations.columns import as_column, missing_rows
from ..annotations.encode import encode, whole
from ..processes import gathered

__all__ = ["GrowingNames"]


class GrowingNames:
    """Names in the order in which they are met, over batches of a column.

    >>> growing = GrowingNames("annotator ids")
    >>> [growing.codes(pl.Series(batch)).tolist() for batch in (["b", "a"], ["c", "a"])]
    [[0, 1], [2, 1]]
    """

    def __init__(self, what: str):
        self.what, self.names = what, Names([])

    def codes(self, values: pl.Series) -> np.ndarray:
        """The code of each row; an empty one is an error."""
        names, codes = encode(as_column(values, self.what), self.what)
        self.names = self.names.union(names)
        return self.names.codes(names)[codes]

    def codes_or_empty(self, values: pl.Series) -> np.ndarray:
        """The same, -1 where a row is empty."""
        column = whole(as_column(values, self.what), self.what)
        empty = missing_rows(column)
        codes = np.full(len(column), -1, dtype=np.int32)
        told = np.ones(len(column), dtype=bool)
        told[empty] = False
        assert isinstance(column, pl.Series)
        codes[told] = self.codes(column.filter(pl.Series(told)))
        return codes

    def unite(self) -> np.ndarray:
        """Take in what other processes met; gives the new code of each old one, and -1 for -1 at the end."""
        before, parts = self.names, gathered(self.names)
        whole_ = parts[0]
        for part in parts[1:]:
            whole_ = whole_.union(part)
        self.names = whole_
        return np.append(whole_.codes(before), -1).astype(np.int32)
