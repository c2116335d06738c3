"""CoNLL columns: a token a line, a column of tags an annotator, the truth last if it is known.

The first line may name the columns (`# columns = token ann bob truth`), a line above a sentence its task
(`# task = t1`; `# sent_id = t1`, as CoNLL-U has it) and more about it (`# split = test`). `?` and `_` are no tag.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import IO, Any, NamedTuple

from ...annotations.scheme import TAG
from ...errors import UnsupportedError
from ..tokens import words_of
from .conll_lines import MISSING, NO_SENTENCE, REMARK, Sentence, open_conll
from .fields import Field, Origin
from .items import Answer, Content, Item, Said, Wanted
from .records import Sample
from .task_answers import TaskAnswers
from .tool import Tool, Writing

__all__ = ["TOOL"]

TOKEN = ("token", "tokens", "word", "words", "form")
TRUTH = ("truth", "gold")
SKIPPED = ("_", "-")
TASK = ("task", "sent_id", "id")
NO_CELL = re.compile("[\t\r\n\0\ud800-\udfff]")  # what ends a cell, or is no text


class Columns(NamedTuple):
    """Where the tokens are, and whose tags the other columns are (None: the truth). named: whether the file says so."""

    token: int
    whose: dict[int, str | None]
    named: bool


def _recognises(sample: Sample) -> bool:
    starts = (NO_SENTENCE, "# columns", "# global.columns")
    return sample.is_table and any(name.startswith(starts) for name in sample.names)


def _read(records: Iterator[Field], wanted: Wanted) -> Iterator[Item]:
    known: dict[tuple[tuple[str, ...], int], Columns] = {}
    for record in records:
        sentence: Sentence = record.value
        names = wanted.order or sentence.columns
        key = (names, len(sentence.rows[0][1]))
        if key not in known:
            known[key] = _columns(names, key[1], record)
        yield from _items(record, sentence, known[key], wanted)


def _columns(names: Sequence[str], width: int, record: Field) -> Columns:
    if not names:
        own: dict[int, str | None] = (
            {1: record.origin.path.name.split(".")[0] or "unnamed"} if width == 2 else {}
        )
        own = own or {place: str(place) for place in range(1, width)}
        return Columns(0, own, width <= 2)
    if len(names) != width:
        raise record.fault(
            f"there are {width} columns, but {len(names)} names: {', '.join(map(repr, names[:20]))}; name each, _ for "
            f"one that is left out"
        )
    lower = [name.lower() for name in names]
    token = next((place for place, name in enumerate(lower) if name in TOKEN), 0)
    whose = {
        place: None if lower[place] in TRUTH else name
        for place, name in enumerate(names)
        if place != token and name not in SKIPPED
    }
    twice = next((name for name in whose.values() if [*whose.values()].count(name) > 1), "")
    if twice != "":
        raise record.fault(f"two columns are named {twice or 'truth'!r}: each annotator has one")
    if "" in whose.values():
        raise record.fault(f"a column has no name: {', '.join(map(repr, names[:20]))}")
    return Columns(token, whose, True)


def _items(record: Field, sentence: Sentence, columns: Columns, wanted: Wanted) -> Iterator[Item]:
    task = next((sentence.remarks[key] for key in TASK if sentence.remarks.get(key)), str(sentence.number))
    if wanted.contents:
        more = {key: value for key, value in sentence.remarks.items() if key not in TASK}
        yield Content(task, {"tokens": [cells[columns.token] for _, cells in sentence.rows], **more})
    for place, who in columns.whose.items():
        tags = [_tag(record, line, cells[place], columns.named) for line, cells in sentence.rows]
        if any(tag is not None for tag in tags):
            yield Answer(task, who, Said(tags, "tags"), record)


def _tag(record: Field, line: int, cell: str, named: bool) -> str | None:
    tag = cell.strip()
    if tag in MISSING:
        return None
    if not named and not TAG.fullmatch(tag):
        raise Field(Origin(record.origin.path, line), None).fault(
            f"{tag!r} is no tag such as O, B-PER or I-PER, and nothing says what the columns are: name them in a first "
            f"line '# columns = token ann bob truth', or with columns='token,ann,bob,truth' (--columns); _ leaves one out"
        )
    return tag


def _write(tasks: Iterator[TaskAnswers], writing: Writing, handle: IO[str]) -> None:
    names = [_name(name) for name in writing.annotators]
    header = ["token", *names, *(["truth"] if writing.has_truth else [])]
    handle.write("# columns = " + "\t".join(header) + "\n")
    for task in tasks:
        handle.write(_block(task, writing))


def _block(task: TaskAnswers, writing: Writing) -> str:
    """The lines of a sentence."""
    tokens = [_token(token, task.task) for token in words_of(task.data, task.task).tokens]
    said: dict[str, Any] = {}
    for reply in task.replies:
        if reply.annotator in said:
            raise UnsupportedError(
                f"annotator {reply.annotator!r} answered task {task.task!r} twice, and has one column: keep one answer, "
                f"with repeats='last' (--repeats last)"
            )
        said[reply.annotator] = reply.label
    columns = [said.get(name) for name in writing.annotators] + ([task.truth] if writing.has_truth else [])
    cells = [_cells(tags, len(tokens), task.task) for tags in columns]
    rows = ("\t".join(row) for row in zip(tokens, *cells, strict=True))
    split = task.data.get("split")
    remarks = {"task": task.task} | ({} if split is None else {"split": str(split)})
    return "\n" + "\n".join([*(_remark(*pair) for pair in remarks.items()), *rows]) + "\n"


def _cells(tags: Any, n: int, task: str) -> Sequence[str]:
    if tags is None:
        return ["?"] * n
    if len(tags) != n:
        raise UnsupportedError(f"task {task!r} has {len(tags)} tags, but {n} tokens: each needs its own")
    return ["?" if tag is None else _written(str(tag), f"tag of task {task!r}", MISSING) for tag in tags]


def _token(token: str, task: str) -> str:
    if REMARK.fullmatch(token) or token.startswith(NO_SENTENCE):
        raise UnsupportedError(f"token {token!r} of task {task!r} means something else in CoNLL columns")
    return _written(token, f"token of task {task!r}", ("",), spaces=True)


def _name(name: str) -> str:
    return _written(name, "name of an annotator", ("", *TOKEN, *TRUTH, *SKIPPED), of_column=True)


def _remark(key: str, value: str) -> str:
    return f"# {key} = {_written(value, f'the name of a {key}', ('',))}"


def _written(
    text: str, what: str, others: Sequence[str], spaces: bool = False, of_column: bool = False
) -> str:
    """A text that can stand in a cell, and is read back as itself."""
    means = text.lower() if of_column else text
    if means.strip() in others or NO_CELL.search(text) or (not spaces and text != text.strip()):
        raise UnsupportedError(
            f"{text!r}, {what}, has no place in CoNLL columns, where it would be read as something else: rename it"
        )
    return text


TOOL = Tool(
    "conll", ".conll", frozenset({"tags"}), frozenset({"truths", "contents", "tokens", "gaps"}),
    _recognises, _read, _write, open_conll, "truth",
)  # fmt: skip
