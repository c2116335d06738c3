"""A figure with its interval, and the table of figures that `agreement` returns."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Agreement", "Figure"]


@dataclass(frozen=True)
class Figure:
    """One number about a crowd, with an interval.

    n: what it rests on: units with two labels or more, or pairs of annotators for pairwise figures.
    note: why a value or an interval is missing (nan), or what was left out; else empty.

    >>> kappa = Figure("fleiss_kappa", 0.43, 0.35, 0.5, n=30)
    >>> print(kappa)
    fleiss_kappa 0.430 [0.350, 0.500] n=30
    >>> float(kappa)
    0.43
    """

    name: str
    value: float
    low: float
    high: float
    n: int
    note: str = ""

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        note = f" ({self.note})" if self.note else ""
        return f"{self.name} {self.value:.3f} [{self.low:.3f}, {self.high:.3f}] n={self.n}{note}"

    def to_dict(self) -> dict[str, Any]:
        """Plain data, fit for JSON: nan becomes None."""
        return {key: None if _is_nan(value) else value for key, value in asdict(self).items()}


@dataclass(frozen=True, eq=False)
class Agreement(Mapping[str, Figure]):
    """The agreement figures of a crowd, by name; for sets also those of each label.

    by_label: for kind="set", the figures of each label alone; else empty.

    >>> table = Agreement("class", (Figure("percentage", 0.8, 0.7, 0.9, n=12),))
    >>> list(table), table["percentage"].value
    (['percentage'], 0.8)
    """

    kind: str
    figures: tuple[Figure, ...]
    by_label: Mapping[Any, tuple[Figure, ...]] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Figure:
        for figure in self.figures:
            if figure.name == name:
                return figure
        raise KeyError(f"{name!r}: kind={self.kind!r} has the figures {', '.join(self)}")

    def __iter__(self) -> Iterator[str]:
        return (figure.name for figure in self.figures)

    def __len__(self) -> int:
        return len(self.figures)

    def __str__(self) -> str:
        return "\n".join(str(figure) for figure in self.figures)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, fit for JSON."""
        return {
            "kind": self.kind,
            "figures": {figure.name: figure.to_dict() for figure in self.figures},
            "by_label": {
                str(label): {figure.name: figure.to_dict() for figure in figures}
                for label, figures in self.by_label.items()
            },
        }

    def to_frame(self) -> pl.DataFrame:
        """One row a figure: label (null: over all labels), name, value, low, high, n, note."""
        import polars as pl

        rows = [{"label": None, **asdict(figure)} for figure in self.figures]
        rows += [
            {"label": str(label), **asdict(figure)}
            for label, figures in self.by_label.items()
            for figure in figures
        ]
        schema = {"label": pl.String, "name": pl.String, "value": pl.Float64, "low": pl.Float64,
                  "high": pl.Float64, "n": pl.Int64, "note": pl.String}  # fmt: skip
        return pl.DataFrame(rows, schema=schema)


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)
