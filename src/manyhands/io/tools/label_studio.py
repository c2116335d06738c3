"""Label Studio, JSON export: tasks, each with the annotations of all who answered it.

https://labelstud.io/guide/export and https://labelstud.io/guide/task_format
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

__all__ = ["TOOL", "regions_of", "said_of_results"]

OBJECT = "text"  # the name of the tag that shows the text, in what is written


def _recognises(sample: Sample) -> bool:
    first = sample.first
    lists = () if first is None else (first.value.get("annotations"), first.value.get("completions"))
    return sample.has("data") and any(isinstance(entries, list) for entries in lists)


def _read(records: Iterator[Field], wanted: Wanted) -> Iterator[Item]:
    for record in records:
        data = record["data"]
        task = (data[wanted.task] if wanted.task else record["id"]).name()
        if wanted.contents:
            yield Content(task, data.object())
        entries = record["annotations"] if "annotations" in record else record["completions"]
        for annotation in entries.each():
            yield from _answers(annotation, task, data, wanted)


def _answers(annotation: Field, task: str, data: Field, wanted: Wanted) -> Iterator[Answer]:
    is_gold = annotation["ground_truth"].flag()
    who = None if is_gold else annotator_of(annotation[wanted.annotator or "completed_by"])
    seconds = None if annotation["lead_time"].value is None else annotation["lead_time"].number()
    if annotation["was_cancelled"].flag() or annotation["skipped"].flag():
        yield Answer(task, who, Said(None), annotation, seconds)
        return
    results = list(annotation["result"].each())
    said = list(said_of_results(results, data, wanted)) if results else [nothing_of(data.object())]
    for one in said:
        yield Answer(task, who, one, annotation, seconds)


def said_of_results(results: list[Field], data: Field, wanted: Wanted) -> Iterator[Said]:
    """What the regions of an annotation or a prediction say, one a control that was asked for.

    Regions of another control only: the question that was asked for has no answer.
    """
    by_control: dict[str, list[Field]] = {}
    for result in results:
        by_control.setdefault(result["from_name"].name() if "from_name" in result else "", []).append(result)
    asked = {name: found for name, found in by_control.items() if wanted.label in (None, name)}
    for name, found in asked.items():
        said = _said(name, found, data, wanted)
        if said is not None:
            yield said
    if not asked:
        yield nothing_of(data.object())


def _said(question: str, results: list[Field], data: Field, wanted: Wanted) -> Said | None:
    """What all results of one control say together; None where they are no labels of the task."""
    values = [result["value"] for result in results]
    said = said_of(values, question) or marked(values, data.object(), question, wanted)
    if said is None:
        wanted.notes[f"results of the type {results[0]['type'].text()!r}, which are no labels of a task"] += (
            len(results)
        )
    return said


def _write(tasks: Iterator[TaskAnswers], writing: Writing, handle: IO[str]) -> None:
    as_array((_record(task, writing) for task in tasks), handle)


def _record(task: TaskAnswers, writing: Writing) -> dict[str, Any]:
    data = task.data or {"task": task.task}
    annotations = [_annotation(reply, task, data, writing) for reply in task.replies]
    if task.truth is not None:
        gold = _annotation(Reply("", task.truth, None), task, data, writing)
        annotations.append({**gold, "completed_by": None, "ground_truth": True})
    return {"id": number_or_name(task.task), "data": data, "annotations": annotations, "predictions": []}


def _annotation(reply: Reply, task: TaskAnswers, data: dict[str, Any], writing: Writing) -> dict[str, Any]:
    who = number_or_name(reply.annotator)
    silent = reply.label is None
    return {
        "completed_by": {"email": who} if isinstance(who, str) else who,
        "result": [] if silent else regions_of(reply.label, writing.kind, data, task.task, writing.question),
        "was_cancelled": silent,
        "ground_truth": False,
        "lead_time": reply.seconds,
    }


def regions_of(
    label: Any, kind: str, data: dict[str, Any], task: str, question: str, shown: str = OBJECT
) -> list[dict[str, Any]]:
    """A label as Label Studio has it in `result`; shown: the tag that shows the task.

    >>> regions_of("cat", "class", {}, "t", "label")
    [{'from_name': 'label', 'to_name': 'text', 'type': 'choices', 'value': {'choices': ['cat']}}]
    """
    return [
        {"from_name": question, "to_name": shown, "type": name, "value": value}
        for name, value in values_of(label, kind, data, task)
    ]


TOOL = Tool(
    "label-studio", ".json", KINDS,
    frozenset({"abstentions", "truths", "seconds", "contents", "empty sets", "ratings"}), _recognises, _read, _write,
)  # fmt: skip
