"""Verdicts in words, as LLM judges give them, as labels: what matches no pattern is an abstention, and counted."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from warnings import warn

from ..errors import FileError, FormatError, LabelWarning, ParameterError

if TYPE_CHECKING:
    from ..annotations import Annotations

__all__ = ["Verdicts", "read_patterns", "read_verdicts", "verdicts"]

SHOWN = 3


class Verdicts(NamedTuple):
    """labels: a class, or None, for each text. The rest counts the None: nothing said, no pattern, several."""

    labels: list[Any]
    silent: int
    unrecognised: int
    ambiguous: int
    examples: tuple[str, ...]

    def __str__(self) -> str:
        shown = f", such as {', '.join(map(repr, self.examples))}" if self.examples else ""
        return (
            f"{len(self.labels) - self.silent - self.unrecognised - self.ambiguous} of {len(self.labels)} verdicts "
            f"recognised; {self.silent} empty, {self.unrecognised} matching no pattern, {self.ambiguous} matching "
            f"several{shown}"
        )


def verdicts(texts: Iterable[Any], patterns: Mapping[Any, str]) -> Verdicts:
    r"""The class of each text: the one whose pattern occurs in it, if it is one alone.

    Args:
        texts: what judges answered; None where one failed to.
        patterns: a regular expression for each class; upper and lower case are the same.

    >>> found = verdicts(["Verdict: YES.", "no", "yes and no", "As a model ...", None], {"yes": r"\byes\b", "no": r"\bno\b"})
    >>> found.labels
    ['yes', 'no', None, None, None]
    >>> print(found)
    2 of 5 verdicts recognised; 1 empty, 1 matching no pattern, 1 matching several, such as 'yes and no', 'As a model ...'
    """
    compiled = {name: _compiled(name, pattern) for name, pattern in patterns.items()}
    if not compiled:
        raise ParameterError("patterns={} is empty: give a regular expression for each class")
    labels: list[Any] = []
    counts: Counter[str] = Counter()
    examples: list[str] = []
    for text in texts:
        said = "" if text is None or text != text else str(text)
        found = [name for name, pattern in compiled.items() if pattern.search(said)] if said.strip() else []
        labels.append(found[0] if len(found) == 1 else None)
        if len(found) != 1:
            counts["silent" if not said.strip() else "several" if found else "none"] += 1
            if said.strip() and len(examples) < SHOWN:
                examples.append(said.strip()[:60])
    return Verdicts(labels, counts["silent"], counts["none"], counts["several"], tuple(examples))


def _compiled(name: Any, pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern, re.IGNORECASE)
    except (re.error, TypeError) as error:
        raise ParameterError(
            f"patterns[{name!r}] = {pattern!r} is not a regular expression: {error}"
        ) from None


def read_patterns(path: str | Path) -> dict[str, str]:
    """A JSON object from each class to its pattern."""
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise FileError(f"cannot be read: {error.strerror or error}", path) from None
    except (ValueError, RecursionError) as error:
        raise FormatError(f"is not JSON: {error}", path) from None
    if not isinstance(found, dict) or not all(isinstance(pattern, str) for pattern in found.values()):
        raise FormatError('is not an object from each class to its pattern, {"yes": "\\byes\\b"}', path)
    return found


def read_verdicts(
    path: str | Path,
    patterns: Mapping[Any, str],
    *,
    columns: Mapping[str, str] | str | None = None,
    repeats: str = "error",
    format: str | None = None,
) -> Annotations:
    r"""Labels from a table of tasks, judges and what the judges answered in words.

    Args:
        path: csv, tsv, parquet or jsonl, with a column for each; `label` (or `answer` ...) holds the words.
        patterns: a regular expression for each class, in the order of the classes.
        columns: which column is what, as in `read`.
        repeats: what a second answer of one judge to one task does, as in `read`.
        format: as in `read`.

    What is not recognised is an abstention; a LabelWarning says how many there were, and shows some.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/judges.csv"
    >>> _ = Path(path).write_text("task,judge,answer\nt1,gpt,I say YES\nt1,owl,no!\n")
    >>> read_verdicts(path, {"no": r"\bno\b", "yes": r"\byes\b"})
    Annotations(kind='class', 1 tasks, 2 annotators, 2 answers, classes=['no', 'yes'])
    """
    import polars as pl

    from ..annotations import Annotations
    from .places import located
    from .roles import find_roles, given_columns
    from .tables import open_table

    table = open_table(path, format)
    roles = find_roles(table, given_columns(columns))
    frame = table.frame(list(roles.values()), required=[roles["task"], roles["annotator"]])
    found = verdicts(frame.get_column(roles["label"]).to_list(), patterns)
    if None in found.labels:
        warn(f"{path}: {found}", LabelWarning, stacklevel=2)
    with located(table):
        return Annotations.from_frame(
            frame.with_columns(pl.Series(roles["label"], found.labels, strict=False)),
            roles["task"], roles["annotator"], roles["label"],
            kind="class", classes=list(patterns), missing="abstain", repeats=repeats,
        )  # fmt: skip
