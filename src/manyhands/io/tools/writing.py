"""Labels as the export of a tool, whole or not at all."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...annotations import Annotations
from ...errors import UnsupportedError
from ..atomic import atomic_write
from ..frames import opened
from ..tokens import words_of
from .registry import tool
from .task_answers import in_order, spoken
from .tool import Tool, Writing

__all__ = ["losses_in", "write_export"]


def write_export(
    labels: Annotations,
    path: str | Path,
    name: str,
    contents: Mapping[str, dict[str, Any]] | None = None,
    question: str = "label",
) -> None:
    """Write labels as a tool exports them; contents: what each task shows, by its name."""
    form = tool(name)
    shown = (contents or {}) if "tokens" in form.keeps else _with_texts(contents or {})
    if labels.kind not in form.kinds:
        raise UnsupportedError(
            f"kind={labels.kind!r} has no place in an export of {name}, which holds {', '.join(sorted(form.kinds))}"
        )
    writing = Writing(
        labels.kind, tuple(labels.classes or ()), question,
        tuple(dict.fromkeys(field for data in shown.values() for field in data)), tuple(map(str, labels.annotators)), _has_truth(labels),
    )  # fmt: skip
    with atomic_write(path) as temporary, opened(temporary, Path(path).suffix.lower() == ".gz") as handle:
        text = io.TextIOWrapper(handle, encoding="utf-8", newline="", write_through=False)
        form.write(in_order(labels, shown), writing, text)
        text.flush()
        text.detach()


def losses_in(labels: Annotations, form: Tool, has_contents: bool) -> list[str]:
    """What an export of this tool does not hold, in words."""
    said = [spoken(label) for label in labels.to_frame().get_column("label").to_list()]
    silent = said.count(None)
    others = [name for name in labels.columns if name != "seconds"]
    found = {
        f"{silent} abstentions": silent and "abstentions" not in form.keeps,
        "known truths": _has_truth(labels) and "truths" not in form.keeps,
        "seconds": "seconds" in labels.columns and "seconds" not in form.keeps,
        f"the columns {', '.join(others)}": others,
        "what the tasks show: there is only their name": not has_contents and "contents" in form.keeps,
        "the order of the classes": labels.kind == "ordinal"
        and ("ratings" not in form.keeps or labels.classes is None or labels.classes.are_text),
        "empty sets: they are abstentions now": "empty sets" not in form.keeps and _has_empty(labels),
        "tokens without a tag: they are O now": "gaps" not in form.keeps
        and any(isinstance(one, list) and None in one for one in said),
    }
    return [words for words, lost in found.items() if lost]


def _with_texts(contents: Mapping[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """A text for tasks of which the tokens alone are known."""
    return {
        task: data if "tokens" not in data or "text" in data else {"text": words_of(data, task).text, **data}
        for task, data in contents.items()
    }


def _has_truth(labels: Annotations) -> bool:
    return labels.truth is not None and any(truth is not None for truth in labels.truths())


def _has_empty(labels: Annotations) -> bool:
    return labels.kind == "set" and bool((labels.answers.values == 0).all(axis=1).any())
