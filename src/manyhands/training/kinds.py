"""Which units a kind of label has: the one place where training asks for the kind."""

from __future__ import annotations

from collections.abc import Callable

from ..annotations import Annotations
from .pair_units import PairUnits
from .token_units import TokenUnits
from .units import Units

__all__ = ["units_of"]

UNITS: dict[str, Callable[[Annotations], Units]] = {
    "set": lambda labels: PairUnits(len(labels.classes or ())),
    "tags": lambda labels: TokenUnits(labels.unit_offsets),
}


def units_of(labels: Annotations) -> Units:
    """What has one truth each in this table.

    >>> units_of(Annotations.from_dict({"t": {"ann": {"a", "b"}}})).per_task
    2
    """
    return UNITS[labels.kind](labels) if labels.kind in UNITS else Units()
