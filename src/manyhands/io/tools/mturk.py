"""Amazon Mechanical Turk, the csv of a batch: one assignment a row.

https://docs.aws.amazon.com/AWSMechTurk/latest/RequesterUI/UnderstandingYourBatchResults.html
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

from .crowd_elements import elements
from .fields import Field
from .items import Answer, Content, Item, Said, Wanted
from .records import Sample
from .table_answers import text_label, the_column
from .task_answers import Reply, TaskAnswers
from .tool import Tool, Writing
from .write_records import as_rows

__all__ = ["TOOL"]

FORM = "Answer.taskAnswers"
MANY = "|"  # between the answers of a group of check boxes
HEADER = ("HITId", "AssignmentId", "WorkerId", "AssignmentStatus", "WorkTimeInSeconds")


def _recognises(sample: Sample) -> bool:
    answers = any(name.startswith("Answer.") for name in sample.names)
    return sample.is_table and answers and sample.has("HITId", "WorkerId", "AssignmentStatus")


def _read(records: Iterator[Field], wanted: Wanted) -> Iterator[Item]:
    for record in records:
        if record["AssignmentStatus"].value == "Rejected" or not record["Reject"].is_null():
            wanted.notes["assignments that were rejected"] += 1
            continue
        row = record.object()
        task = record[wanted.column(row, "task", "HITId", record)].name()
        if wanted.contents:
            yield Content(task, {k[6:]: v for k, v in row.items() if k.startswith("Input.")})
        who = record[wanted.column(row, "annotator", "WorkerId", record)].name()
        seconds = None if record["WorkTimeInSeconds"].is_null() else record["WorkTimeInSeconds"].number()
        for said in _said(record, wanted):
            yield Answer(task, who, said, record, seconds)


def _said(record: Field, wanted: Wanted) -> Iterator[Said]:
    if FORM in record.object() and (wanted.label is None or wanted.label not in record.object()):
        if record[FORM].is_null():
            yield Said(None)
            return
        forms = record[FORM].parsed()
        for form in forms.each() if isinstance(forms.value, list) else (forms,):
            yield from elements(form, None, wanted)
        return
    names = [name for name in record.object() if name.startswith("Answer.")]
    yield text_label(record[the_column(record, wanted, names)], MANY)


def _write(tasks: Iterator[TaskAnswers], writing: Writing, handle: IO[str]) -> None:
    inputs = [f"Input.{name}" for name in writing.fields]
    rows = (
        _row(number, task, reply, writing) for task in tasks for number, reply in enumerate(task.replies, 1)
    )
    as_rows(rows, [*HEADER, *inputs, f"Answer.{writing.question}"], handle)


def _row(number: int, task: TaskAnswers, reply: Reply, writing: Writing) -> dict[str, Any]:
    label = reply.label
    return {
        "HITId": task.task,
        "AssignmentId": f"{task.task}-{number}",
        "WorkerId": reply.annotator,
        "AssignmentStatus": "Submitted",
        "WorkTimeInSeconds": reply.seconds,
        **{f"Input.{name}": value for name, value in task.data.items()},
        f"Answer.{writing.question}": _joined(label),
    }


def _joined(label: Any) -> Any:
    """Several as MTurk joins them; the mark alone is the empty set."""
    return MANY.join(map(str, label)) or MANY if isinstance(label, list) else label


TOOL = Tool(
    "mturk", ".csv", frozenset({"class", "ordinal", "number", "set"}),
    frozenset({"abstentions", "seconds", "contents", "empty sets"}), _recognises, _read, _write,
)  # fmt: skip
