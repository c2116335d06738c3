"""Prodigy, JSON lines of `prodigy db-out`: one answer a record.

https://prodi.gy/docs/api-interfaces
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

from ..tokens import tokens_of, words_of
from .fields import Field
from .items import Answer, Content, Empty, Item, Said, Wanted
from .records import Sample
from .spans import read_spans, spans_of, tags_of
from .task_answers import Reply, TaskAnswers, number_or_name
from .tool import Tool, Writing
from .write_records import as_lines

__all__ = ["TOOL"]

OWN = ("_input_hash", "_task_hash", "_annotator_id", "_session_id", "_view_id", "_timestamp", "_is_binary", "answer",
       "accept", "options", "spans", "tokens", "label", "config")  # fmt: skip
UNNAMED = "unnamed"  # a session without a name


def _recognises(sample: Sample) -> bool:
    ours = {"_annotator_id", "_session_id", "_task_hash", "_input_hash"}
    return not sample.is_table and sample.has("answer") and not ours.isdisjoint(sample.names)


def _read(records: Iterator[Field], wanted: Wanted) -> Iterator[Item]:
    for record in records:
        said = _said(record, wanted)
        task = _task(record, wanted, is_binary="options" not in record and "label" in record)
        if wanted.contents:
            shown = {k: v for k, v in record.object().items() if k not in OWN}
            yield Content(task, shown | _tokens(record))
        yield Answer(task, _annotator(record, wanted), said, record)


def _tokens(record: Field) -> dict[str, Any]:
    """The tokens that it cut the text into."""
    if "tokens" not in record or "options" in record:
        return {}
    text = record["text"].text()
    return {"tokens": [text[t["start"].whole() : t["end"].whole()] for t in record["tokens"].each()]}


def _task(record: Field, wanted: Wanted, is_binary: bool) -> str:
    """Answers to one text share its hash; a yes or no to a label of it is a task of its own."""
    usual = ("_task_hash", "_input_hash") if is_binary else ("_input_hash", "_task_hash")
    names = (wanted.task,) if wanted.task else (*usual, "id")
    return record[next((name for name in names if name in record), names[0])].name()


def _annotator(record: Field, wanted: Wanted) -> str:
    names = (wanted.annotator,) if wanted.annotator else ("_annotator_id", "_session_id")
    return next((record[name].name() for name in names if not record[name].is_null()), UNNAMED)


def _said(record: Field, wanted: Wanted) -> Said:
    answer = record["answer"]
    if answer.text() not in ("accept", "reject", "ignore"):
        raise answer.fault(f"{answer.shown()} is none of 'accept', 'reject' and 'ignore'")
    is_binary = "options" not in record and "label" in record
    if answer.value == "ignore":
        return Said(None)
    if is_binary:
        return Said(answer.value, "class", record["label"].name())
    if answer.value == "reject":
        wanted.notes["answers 'reject' to a choice or to spans: they count as 'cannot say'"] += 1
        return Said(None)
    if "options" in record or "accept" in record:
        return Said([one.name() for one in record["accept"].each()], "choices")
    return _marked(record, wanted)


def _marked(record: Field, wanted: Wanted) -> Said:
    text = record["text"].text()
    tokens = [(t["start"].whole(), t["end"].whole()) for t in record["tokens"].each()] or tokens_of(text)
    spans = read_spans(record["spans"].each(), text, "start", "end", "label")
    if not tokens:
        return Said(None)
    return Said(tags_of(spans, tokens, wanted) if spans else Empty(len(tokens)), "tags")


def _write(tasks: Iterator[TaskAnswers], writing: Writing, handle: IO[str]) -> None:
    as_lines((_record(task, reply, writing) for task in tasks for reply in task.replies), handle)


def _record(task: TaskAnswers, reply: Reply, writing: Writing) -> dict[str, Any]:
    return {
        **({"text": task.task} | {k: v for k, v in task.data.items() if k != "tokens"}),
        "_input_hash": number_or_name(task.task),
        "_task_hash": number_or_name(task.task),
        **_body(task, reply, writing),
        "answer": "ignore" if reply.label is None else "accept",
        "_session_id": reply.annotator,
        "_annotator_id": reply.annotator,
    }


def _body(task: TaskAnswers, reply: Reply, writing: Writing) -> dict[str, Any]:
    if writing.kind == "tags":
        text, tokens = words_of(task.data, task.task)
        spans = spans_of(reply.label, tokens, task.task) if reply.label is not None else []
        words = [{"text": text[a:b], "start": a, "end": b, "id": n} for n, (a, b) in enumerate(tokens)]
        return {
            "text": text,
            "tokens": words,
            "spans": [span._asdict() for span in spans],
            "_view_id": "ner_manual",
        }
    several = writing.kind == "set"
    chosen = () if reply.label is None else reply.label if several else (reply.label,)
    return {
        "options": [{"id": str(name), "text": str(name)} for name in writing.classes],
        "accept": [str(name) for name in chosen],
        "config": {"choice_style": "multiple" if several else "single"},
        "_view_id": "choice",
    }


TOOL = Tool(
    "prodigy", ".jsonl", frozenset({"class", "ordinal", "set", "tags"}), frozenset({"abstentions", "contents", "empty sets"}),
    _recognises, _read, _write,
)  # fmt: skip
