"""SageMaker Ground Truth, the file that a consolidation Lambda is asked to work on (payload.s3Uri).

https://docs.aws.amazon.com/sagemaker/latest/dg/sms-custom-templates-step3-lambda-requirements.html
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import IO, Any

from ..tokens import words_of
from .crowd_elements import elements
from .fields import Field
from .items import Answer, Content, Item, Said, Wanted
from .records import Sample
from .spans import spans_of
from .task_answers import Reply, TaskAnswers
from .tool import Tool, Writing
from .write_records import as_array

__all__ = ["TOOL"]


def _recognises(sample: Sample) -> bool:
    return not sample.is_table and sample.has("datasetObjectId", "annotations")


def _read(records: Iterator[Field], wanted: Wanted) -> Iterator[Item]:
    for record in records:
        shown = record["dataObject"]
        task = (shown[wanted.task] if wanted.task else record["datasetObjectId"]).name()
        if wanted.contents:
            yield Content(task, _data(shown))
        text = shown["content"].value if "content" in shown else None
        for annotation in record["annotations"].each():
            who = annotation[wanted.annotator or "workerId"].name()
            for said in _said(annotation["annotationData"], text if isinstance(text, str) else None, wanted):
                yield Answer(task, who, said, annotation)


def _data(shown: Field) -> dict[str, Any]:
    data = dict(shown.object()) if shown.value is not None else {}
    return {"text": data.pop("content"), **data} if "content" in data else data


def _said(data: Field, text: str | None, wanted: Wanted) -> Iterator[Said]:
    if "content" not in data and "s3Uri" in data:
        raise data.fault(
            "names a file (s3Uri) in place of the annotation: fetch it, and put its text into content"
        )
    if data["content"].is_null():
        yield Said(None)
        return
    yield from elements(data["content"].parsed(), text, wanted)


def _write(tasks: Iterator[TaskAnswers], writing: Writing, handle: IO[str]) -> None:
    as_array((_record(task, writing) for task in tasks), handle)


def _record(task: TaskAnswers, writing: Writing) -> dict[str, Any]:
    data = dict(task.data)
    shown = {"content": data.pop("text"), **data} if "text" in data else data or {"content": task.task}
    return {
        "datasetObjectId": task.task,
        "dataObject": shown,
        "annotations": [
            {
                "workerId": reply.annotator,
                "annotationData": {"content": json.dumps(_content(task, reply, writing))},
            }
            for reply in task.replies
        ],
    }


def _content(task: TaskAnswers, reply: Reply, writing: Writing) -> dict[str, Any]:
    if reply.label is None:
        said: dict[str, Any] = {}
    elif writing.kind == "tags":
        spans = spans_of(reply.label, words_of(task.data, task.task).places, task.task)
        said = {"entities": [{"startOffset": s.start, "endOffset": s.end, "label": s.label} for s in spans]}
    elif writing.kind == "set":
        said = {"labels": [str(one) for one in reply.label]}
    else:
        said = {"label": str(reply.label)}
    return {writing.question: said}


TOOL = Tool(
    "sagemaker", ".json", frozenset({"class", "ordinal", "set", "tags"}), frozenset({"abstentions", "contents", "empty sets"}),
    _recognises, _read, _write,
)  # fmt: skip
