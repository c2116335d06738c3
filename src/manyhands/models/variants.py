"""Aggregators that go by a name of their own for their settings: the catalogue and two-stage read them here."""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["VARIANTS", "Variant"]


class Variant(NamedTuple):
    """A class by its name, and what is set."""

    class_name: str
    settings: tuple[tuple[str, Any], ...]


VARIANTS = {
    "majority-hard": Variant("MajorityVote", (("voting", "hard"),)),
    "dawid-skene-map": Variant("DawidSkene", (("shared", 10.0),)),
}
