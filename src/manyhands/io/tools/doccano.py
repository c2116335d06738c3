"""doccano, JSON lines: a file an annotator (the name of the file), or all in one with the user of each label.

https://doccano.github.io/doccano: `label` of classes or of [start, end, label], `entities` of objects; exports of
before version 1.2 have `annotations` with a `user`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

from ..tokens import tokens_of, words_of
from .fields import Field
from .items import Answer, Content, Empty, Item, Said, Wanted
from .records import Sample
from .spans import Span, read_spans, said_of_spans, spans_of
from .task_answers import TaskAnswers, number_or_name
from .tool import Tool, Writing
from .write_records import as_lines

__all__ = ["TOOL"]

OWN = (
    "id",
    "label",
    "labels",
    "entities",
    "relations",
    "annotations",
    "Comments",
    "annotation_approver",
    "cats",
)


def _recognises(sample: Sample) -> bool:
    labels = {"label", "labels", "entities", "annotations"} & sample.names
    first = sample.first
    lists = first is not None and any(isinstance(first[name].value, list) for name in labels)
    others = {"data", "fields", "answer", "annotator", "task"} & sample.names
    return lists and not others and bool({"text", "filename"} & sample.names) and "id" in sample.names


def _read(records: Iterator[Field], wanted: Wanted) -> Iterator[Item]:
    for record in records:
        task = record[wanted.task or "id"].name()
        if wanted.contents:
            yield Content(task, {k: v for k, v in record.object().items() if k not in OWN})
        if "annotations" in record:
            yield from _by_user(record, task, wanted)
        else:
            who = record[wanted.annotator].name() if wanted.annotator else _file_name(record)
            yield Answer(task, who, _said(record, wanted), record)


def _file_name(record: Field) -> str:
    return record.origin.path.name.split(".")[0] or "unnamed"


def _by_user(record: Field, task: str, wanted: Wanted) -> Iterator[Answer]:
    given: dict[str, list[Field]] = {}
    for entry in record["annotations"].each():
        given.setdefault(entry[wanted.annotator or "user"].name(), []).append(entry)
    for who, entries in given.items():
        if any("start_offset" in entry for entry in entries):
            yield Answer(task, who, _marked(entries, record, wanted), record)
        else:
            yield Answer(task, who, _chosen(entries, record), record)


def _chosen(entries: list[Field], record: Field) -> Said:
    """A user without a label is one who chose nothing; a label that is null says nothing."""
    chosen = [entry["label"].name() for entry in entries if "label" in entry]
    if chosen:
        return Said(chosen, "choices")
    return Said(None) if any("label" in entry.object() for entry in entries) else _nothing(record)


def _nothing(record: Field) -> Said:
    text = record["text"].value
    return Said(Empty(len(tokens_of(text)) if isinstance(text, str) else 0))


def _said(record: Field, wanted: Wanted) -> Said:
    name = next(
        (n for n in (wanted.label, "label", "labels", "entities") if n is not None and n in record), "label"
    )
    field = record[name]
    entries = list(field.each())
    if not entries:
        return _nothing(record)
    if isinstance(entries[0].value, dict):
        return _marked(entries, record, wanted)
    if isinstance(entries[0].value, list):
        return _marked([_as_object(entry) for entry in entries], record, wanted)
    return Said([entry.name() for entry in entries], "choices")


def _as_object(entry: Field) -> Field:
    parts = list(entry.each())
    if len(parts) != 3:
        raise entry.fault(f"{entry.shown()} is not [start, end, label]")
    names = ("start_offset", "end_offset", "label")
    return Field(entry.origin, {name: part.value for name, part in zip(names, parts, strict=True)}, entry.way)


def _marked(entries: list[Field], record: Field, wanted: Wanted) -> Said:
    text = record["text"].text()
    return said_of_spans(read_spans(entries, text, "start_offset", "end_offset", "label"), text, wanted, None)


def _write(tasks: Iterator[TaskAnswers], writing: Writing, handle: IO[str]) -> None:
    as_lines((_record(task, writing) for task in tasks), handle)


def _record(task: TaskAnswers, writing: Writing) -> dict[str, Any]:
    """One annotator: as doccano imports it. Several: with the user of each label."""
    data = {"id": number_or_name(task.task), **({"text": task.task} | task.data)}
    if len(writing.annotators) == 1:
        said = task.replies[0].label if task.replies else None
        return {**data, "label": [] if said is None else _entries(said, task, writing)}
    annotations: list[dict[str, Any]] = []
    for reply in task.replies:
        entries = [] if reply.label is None else _entries(reply.label, task, writing)
        user = {"user": number_or_name(reply.annotator)}
        named = [_as_annotation(entry) | user for entry in entries]
        annotations += named or [user if reply.label is not None else {"label": None, **user}]
    return {**data, "annotations": annotations, "annotation_approver": None}


def _entries(label: Any, task: TaskAnswers, writing: Writing) -> list[Any]:
    if writing.kind == "tags":
        return spans_of(label, words_of(task.data, task.task).places, task.task)
    return [str(one) for one in label] if writing.kind == "set" else [str(label)]


def _as_annotation(entry: Any) -> dict[str, Any]:
    if isinstance(entry, Span):
        return {"start_offset": entry.start, "end_offset": entry.end, "label": entry.label}
    return {"label": entry}


TOOL = Tool(
    "doccano", ".jsonl", frozenset({"class", "ordinal", "set", "tags"}), frozenset({"contents", "empty sets"}),
    _recognises, _read, _write,
)  # fmt: skip
