"""Appen (Figure Eight, CrowdFlower), the full report as csv: one judgment a row.

https://success.appen.com/hc/en-us/articles/202703075-Guide-to-Reports-Page-and-Settings-Page
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

from .fields import Field
from .items import Answer, Content, Item, Wanted
from .records import Sample
from .table_answers import text_label, the_column
from .task_answers import Reply, TaskAnswers
from .tool import Tool, Writing
from .write_records import as_rows

__all__ = ["TOOL"]

HEADER = ("_unit_id", "_golden", "_id", "_missed", "_tainted", "_trust", "_worker_id")
MANY = "\n"  # between the answers of a group of check boxes
SEVERAL = "test questions with several right answers, which are no known truth"


def _recognises(sample: Sample) -> bool:
    return sample.is_table and sample.has("_unit_id", "_worker_id", "_trust")


def _read(records: Iterator[Field], wanted: Wanted) -> Iterator[Item]:
    for record in records:
        row = record.object()
        column = the_column(record, wanted, _answers(row))
        task = record[wanted.column(row, "task", "_unit_id", record)].name()
        if wanted.contents:
            yield Content(task, {k: v for k, v in row.items() if not _is_own(k, column)})
        gold = record[f"{column}_gold"]
        if record["_golden"].flag() and not gold.is_null():
            truth = text_label(gold, MANY)
            if len(truth.value) == 1:
                yield Answer(task, None, truth, gold)
            else:
                wanted.notes[SEVERAL] += 1
        if record["_tainted"].flag():
            wanted.notes["judgments of tainted contributors"] += 1
            continue
        who = record[wanted.column(row, "annotator", "_worker_id", record)].name()
        yield Answer(task, who, text_label(record[column], MANY), record)


def _answers(row: dict[str, Any]) -> list[str]:
    """A question of the job has a column for its gold; if there is none, what stands beside Appen's own."""
    asked = [name for name in row if f"{name}_gold" in row]
    return asked or [name for name in row if not name.startswith("_") and not name.endswith("_gold")]


def _is_own(name: str, column: str) -> bool:
    return name.startswith("_") or name in (column, f"{column}_gold")


def _write(tasks: Iterator[TaskAnswers], writing: Writing, handle: IO[str]) -> None:
    rows = (
        _row(number, task, reply, writing) for task in tasks for number, reply in enumerate(task.replies, 1)
    )
    fields = [name for name in writing.fields if not _is_own(name, writing.question)]
    as_rows(rows, [*HEADER, writing.question, *fields, f"{writing.question}_gold"], handle)


def _row(number: int, task: TaskAnswers, reply: Reply, writing: Writing) -> dict[str, Any]:
    is_gold = task.truth is not None
    return {
        **{name: value for name, value in task.data.items() if not _is_own(name, writing.question)},
        "_unit_id": task.task,
        "_golden": "true" if is_gold else "false",
        "_id": f"{task.task}-{number}",
        "_tainted": "false",
        "_worker_id": reply.annotator,
        writing.question: MANY.join(map(str, reply.label)) if isinstance(reply.label, list) else reply.label,
        f"{writing.question}_gold": task.truth,
    }


TOOL = Tool(
    "appen", ".csv", frozenset({"class", "ordinal", "number", "set"}),
    frozenset({"abstentions", "truths", "contents"}), _recognises, _read, _write,
)  # fmt: skip
