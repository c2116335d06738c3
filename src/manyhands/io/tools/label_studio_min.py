"""Label Studio, JSON_MIN and CSV exports: one answer a record, with the data of its task.

https://labelstud.io/guide/export
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

from .fields import Field
from .items import Answer, Content, Item, Said, Wanted
from .label_studio_values import KINDS, annotator_of, marked, nothing_of, said_of, values_of
from .records import Sample
from .task_answers import Reply, TaskAnswers, number_or_name
from .tool import Tool, Writing
from .write_records import as_array

__all__ = ["TOOL"]

FIXED = ("annotator", "annotation_id", "created_at", "updated_at", "lead_time", "agreement")
USUAL_DATA = ("text", "image", "audio", "video", "html", "url", "title", "document", "task")


def _recognises(sample: Sample) -> bool:
    return sample.has("id", "annotator", "annotation_id", "lead_time")


def _read(records: Iterator[Field], wanted: Wanted) -> Iterator[Item]:
    question = wanted.label
    for record in records:
        if record["annotation_id"].is_null() and record["annotator"].is_null():
            wanted.notes["tasks that nobody has answered"] += 1
            continue
        question = _question(record) if question is None else question
        task = record[wanted.task or "id"].name()
        data = {k: v for k, v in record.object().items() if k not in (*FIXED, "id", question)}
        if wanted.contents:
            yield Content(task, data)
        seconds = None if record["lead_time"].is_null() else record["lead_time"].number()
        who = annotator_of(record[wanted.annotator or "annotator"])
        yield Answer(task, who, _said(_unpacked(record[question]), data, wanted), record, seconds)


def _question(record: Field) -> str:
    """The field that holds answers: by its look, by its place after the id, or because no other is left."""
    names = [name for name in record.object() if name not in (*FIXED, "id")]
    by_look = [name for name in names if _looks_answered(_unpacked(record[name]).value)]
    after = _after_id(record) if record.origin.number is not None else []
    left = [name for name in names if name.lower() not in USUAL_DATA]
    for candidates in (by_look, after, left):
        if len(candidates) == 1:
            return candidates[0]
    raise record.fault(
        f"which field holds the answers? There are {', '.join(map(repr, names))}: name it with columns='label=NAME' "
        f"(--columns label=NAME)"
    )


def _after_id(record: Field) -> list[str]:
    """Label Studio writes the data, the id of the task, the answers, the annotator."""
    names = list(record.object())
    if not {"id", "annotator"} <= set(names):
        return []
    return names[names.index("id") + 1 : names.index("annotator")]


def _looks_answered(value: Any) -> bool:
    one = value[0] if isinstance(value, list) and value else value
    return isinstance(one, dict) and not {"choices", "rating", "number", "labels"}.isdisjoint(one)


def _unpacked(field: Field) -> Field:
    is_json = isinstance(field.value, str) and field.value.lstrip()[:1] in ("[", "{")
    return field.parsed() if is_json and field.origin.number is None else field


def _said(field: Field, data: dict[str, Any], wanted: Wanted) -> Said:
    if field.is_null():
        return Said(None)
    if isinstance(field.value, str):
        return Said([field.value], "choices")
    regions = list(field.each()) if isinstance(field.value, list) else [field]
    if not regions:
        return nothing_of(data)
    if all(isinstance(region.value, str) for region in regions):
        return Said([region.name() for region in regions], "choices")
    said = said_of(regions, None) or marked(regions, data, None, wanted)
    if said is None:
        raise field.fault(
            f"{field.shown()} is no label of a task: choices, a rating, a number or spans of its text"
        )
    return said


def _write(tasks: Iterator[TaskAnswers], writing: Writing, handle: IO[str]) -> None:
    rows = ((task, reply) for task in tasks for reply in task.replies if reply.label is not None)
    as_array((_record(n, task, reply, writing) for n, (task, reply) in enumerate(rows, start=1)), handle)


def _record(number: int, task: TaskAnswers, reply: Reply, writing: Writing) -> dict[str, Any]:
    return {
        **{name: value for name, value in task.data.items() if name not in (*FIXED, "id", writing.question)},
        "id": number_or_name(task.task),
        writing.question: _value(reply.label, writing.kind, task),
        "annotator": number_or_name(reply.annotator),
        "annotation_id": number,
        "created_at": None,
        "updated_at": None,
        "lead_time": reply.seconds,
    }


def _value(label: Any, kind: str, task: TaskAnswers) -> Any:
    values = [value for _, value in values_of(label, kind, task.data, task.task)]
    if kind == "set":
        return {"choices": label}
    return values[0]["choices"][0] if values and "choices" in values[0] else values


TOOL = Tool(
    "label-studio-min", ".json", KINDS,
    frozenset({"seconds", "contents", "empty sets", "ratings"}), _recognises, _read, _write,
)  # fmt: skip
