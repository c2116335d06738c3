"""Argilla, the array that `dataset.records.to_json` writes, and the records of its server.

https://docs.argilla.io/latest/reference/argilla/records/records
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

from ..tokens import tokens_of, words_of
from .fields import Field
from .items import Answer, Content, Empty, Item, Said, Wanted
from .records import Sample
from .spans import read_spans, said_of_spans, spans_of
from .task_answers import TaskAnswers
from .tool import Tool, Writing
from .write_records import as_array

__all__ = ["TOOL"]


def _recognises(sample: Sample) -> bool:
    return not sample.is_table and sample.has("fields", "responses")


def _read(records: Iterator[Field], wanted: Wanted) -> Iterator[Item]:
    for record in records:
        task = (record["metadata"][wanted.task] if wanted.task else _id(record)).name()
        if wanted.contents:
            yield Content(task, record["fields"].object())
        responses = record["responses"]
        pairs = _by_question(responses) if isinstance(responses.value, dict) else _by_user(responses, wanted)
        for question, user, value in pairs:
            if question is None:
                yield Answer(task, user, Said(None), value)
            elif wanted.label in (None, question):
                said = _said(question, value, record["fields"], wanted)
                if said is not None:
                    yield Answer(task, user, said, value)


def _id(record: Field) -> Field:
    return next((record[name] for name in ("id", "external_id") if name in record), record["_server_id"])


def _by_question(responses: Field) -> Iterator[tuple[str | None, str, Field]]:
    """As Argilla 2 exports them: {question: [{value, user_id}]}."""
    for question in responses.object():
        for entry in responses[question].each():
            yield question, entry["user_id"].name(), entry["value"]


def _by_user(responses: Field, wanted: Wanted) -> Iterator[tuple[str | None, str, Field]]:
    """As the server and Argilla 1 have them: [{user_id, status, values: {question: {value}}}]."""
    for entry in responses.each():
        status = entry["status"].value
        if status == "draft":
            wanted.notes["drafts, which were not submitted"] += 1
            continue
        user = entry["user_id"].name()
        if status == "discarded":
            yield None, user, entry
            continue
        for question in entry["values"].object():
            yield question, user, entry["values"][question]["value"]


def _said(question: str, value: Field, fields: Field, wanted: Wanted) -> Said | None:
    if value.is_null():
        return Said(None, None, question)
    if isinstance(value.value, str):
        return Said([value.value], "choices", question)
    if not isinstance(value.value, list):
        return Said(value.whole(), "rating", question)
    entries = list(value.each())
    if entries and "rank" in entries[0]:
        wanted.notes["rankings, which are no labels of a task"] += 1
        return None
    if entries and isinstance(entries[0].value, dict):
        text = _shown(fields)
        return said_of_spans(read_spans(entries, text, "start", "end", "label"), text, wanted, question)
    if not entries:
        texts = [t for t in fields.object().values() if isinstance(t, str)]
        return Said(Empty(len(tokens_of(texts[0])) if len(texts) == 1 else 0), None, question)
    return Said([entry.name() for entry in entries], "choices", question)


def _shown(fields: Field) -> str:
    texts = [text for text in fields.object().values() if isinstance(text, str)]
    if "text" not in fields and len(texts) != 1:
        raise fields.fault("has spans, but no field 'text' and not one text alone: of which are they?")
    return fields["text"].text() if "text" in fields else texts[0]


def _write(tasks: Iterator[TaskAnswers], writing: Writing, handle: IO[str]) -> None:
    as_array((_record(task, writing) for task in tasks), handle)


def _record(task: TaskAnswers, writing: Writing) -> dict[str, Any]:
    said = [reply for reply in task.replies if reply.label is not None]
    answers = [{"value": _value(r.label, task, writing), "user_id": r.annotator} for r in said]
    return {
        "id": task.task,
        "fields": task.data or {"text": task.task},
        "metadata": {},
        "suggestions": {},
        "responses": {writing.question: answers} if answers else {},
        "vectors": {},
        "_server_id": None,
    }


def _value(label: Any, task: TaskAnswers, writing: Writing) -> Any:
    if writing.kind == "tags":
        return [s._asdict() for s in spans_of(label, words_of(task.data, task.task).places, task.task)]
    if writing.kind == "set":
        return [str(one) for one in label]
    return label if writing.kind == "ordinal" and isinstance(label, int) else str(label)


TOOL = Tool(
    "argilla", ".json", frozenset({"class", "ordinal", "set", "tags"}), frozenset({"contents", "empty sets", "ratings"}),
    _recognises, _read, _write,
)  # fmt: skip
