"""What the tasks look like: texts, tokens and pictures, by the name of the task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...annotations import Annotations
from ...errors import ParameterError
from ...io.tokens import tokens_of
from .pictures import data_uri

__all__ = ["Material", "material"]

LONGEST = 600  # characters of a text
ROOM = 1_000_000  # characters of pictures in a page


@dataclass
class Material:
    """Texts (or lists of tokens) and pictures by task; whatever is not there is None."""

    texts: Mapping[Any, Any] = field(default_factory=dict)
    pictures: Mapping[Any, Any] = field(default_factory=dict)
    room: int = ROOM
    left_out: int = 0

    def text(self, task: Any) -> str | None:
        """The text of a task, cut where it is long."""
        found = _found(self.texts, task)
        if found is None:
            return None
        text = " ".join(map(str, found)) if isinstance(found, (list, tuple, np.ndarray)) else str(found)
        return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"

    def tokens(self, task: Any, n: int) -> list[str] | None:
        """The tokens of a task, if there are as many as it has tags."""
        found = _found(self.texts, task)
        if isinstance(found, str):
            found = found.split() if len(found.split()) == n else [found[a:b] for a, b in tokens_of(found)]
        return list(map(str, found)) if found is not None and len(found) == n else None

    def picture(self, task: Any) -> str | None:
        """The picture of a task as a data address, as long as there is room in the page."""
        found = _found(self.pictures, task)
        if found is None:
            return None
        address = data_uri(found, task)
        if address is None or len(address) > self.room:
            self.left_out += 1
            return None
        self.room -= len(address)
        return address


def material(labels: Annotations, texts: Any = None, pictures: Any = None) -> Material:
    """Mappings from task, or one entry a task of the table.

    >>> from manyhands import Annotations
    >>> labels = Annotations.from_dict({"t1": {"ann": "x"}, "t2": {"ann": "y"}})
    >>> material(labels, texts=["one", "two"]).text("t2")
    'two'
    """
    return Material(_by_task(labels, texts, "texts"), _by_task(labels, pictures, "pictures"))


def _by_task(labels: Annotations, given: Any, name: str) -> Mapping[Any, Any]:
    if given is None:
        return {}
    if isinstance(given, Mapping):
        return given
    if isinstance(given, str) or not (isinstance(given, (Sequence, np.ndarray)) or hasattr(given, "__len__")):
        raise ParameterError(f"{name}={type(given).__name__}: give a mapping from task, or one entry a task")
    if len(given) != labels.n_tasks:
        raise ParameterError(
            f"{name} has {len(given)} entries where the table has {labels.n_tasks} tasks: give one a task in its "
            f"order, or a mapping from task"
        )
    return _Ordered(labels, given)


class _Ordered(Mapping[Any, Any]):
    """One entry a task, found by the task's name; no dictionary of a million is made."""

    def __init__(self, labels: Annotations, entries: Any):
        self.labels, self.entries = labels, entries

    def __getitem__(self, task: Any) -> Any:
        return self.entries[self.labels.tasks.position(task)]

    def __iter__(self) -> Any:
        return iter(self.labels.tasks)

    def __len__(self) -> int:
        return self.labels.n_tasks


def _found(mapping: Mapping[Any, Any], task: Any) -> Any:
    """By the name, or by its text: files give "7" where the table has 7."""
    try:
        return mapping[task]
    except KeyError:
        return mapping.get(str(task)) if not isinstance(task, str) else None
