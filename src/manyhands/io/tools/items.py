"""What a reader of a tool's export hands on, one at a time."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from ...errors import ParameterError
from .fields import Field

__all__ = ["ALL_SHAPES", "Answer", "Content", "Empty", "Item", "Said", "Shape", "Wanted"]

# choices: a list, of which one is a class and several are a set. tags: one a token, found from spans.
Shape = Literal["choices", "rating", "number", "tags", "class"]
ALL_SHAPES: dict[str, str] = {
    "choices": "class", "rating": "ordinal", "number": "number", "tags": "tags", "class": "class"
}  # fmt: skip


class Empty(NamedTuple):
    """An answer that was handed in with nothing in it.

    Of spans it says that there are none (tokens: of how many), of many choices that none applies; of one
    choice, a rating or a number it says nothing.
    """

    tokens: int = 0


class Said(NamedTuple):
    """The label of one answer; value None: an abstention, which fits any shape."""

    value: Any
    shape: Shape | None = None
    question: str | None = None


class Answer(NamedTuple):
    """One answer; annotator None: it is a known truth."""

    task: str
    annotator: str | None
    said: Said
    place: Field
    seconds: float | None = None


class Content(NamedTuple):
    """What a task shows, such as its text."""

    task: str
    data: dict[str, Any]


Item = Answer | Content


@dataclass(frozen=True)
class Wanted:
    """What is asked of a reader.

    task, annotator: a field to take in place of the usual one. label: the question, where there are several.
    contents: whether to hand on what tasks show. order: the columns of a file without a header, in their order.
    notes: what was left out, counted by the reader.
    """

    task: str | None = None
    annotator: str | None = None
    label: str | None = None
    contents: bool = False
    order: tuple[str, ...] = ()
    notes: Counter[str] = field(default_factory=Counter)

    def column(self, header: dict[str, Any], role: str, usual: str, place: Field) -> str:
        """The column of a role in a table: the one given, which must be there, or the usual one."""
        given = getattr(self, role)
        if given is not None and given not in header:
            raise ParameterError(
                f"{place.origin.path} has no column {given!r} (for the {role}); there are "
                f"{', '.join(map(repr, list(header)[:40]))}"
            )
        return given or usual
