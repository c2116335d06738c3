"""The words of every task: tokens of CoNLL columns, of JSON lines, of a tool's export; or texts, cut into tokens."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..annotations import Names
from ..errors import FormatError, LabelError, ParameterError
from .places import located
from .roles import find_roles, given_columns
from .tables import Table
from .task_rows import refuse_unnamed, split_column, tasks_beside
from .tokens import Words, words_of
from .tools.opening import open_labels
from .tools.table import ExportTable

if TYPE_CHECKING:
    import numpy as np

    from ..annotations import Annotations

__all__ = ["SentenceTable", "find_sentences", "read_sentences"]

TOKENS = ("tokens", "words")
TEXTS = ("text", "sentence")


class SentenceTable(NamedTuple):
    """One row a task.

    ids: the tasks. words: the text of each, and where in it the tokens begin and end. column: what a table was read
        by. splits: the split of each row, where the file says so.
    """

    ids: Names
    words: list[Words]
    column: str | None = None
    splits: list[Any] | None = None

    @property
    def X(self) -> np.ndarray:
        """The list of each task's tokens, as a tagger takes them."""
        import numpy as np

        return np.fromiter((one.tokens for one in self.words), dtype=object, count=len(self.words))

    def fits(self, labels: Annotations) -> bool:
        """Whether each task has as many words as tags, as far as both are known."""
        import numpy as np

        codes = labels.tasks.codes(self.ids)
        lengths = np.diff(labels.unit_offsets)
        pairs = zip(codes.tolist(), self.words, strict=True)
        return all(code < 0 or lengths[code] in (0, len(words.places)) for code, words in pairs)

    def contents(self) -> dict[str, dict[str, Any]]:
        """What each task shows, for a file that is written."""
        splits: Sequence[Any] = self.splits or [None] * len(self.words)
        return {
            str(name): {"tokens": words.tokens, "text": words.text}
            | ({} if split is None else {"split": split})
            for name, words, split in zip(self.ids, self.words, splits, strict=True)
        }


def read_sentences(
    path: str | Path,
    text: str | None = None,
    *,
    prefer: str | None = None,
    columns: Mapping[str, str] | str | None = None,
    delimiter: str | None = None,
    format: str | None = None,
) -> SentenceTable:
    r"""The words of each task, in the order of the file; of rows that repeat a task the first counts.

    Args:
        path: CoNLL columns; a csv, tsv, parquet or jsonl with a task and a column `tokens` or `words` (lists, JSON
            lists or words between spaces) or `text` or `sentence`, which is cut into words and single signs; or the
            export of a labelling tool.
        text: the column, where it has another name.
        prefer: the column to take before those, if it is there.
        columns: of the task where its name does not say it: "task=item"; of CoNLL, their names in order.
        delimiter: of csv and CoNLL.
        format: as of `read`.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "crowd.conll"
    >>> _ = path.write_text("# columns = token ann bob\nAda B-PER O\nwrote O O\n\nSo O O\n")
    >>> table = read_sentences(path)
    >>> table.ids, table.X.tolist()
    (Names(['1', '2']), [['Ada', 'wrote'], ['So']])
    """
    table = open_labels(path, format, delimiter, columns, contents=True)
    found = _read(table, text or (prefer if prefer in table.names else None), columns)
    if found is None:
        have = ", ".join(map(repr, table.names[:20]))
        raise FormatError(
            f"has no column named {', '.join((*TOKENS, *TEXTS))}, and so no words: name theirs with text= (--text "
            f"COLUMN), or give a file that has them (--features FILE); there are {have}",
            table.path,
        )
    return found


def find_sentences(
    path: str | Path,
    *,
    columns: Mapping[str, str] | str | None = None,
    delimiter: str | None = None,
    format: str | None = None,
) -> SentenceTable | None:
    """The words that a file of labels holds itself, or that a table of tasks beside it has; None where there are none."""
    found = _read(open_labels(path, format, delimiter, columns, contents=True), None, columns)
    beside = tasks_beside(Path(path)) if found is None else None
    return (
        found
        if beside is None or beside == Path(path)
        else _read(open_labels(beside, contents=True), None, None)
    )


def _read(table: Table, text: str | None, columns: Mapping[str, str] | str | None) -> SentenceTable | None:
    if isinstance(table, ExportTable):
        found = _of_export(table, text)
    else:
        column = _column(table, text)
        if column is None:
            return None
        found = _of_table(table, column, given_columns(columns))
    if not len(found.ids):
        raise FormatError("holds the words of no task: give it at least one row", table.path)
    return found


def _of_export(table: ExportTable, text: str | None) -> SentenceTable:
    ids, words, splits = [], [], []
    for task, data in table.contents.items():
        if text is not None and not isinstance(data.get(text), (str, list)):
            raise ParameterError(
                f"{table.path}: task {task!r} has no field {text!r} of text; it has {', '.join(map(repr, list(data)[:20]))}"
            )
        shown = data if text is None else {"tokens" if isinstance(data[text], list) else "text": data[text]}
        ids.append(task)
        words.append(words_of(shown, task))
        splits.append(data.get("split"))
    return SentenceTable(Names(ids), words, text, splits if any(s is not None for s in splits) else None)


def _of_table(table: Table, column: str, given: Mapping[str, str]) -> SentenceTable:
    task, split = (
        find_roles(table, {k: v for k, v in given.items() if k == "task"}, ("task",))["task"],
        split_column(table),
    )
    frame = table.frame([task, column, *([split] if split else [])], required=[task])
    found: dict[Any, tuple[Words, Any]] = {}
    with located(table):
        for row, (name, value, *more) in enumerate(frame.iter_rows()):
            refuse_unnamed(name, row, column)
            words = _words(value, column, str(name), row)
            if words is not None:
                before, _ = found.setdefault(name, (words, more[0] if more else None))
                _refuse_other(before, words, name, row)
        lacking = next((row for row, name in enumerate(frame[task].to_list()) if name not in found), None)
        if lacking is not None:
            raise LabelError(f"row {lacking} has no {column}, and no other of its task has", lacking)
        ids = Names(list(found), "tasks of features")
    return SentenceTable(
        ids, [words for words, _ in found.values()], column, [s for _, s in found.values()] if split else None
    )


def _column(table: Table, text: str | None) -> str | None:
    """The column of words; None where no name says so."""
    if text is None:
        lowered = {name.strip().lower(): name for name in reversed(table.names)}
        return next((lowered[name] for name in (*TOKENS, *TEXTS) if name in lowered), None)
    if text not in table.names:
        have = ", ".join(map(repr, table.names[:20]))
        raise ParameterError(f"{table.path} has no column {text!r}; there are {have}")
    return text


def _words(value: Any, column: str, task: str, row: int) -> Words | None:
    """The words of a cell; None where it is empty."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    if isinstance(value, str) and column.strip().lower() in TOKENS:
        value = _listed(value, row)
    if isinstance(value, str):
        return words_of({"text": value}, task)
    if not isinstance(value, list) or not all(_is_word(token) for token in value):
        shown = repr(value)
        raise LabelError(
            f"{column} {shown if len(shown) <= 80 else shown[:77] + '...'} in row {row} is neither a text nor a list of words",
            row,
        )
    return words_of({"tokens": [str(token) for token in value]}, task)


def _is_word(token: Any) -> bool:
    return isinstance(token, (str, int, float)) and not isinstance(token, bool) and token == token


def _listed(cell: str, row: int) -> Any:
    """Words between spaces, or a JSON list, as text files have them."""
    if not (cell.lstrip().startswith('["') or cell.strip() == "[]"):
        return cell.split()
    try:
        return json.loads(cell)
    except (ValueError, RecursionError):
        raise LabelError(f"{cell[:80]!r} in row {row} is not a JSON list of words", row) from None


def _refuse_other(before: Words, words: Words, task: Any, row: int) -> None:
    if before.places != words.places or before.text != words.text:
        raise LabelError(
            f"task {task!r} has other words in row {row} than in a row before it: one task is one sentence",
            row,
        )
