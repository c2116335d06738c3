"""What a reader was asked for, in the types that the file has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .tables import Table

__all__ = ["Request"]


class Request(NamedTuple):
    """The arguments of `read` that say how labels are understood.

    truth: the column of the table that holds truths, if it is one of them.
    """

    kind: str | None = None
    columns: Mapping[str, str] | str | None = None
    classes: Any = None
    abstain: Any = None
    missing: str | None = None
    repeats: str = "error"
    separator: str | None = None
    tasks: Any = None
    annotators: Any = None
    truth: str | None = None

    def for_table(self, table: Table) -> Request:
        """With names as text where the file has nothing but text: class 1 is "1" there.

        >>> from types import SimpleNamespace
        >>> Request(classes=[0, 1]).for_table(SimpleNamespace(is_text=True)).classes
        ['0', '1']
        """
        if not table.is_text:
            return self
        return self._replace(
            classes=_as_text(self.classes),
            abstain=_as_text(self.abstain),
            tasks=_as_text(self.tasks),
            annotators=_as_text(self.annotators),
        )

    def options(self) -> dict[str, Any]:
        """What says how a label is understood."""
        return {"kind": self.kind, "classes": self.classes, "abstain": self.abstain}


def _as_text(names: Any) -> Any:
    if names is None or isinstance(names, str):
        return names
    return [str(name) for name in names] if hasattr(names, "__iter__") else str(names)
