"""Names: a frozen list of distinct names, where a name's place is its code."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl

from ..errors import LabelError

__all__ = ["Names"]


class Names(Sequence[Any]):
    """Distinct names of tasks, annotators or classes; the i-th name has code i.

    Integers and text live in a polars column, any other hashable in a tuple, and the plain
    codes 0, 1, 2 ... in nothing at all, so ten million tasks cost what their text costs.

    >>> names = Names(["cat", "dog"])
    >>> names[1], names.position("dog"), names.codes(["dog", "bird"]).tolist()
    ('dog', 1, [1, -1])
    >>> Names.range(3)[2]
    2
    """

    __slots__ = ("_lookup", "_values")
    _values: range | pl.Series | tuple[Hashable, ...]
    _lookup: dict[Hashable, int] | None

    def __init__(self, values: Iterable[Any], what: str = "names"):
        stored = _store(values)
        if not isinstance(stored, range):
            _refuse_repeats(stored, what)
        self._values, self._lookup = stored, None

    @classmethod
    def range(cls, size: int) -> Names:
        """The names 0, 1 ... size - 1."""
        return cls(range(size))

    @classmethod
    def distinct(cls, values: pl.Series | tuple[Hashable, ...]) -> Names:
        """Names that the caller knows to be distinct."""
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
        return value in self._index()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Names) or len(self) != len(other):
            return NotImplemented if not isinstance(other, Names) else False
        if isinstance(self._values, range) and isinstance(other._values, range):
            return True
        if isinstance(self._values, pl.Series) and isinstance(other._values, pl.Series):
            same_type = self._values.dtype == other._values.dtype
            return same_type and bool((self._values == other._values).all())
        return self.to_list() == other.to_list()

    def __hash__(self) -> int:
        return hash((len(self), self[0] if len(self) else None))

    def __repr__(self) -> str:
        shown = ", ".join(repr(v) for v in list(self._values[:5]))
        return f"Names({len(self)}: {shown}{', ...' if len(self) > 5 else ''})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Names, (self._values,)

    def take(self, index: np.ndarray) -> Names:
        """The names at these codes, in this order."""
        if isinstance(self._values, tuple):
            return Names.distinct(tuple(self._values[i] for i in index))
        return Names(pl.Series(self._values)[np.asarray(index, dtype=np.int64)])

    def position(self, value: Hashable) -> int:
        """The code of one name; an unknown one is a KeyError."""
        return self._index()[value]

    def codes(self, values: Iterable[Any]) -> np.ndarray:
        """The code of each value, -1 where it is not a name of ours."""
        column = _store(values)
        if isinstance(column, pl.Series) and isinstance(self._values, (pl.Series, range)):
            return _join(column, self.to_series())
        index = self._index()
        return np.fromiter((index.get(v, -1) for v in column), np.int32, len(column))

    def union(self, other: Names) -> Names:
        """Ours, then those of theirs that we lack."""
        if self == other:
            return self
        new = other.take(np.flatnonzero(self.codes(other) < 0))
        return Names([*self, *new]) if len(new) else self

    def to_list(self) -> list[Any]:
        """As plain Python values."""
        is_column = isinstance(self._values, pl.Series)
        return self._values.to_list() if is_column else list(self._values)  # type: ignore[union-attr]

    def to_series(self, name: str = "name") -> pl.Series:
        """As a polars column; hashables that polars has no type for as their text."""
        if isinstance(self._values, tuple):
            plain = all(isinstance(v, bool) for v in self._values)
            return pl.Series(name, [v if plain else str(v) for v in self._values])
        if isinstance(self._values, range):
            return pl.Series(name, np.arange(len(self._values)))
        return self._values.alias(name)

    @property
    def are_codes(self) -> bool:
        """Whether the names are just 0, 1, 2 ..."""
        return isinstance(self._values, range)

    def _index(self) -> dict[Hashable, int]:
        if self._lookup is None:
            self._lookup = {value: code for code, value in enumerate(self._values)}
        return self._lookup


def _store(values: Iterable[Any]) -> range | pl.Series | tuple[Hashable, ...]:
    if isinstance(values, Names):
        return values._values
    if isinstance(values, range) and values == range(len(values)):
        return values
    if isinstance(values, pl.Series):
        return _store_column(values)
    items = values.tolist() if isinstance(values, np.ndarray) else list(values)
    for kind in (str, int):
        if all(type(item) is kind for item in items):
            return pl.Series(items, dtype=pl.String if kind is str else pl.Int64)
    return tuple(item.item() if isinstance(item, np.generic) else item for item in items)


def _store_column(values: pl.Series) -> pl.Series | tuple[Hashable, ...]:
    if values.dtype.is_integer():
        return values.cast(pl.Int64)
    return values if values.dtype == pl.String else tuple(values.to_list())


def _join(values: pl.Series, names: pl.Series) -> np.ndarray:
    if values.dtype != names.dtype:
        return np.full(len(values), -1, np.int32)
    left = values.alias("name").to_frame()
    right = names.alias("name").to_frame().with_row_index("code")
    codes = left.join(right, on="name", how="left", maintain_order="left")["code"]
    return codes.cast(pl.Int32).fill_null(-1).to_numpy(writable=True)


def _refuse_repeats(values: pl.Series | tuple[Hashable, ...], what: str) -> None:
    count = values.n_unique() if isinstance(values, pl.Series) else len(set(values))
    if count < len(values):
        seen: set[Hashable] = set()
        twice = next(v for v in values if v in seen or seen.add(v))  # type: ignore[func-returns-value]
        raise LabelError(f"{what} must be distinct, but {twice!r} occurs twice; drop one of them")
