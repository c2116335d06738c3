"""What is known of a tool: how its export is recognised, read and written, and what gets lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

from .fields import Field
from .items import Item, Wanted
from .records import Records, Sample, open_export
from .task_answers import TaskAnswers

__all__ = ["Tool", "Writing"]


class Writing(NamedTuple):
    """What a writer needs beside the tasks.

    kind, classes: of the labels. question: what it is called in the file. fields: the names of all data fields
    of the tasks, in order. annotators: the names of all. has_truth: whether a task's truth is known.
    """

    kind: str
    classes: tuple[Any, ...]
    question: str
    fields: tuple[str, ...]
    annotators: tuple[str, ...]
    has_truth: bool


class Tool(NamedTuple):
    """A labelling tool.

    suffix: of its files. kinds: of label that can be written.
    keeps: which of abstentions, truths, seconds, contents, ratings, empty sets, and of tags tokens and gaps (tokens
        without a tag) a written file holds.
    opens: how a file is divided into records. truth: what is said (`read(truth=)`) for its truths to be learnt from.
    """

    name: str
    suffix: str
    kinds: frozenset[str]
    keeps: frozenset[str]
    recognises: Callable[[Sample], bool]
    read: Callable[[Iterator[Field], Wanted], Iterator[Item]]
    write: Callable[[Iterator[TaskAnswers], Writing, IO[str]], None]
    opens: Callable[[Path, str | None], Records] = open_export
    truth: str | None = None
