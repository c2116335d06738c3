"""Names: a frozen list of distinct names, where a name's place is its code."""

from __future__ import annotations

import datetime
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl

from ..errors import LabelError
from .lookup import Stored, codes_in, store

__all__ = ["Names"]

# What polars has a type for, besides integers and text.
PLAIN = {bool, float, bytes, datetime.date, datetime.datetime, datetime.time, datetime.timedelta}


class Names(Sequence[Any]):
    """Distinct names of tasks, annotators or classes; the i-th name has code i.

    Integers and text live in a polars column, any other hashable in a tuple, and the plain
    codes 0, 1, 2 ... in nothing at all, so ten million tasks cost what their text costs.

    >>> names = Names(["cat", "dog"])
    >>> names
    Names(['cat', 'dog'])
    >>> names[1], names.position("dog"), names.codes(["dog", "bird"]).tolist()
    ('dog', 1, [1, -1])
    >>> Names.range(3)[2]
    2
    """

    __slots__ = ("_lookup", "_values")
    _values: Stored
    _lookup: dict[Hashable, int] | None

    def __init__(self, values: Iterable[Any], what: str = "names"):
        if isinstance(values, Names):
            self._values, self._lookup = values._values, values._lookup
            return
        self._values, self._lookup = store(values, what), None
        _refuse_repeats(self._values, what)

    @classmethod
    def range(cls, size: int) -> Names:
        """The names 0, 1 ... size - 1."""
        return cls.distinct(range(size))

    @classmethod
    def distinct(cls, values: Stored) -> Names:
        """Names that the caller knows to be distinct: int64 or text in a column, or hashables."""
        names = object.__new__(cls)
        names._values, names._lookup = values, None
        return names

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._values)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, (int, np.integer)):
            return self._values[int(index)]
        return self.take(np.arange(len(self))[index])

    def __contains__(self, value: object) -> bool:
        return isinstance(value, Hashable) and value in self._index()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Names):
            return NotImplemented
        if isinstance(self._values, tuple) or isinstance(other._values, tuple):
            return self.to_list() == other.to_list()
        if isinstance(self._values, range) and isinstance(other._values, range):
            return len(self) == len(other)
        if not len(self) or not len(other):
            return len(self) == len(other)
        return self.to_series().equals(other.to_series(), check_dtypes=True)

    def __hash__(self) -> int:
        return hash((len(self), self[0] if len(self) else None))

    def __repr__(self) -> str:
        shown = ", ".join(_shown(self[i]) for i in range(min(len(self), 6)))
        return f"Names([{shown}{f', ... {len(self)} in all' if len(self) > 6 else ''}])"

    def __reduce__(self) -> tuple[Any, ...]:
        return Names.distinct, (self._values,)

    def take(self, index: np.ndarray) -> Names:
        """The names at these codes, in this order; no code twice."""
        index = np.asarray(index, dtype=np.int64)
        if isinstance(self._values, tuple):
            taken: Stored = tuple(self._values[i] for i in index)
        else:
            taken = self.to_series().gather(index)
        if len(index) > 1 and len(np.unique(index)) < len(index):
            _refuse_repeats(taken, "names")
        return Names.distinct(taken)

    def position(self, value: Hashable) -> int:
        """The code of one name; an unknown one is a KeyError."""
        return self._index()[value]

    def codes(self, values: Iterable[Any]) -> np.ndarray:
        """The code of each value, -1 where it is not a name of ours.

        Text and integers never match: "1" is not a name where 1 is.
        """
        column = values._values if isinstance(values, Names) else values
        if not isinstance(column, (pl.Series, tuple)):
            column = store(column, "values")
        if isinstance(column, range):
            column = pl.Series(np.arange(len(column)))
        if isinstance(column, tuple):
            index = self._index()
            return np.fromiter((index.get(v, -1) for v in column), np.int32, len(column))
        return codes_in(column, self._values)

    def union(self, other: Names) -> Names:
        """Ours, then those of theirs that we lack."""
        if self == other:
            return self
        new = other.take(np.flatnonzero(self.codes(other) < 0))
        if not len(new) or not len(self):
            return new if len(new) else self
        ours, theirs = self._values, new._values
        if isinstance(ours, tuple) or isinstance(theirs, tuple) or self.are_text != new.are_text:
            return Names.distinct((*self, *new))
        return Names.distinct(pl.concat([self.to_series(), new.to_series()]))

    def to_list(self) -> list[Any]:
        """As plain Python values."""
        return self._values.to_list() if isinstance(self._values, pl.Series) else list(self._values)

    def to_series(self, name: str = "name") -> pl.Series:
        """As a polars column; hashables that polars has no type for as their text."""
        if isinstance(self._values, pl.Series):
            return self._values.alias(name)
        if isinstance(self._values, range):
            return pl.Series(name, np.arange(len(self)))
        types = set(map(type, self._values))
        plain = len(types) == 1 and types <= PLAIN
        return pl.Series(name, [v if plain else str(v) for v in self._values])

    @property
    def are_codes(self) -> bool:
        """Whether the names are just 0, 1, 2 ..."""
        return isinstance(self._values, range)

    @property
    def are_text(self) -> bool:
        """Whether the names are text, and there are any."""
        return isinstance(self._values, pl.Series) and self._values.dtype == pl.String and len(self) > 0

    def _index(self) -> dict[Hashable, int]:
        if self._lookup is None:
            self._lookup = {value: code for code, value in enumerate(self._values)}
        return self._lookup


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:38]} ..."


def _refuse_repeats(values: Stored, what: str) -> None:
    if isinstance(values, range):
        return
    count = values.n_unique() if isinstance(values, pl.Series) else len(set(values))
    if count == len(values):
        return
    seen: set[Hashable] = set()
    for row, value in enumerate(values):
        if value in seen:
            raise LabelError(f"{what} must be distinct, but {value!r} occurs twice; drop one of them", row)
        seen.add(value)
