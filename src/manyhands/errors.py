"""What can go wrong, as a tree.

ManyhandsError
├── LabelError            a table of labels that cannot be taken as given (also a ValueError)
│   ├── MissingLabelError     a label, task or annotator that is empty or NaN
│   ├── RepeatedAnswerError   one annotator answered one task twice
│   ├── UnknownClassError     a label outside the declared classes
│   └── MixedTypesError       one column holds values of several types
├── FileError             a file that cannot be read or written (also an OSError)
│   └── FormatError           its content is not what its name or header says
├── ProcessError          a process of the group is gone, or differs from the others (also a RuntimeError)
├── ParameterError        an argument outside what it may be (also a ValueError)
└── UnsupportedError      a sound request that this method has no answer to (also a ValueError)

ConvergenceWarning        a fit stopped before it settled; names the knob to turn
LabelWarning              something odd in the labels that was dealt with as stated

Every message says what was found, where, what was expected, and what to do about it.

>>> issubclass(UnknownClassError, ValueError)
True
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Self


class ManyhandsError(Exception):
    """The root: everything that manyhands raises on purpose."""


class LabelError(ManyhandsError, ValueError):
    """A table of labels that cannot be taken as given; `row` is where, counted from 0.

    A reader of files turns `row` into the line of its file, with `at`.
    """

    def __init__(self, message: str, row: int | None = None):
        self.row = None if row is None else int(row)
        super().__init__(message)

    def at(self, place: str, row: int | None = None) -> Self:
        """The same error with the words "row N" of its message replaced by a place that the reader knows.

        >>> str(LabelError("label 'x' in row 3 is odd", 3).at("line 5"))
        "label 'x' in line 5 is odd"
        """
        message = str(self)
        if self.row is not None:
            message = re.sub(rf"\brow {self.row}\b", lambda _: place, message)
        return type(self)(message, row)


class MissingLabelError(LabelError):
    """A label, task or annotator that is empty, null or NaN."""


class RepeatedAnswerError(LabelError):
    """One annotator answered one task more than once."""


class UnknownClassError(LabelError):
    """A label outside the declared classes."""


class MixedTypesError(LabelError):
    """One column holds values of several types, such as 1 and "1"."""


class FileError(ManyhandsError, OSError):
    """A file that cannot be read or written, with its place.

    >>> str(FileError("no such file", path="votes.csv"))
    'votes.csv: no such file'
    """

    def __init__(self, message: str, path: str | Path | None = None, line: int | None = None):
        self.path, self.line = path, line
        place = "" if path is None else f"{path}:{line}: " if line is not None else f"{path}: "
        super().__init__(place + message)


class FormatError(FileError, ValueError):
    """A file whose content is not what its name or header says."""


class ProcessError(ManyhandsError, RuntimeError):
    """A process of the group is gone, or differs from the others; `ranks` are those that the message names."""

    def __init__(self, message: str, ranks: Sequence[int] = ()):
        self.ranks = list(ranks)
        super().__init__(message)


class ParameterError(ManyhandsError, ValueError):
    """An argument outside what it may be."""


class UnsupportedError(ManyhandsError, ValueError):
    """A sound request that this method has no answer to."""


class ConvergenceWarning(UserWarning):
    """A fit stopped before it settled; the message names the knob."""


class LabelWarning(UserWarning):
    """Something odd in the labels that was dealt with as stated."""


def users_line() -> int:
    """The `stacklevel` at which a warning points at the line of the user's that led here, from who asks."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(f"{__package__}."):
        frame, level = frame.f_back, level + 1
    return level
