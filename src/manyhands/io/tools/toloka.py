"""Toloka, the tsv of the assignments of a pool: one answer a row.

https://toloka.ai/docs/guide/result-of-eval (columns INPUT:, OUTPUT:, GOLDEN:, HINT:, ASSIGNMENT:)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

from .fields import Field
from .items import Answer, Content, Item, Said, Wanted
from .records import Sample
from .table_answers import seconds_between, text_label, the_column
from .task_answers import Reply, TaskAnswers
from .tool import Tool, Writing
from .write_records import as_rows

__all__ = ["TOOL"]

DONE = ("", "APPROVED", "ACCEPTED", "SUBMITTED")
HEADER = ("ASSIGNMENT:task_id", "ASSIGNMENT:assignment_id", "ASSIGNMENT:worker_id", "ASSIGNMENT:status")


def _recognises(sample: Sample) -> bool:
    return sample.is_table and "ASSIGNMENT:worker_id" in sample.names and any(
        name.startswith("OUTPUT:") for name in sample.names
    )  # fmt: skip


def _read(records: Iterator[Field], wanted: Wanted) -> Iterator[Item]:
    for record in records:
        row = record.object()
        if not any(row.values()):  # assignments are parted by blank lines
            continue
        status = (row.get("ASSIGNMENT:status") or "").strip()
        column = the_column(record, wanted, [name for name in row if name.startswith("OUTPUT:")])
        task = record[_task_column(record, row, wanted)].name()
        if wanted.contents:
            yield Content(task, {k[6:]: v for k, v in row.items() if k.startswith("INPUT:")})
        golden = "GOLDEN:" + column.removeprefix("OUTPUT:")
        if not record[golden].is_null():
            yield Answer(task, None, text_label(record[golden]), record[golden])
        if status not in (*DONE, "SKIPPED"):
            wanted.notes[f"assignments that are {status}"] += 1
            continue
        who = record[wanted.column(row, "annotator", "ASSIGNMENT:worker_id", record)].name()
        said = Said(None) if status == "SKIPPED" else text_label(record[column])
        seconds = seconds_between(record["ASSIGNMENT:started"], record["ASSIGNMENT:submitted"])
        yield Answer(task, who, said, record, seconds)


def _task_column(record: Field, row: dict[str, Any], wanted: Wanted) -> str:
    """The task id, or the only input, where the id was not downloaded."""
    inputs = [name for name in row if name.startswith("INPUT:")]
    if wanted.task or "ASSIGNMENT:task_id" in row or len(inputs) != 1:
        return wanted.column(row, "task", "ASSIGNMENT:task_id", record)
    return inputs[0]


def _write(tasks: Iterator[TaskAnswers], writing: Writing, handle: IO[str]) -> None:
    inputs = [f"INPUT:{name}" for name in writing.fields]
    answers = [f"{which}:{writing.question}" for which in ("OUTPUT", "GOLDEN")]
    rows = (
        _row(number, task, reply, writing) for task in tasks for number, reply in enumerate(task.replies, 1)
    )
    as_rows(rows, [*inputs, *answers, *HEADER], handle, delimiter="\t")


def _row(number: int, task: TaskAnswers, reply: Reply, writing: Writing) -> dict[str, Any]:
    return {
        **{f"INPUT:{name}": value for name, value in task.data.items()},
        f"OUTPUT:{writing.question}": reply.label,
        f"GOLDEN:{writing.question}": task.truth,
        "ASSIGNMENT:task_id": task.task,
        "ASSIGNMENT:assignment_id": f"{task.task}-{number}",
        "ASSIGNMENT:worker_id": reply.annotator,
        "ASSIGNMENT:status": "SKIPPED" if reply.label is None else "APPROVED",
    }


TOOL = Tool(
    "toloka", ".tsv", frozenset({"class", "ordinal", "number", "set"}),
    frozenset({"abstentions", "truths", "contents", "empty sets"}), _recognises, _read, _write,
)  # fmt: skip
