"""What is known of a tool: how its export is recognised, read and written, and what gets lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import IO, Any, NamedTuple

from .fields import Field
from .items import Item, Wanted
from .records import Sample
from .task_answers import TaskAnswers

__all__ = ["Tool", "Writing"]


class Writing(NamedTuple):
    """What a writer needs beside the tasks.

    kind, classes: of the labels. question: what it is called in the file. fields: the names of all data fields
    of the tasks, in order.
    """

    kind: str
    classes: tuple[Any, ...]
    question: str
    fields: tuple[str, ...]
    one_annotator: bool


class Tool(NamedTuple):
    """A labelling tool.

    suffix: of its files. kinds: of label that can be written.
    keeps: which of abstentions, truths, seconds, contents, ratings and empty sets a written file holds.
    """

    name: str
    suffix: str
    kinds: frozenset[str]
    keeps: frozenset[str]
    recognises: Callable[[Sample], bool]
    read: Callable[[Iterator[Field], Wanted], Iterator[Item]]
    write: Callable[[Iterator[TaskAnswers], Writing, IO[str]], None]
