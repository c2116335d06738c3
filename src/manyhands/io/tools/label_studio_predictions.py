"""Label Studio, predictions: labels with a score that the server shows beside each task.

Two forms: tasks with a list of `predictions` (what an import takes), and the list of the server's API.
https://labelstud.io/guide/predictions
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any, NamedTuple

import polars as pl

from ..values import series_of
from .fields import Field
from .items import Answer, Content, Item, Said, Wanted
from .label_studio import regions_of, said_of_results
from .label_studio_values import KINDS
from .records import Sample, open_export
from .task_answers import TaskAnswers, number_or_name
from .tool import Tool, Writing
from .write_records import as_array

__all__ = ["TOOL", "Control", "predictions", "read_predictions"]

UNNAMED = "unnamed"  # a model without a version


class Control(NamedTuple):
    """Where a label goes in a project: the tag that takes it, and the tag that shows the task."""

    name: str = "label"
    shown: str = "text"


def _recognises(sample: Sample) -> bool:
    first = sample.first
    if sample.is_table or first is None or sample.has("annotations"):
        return False
    listed = first["predictions"].value
    objects = isinstance(listed, list) and any(isinstance(entry, dict) for entry in listed)
    return (sample.has("data") and objects) or sample.has("task", "result", "model_version")


def _read(records: Iterator[Field], wanted: Wanted) -> Iterator[Item]:
    for record, prediction, task in _each(records, wanted):
        data = record["data"] if "data" in record else Field(record.origin, {}, "data")
        if wanted.contents:
            yield Content(task, data.object())
        who = prediction[wanted.annotator or "model_version"]
        model = UNNAMED if who.is_null() else who.name()
        results = list(prediction["result"].each())
        for said in said_of_results(results, data, wanted) if results else (Said(None),):
            yield Answer(task, model, said, prediction)


def _each(records: Iterator[Field], wanted: Wanted) -> Iterator[tuple[Field, Field, str]]:
    for record in records:
        if "predictions" not in record:
            yield record, record, record["task"].name()
            continue
        task = (record["data"][wanted.task] if wanted.task else record["id"]).name()
        for prediction in record["predictions"].each():
            yield record, prediction, task


def read_predictions(path: str | Path) -> pl.DataFrame:
    """A row a prediction: task, model, label (as Label Studio has it: a list of values), score."""
    found = [
        (task, p["model_version"].value, [r["value"].value for r in p["result"].each()],
         None if p["score"].value is None else p["score"].number())
        for _, p, task in _each(open_export(Path(path)).records(), Wanted())
    ]  # fmt: skip
    names = ("task", "model", "values", "score")
    return pl.DataFrame([series_of(name, [row[at] for row in found]) for at, name in enumerate(names)])


def predictions(
    rows: Iterator[Mapping[str, Any]],
    kind: str,
    control: Control,
    contents: Mapping[str, dict[str, Any]],
    model: str,
) -> Iterator[dict[str, Any]]:
    """A consensus, row by row (task, label and perhaps confidence), as the server's API takes it.

    >>> rows = iter([{"task": "7", "label": "cat", "confidence": 0.75}])
    >>> next(predictions(rows, "class", Control(), {}, "v1"))["score"]
    0.75
    """
    for row in rows:
        if row["label"] is None:
            continue
        task = str(row["task"])
        score = row.get("confidence")
        yield {
            "task": number_or_name(task),
            "model_version": model,
            "score": None if score is None else round(float(score), 6),
            "result": regions_of(
                row["label"], kind, contents.get(task, {}), task, control.name, control.shown
            ),
        }


def _write(tasks: Iterator[TaskAnswers], writing: Writing, handle: IO[str]) -> None:
    as_array((_record(task, writing) for task in tasks), handle)


def _record(task: TaskAnswers, writing: Writing) -> dict[str, Any]:
    data = task.data or {"task": task.task}
    made = [
        {"model_version": reply.annotator, "score": None,
         "result": [] if reply.label is None
         else regions_of(reply.label, writing.kind, data, task.task, writing.question)}
        for reply in task.replies
    ]  # fmt: skip
    return {"id": number_or_name(task.task), "data": data, "predictions": made}


TOOL = Tool(
    "label-studio-predictions", ".json", KINDS, frozenset({"abstentions", "contents", "ratings"}),
    _recognises, _read, _write,
)  # fmt: skip
