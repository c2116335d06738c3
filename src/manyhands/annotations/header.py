"""Which column is the task, the annotator, the label: by their usual names."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import ParameterError

__all__ = ["ALIASES", "EXTRA", "MOMENTS", "find_columns"]

# In order of preference: the first that a header holds is taken.
ALIASES: dict[str, tuple[str, ...]] = {
    "task": ("task", "task_id", "taskid", "item", "item_id", "unit", "unit_id", "_unit_id", "example",
             "example_id", "sample", "question", "document", "doc_id", "instance", "object", "subject_ids",
             "hitid", "id"),
    "annotator": ("annotator", "annotator_id", "worker", "worker_id", "workerid", "_worker_id", "user",
                  "user_id", "user_name", "performer", "rater", "rater_id", "labeler", "labeller", "coder",
                  "judge", "judge_id", "participant", "source", "completed_by", "created_by"),
    "label": ("label", "labels", "answer", "response", "vote", "judgment", "judgement", "annotation",
              "rating", "score", "value", "class", "category", "choice", "tags"),
}  # fmt: skip

# When an answer was given, in order of preference.
MOMENTS = (
    "timestamp", "submitted_at", "completed_at", "finished_at", "annotated_at", "created_at", "updated_at",
    "submit_time", "submittime", "datetime", "date",
)  # fmt: skip

# Kept alongside the labels without asking.
EXTRA = frozenset(
    [*"time seconds duration lead_time worktime worktimeinseconds cost price reward".split(), *MOMENTS]
)


def find_columns(header: Sequence[str], **given: str | None) -> dict[str, str]:
    """The column of each role: the one given, else the one whose name says so.

    >>> find_columns(["item", "worker", "answer"], task=None, annotator=None, label=None)
    {'task': 'item', 'annotator': 'worker', 'label': 'answer'}
    """
    found = {role: _given(name, header, role) for role, name in given.items() if name is not None}
    if len(set(found.values())) < len(found):
        raise ParameterError(f"one column cannot be two things: {found}")
    lower = {str(name).strip().lower(): name for name in reversed(header)}
    for role in given:
        if role not in found:
            found[role] = _usual(lower, header, role, taken=set(found.values()))
    return {role: found[role] for role in given}


def _given(name: str, header: Sequence[str], role: str) -> str:
    if name not in header:
        raise ParameterError(_no_column(f"column {name!r} (for the {role})", header, role))
    return name


def _usual(lower: dict[str, str], header: Sequence[str], role: str, taken: set[str]) -> str:
    alias = next((a for a in ALIASES[role] if a in lower and lower[a] not in taken), None)
    if alias is None:
        raise ParameterError(_no_column(f"column for the {role}", header, role))
    return lower[alias]


def _no_column(what: str, header: Sequence[str], role: str) -> str:
    shown = ", ".join(repr(name) for name in header[:20])
    return (
        f"no {what}: the columns are {shown}. Name it with {role}= (--columns {role}=NAME); "
        f"usual names are {', '.join(ALIASES[role][:4])}"
    )
