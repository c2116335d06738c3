"""Zooniverse, the csv of classifications: one volunteer's answers to one subject a row.

https://help.zooniverse.org/next-steps/data-exports
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import IO, Any

from .fields import Field
from .items import Answer, Content, Item, Said, Wanted
from .records import Sample
from .table_answers import seconds_between
from .task_answers import Reply, TaskAnswers
from .tool import Tool, Writing
from .write_records import as_rows

__all__ = ["TOOL"]

HEADER = ("classification_id", "user_name", "user_id", "user_ip", "workflow_id", "workflow_name", "workflow_version",
          "created_at", "gold_standard", "expert", "metadata", "annotations", "subject_data", "subject_ids")  # fmt: skip


def _recognises(sample: Sample) -> bool:
    return sample.is_table and sample.has("classification_id", "user_name", "annotations", "subject_ids")


def _read(records: Iterator[Field], wanted: Wanted) -> Iterator[Item]:
    for record in records:
        row = record.object()
        task = record[wanted.column(row, "task", "subject_ids", record)].name()
        if wanted.contents:
            yield Content(task, _subject(record))
        who = record[wanted.column(row, "annotator", "user_name", record)].name()
        seconds = _seconds(record)
        is_gold = record["gold_standard"].flag()
        for annotation in record["annotations"].parsed().each():
            question = annotation["task"].name()
            if wanted.label in (None, question, annotation["task_label"].value):
                said = _said(question if wanted.label is None else wanted.label, annotation["value"], wanted)
                if said is not None:
                    yield Answer(task, None if is_gold else who, said, record, seconds)


def _said(question: str, value: Field, wanted: Wanted) -> Said | None:
    if value.is_null():
        return Said(None, None, question)
    if isinstance(value.value, list):
        entries = list(value.each())
        if any(isinstance(entry.value, (dict, list)) for entry in entries):
            wanted.notes["drawings and other marks, which are no labels of a task"] += 1
            return None
        return Said([entry.name() for entry in entries], "choices", question)
    return Said([value.name()], "choices", question)


def _seconds(record: Field) -> float | None:
    if record["metadata"].is_null():
        return None
    about = record["metadata"].parsed()
    return seconds_between(about["started_at"], about["finished_at"]) if "finished_at" in about else None


def _subject(record: Field) -> dict[str, Any]:
    """What is known of the subject: {id: {...}} without the id."""
    if record["subject_data"].is_null():
        return {}
    entries = list(record["subject_data"].parsed().object().values())
    return entries[0] if len(entries) == 1 and isinstance(entries[0], dict) else {}


def _write(tasks: Iterator[TaskAnswers], writing: Writing, handle: IO[str]) -> None:
    as_rows(_rows(tasks, writing), HEADER, handle)


def _rows(tasks: Iterator[TaskAnswers], writing: Writing) -> Iterator[dict[str, Any]]:
    number = 0
    for task in tasks:
        gold = [Reply("gold", task.truth, None)] if task.truth is not None else []
        for reply in [*task.replies, *gold]:
            number += 1
            yield _row(number, task, reply, writing, is_gold=bool(gold) and reply is gold[0])


def _row(number: int, task: TaskAnswers, reply: Reply, writing: Writing, is_gold: bool) -> dict[str, Any]:
    label = reply.label if isinstance(reply.label, (list, type(None))) else str(reply.label)
    return {
        "classification_id": number,
        "user_name": reply.annotator,
        "gold_standard": "true" if is_gold else "",
        "metadata": "{}",
        "annotations": json.dumps(
            [{"task": "T0", "task_label": writing.question, "value": label}], ensure_ascii=False
        ),
        "subject_data": json.dumps({task.task: task.data}, ensure_ascii=False),
        "subject_ids": task.task,
    }


TOOL = Tool(
    "zooniverse", ".csv", frozenset({"class", "ordinal", "set"}), frozenset({"abstentions", "truths", "contents", "empty sets"}),
    _recognises, _read, _write,
)  # fmt: skip
