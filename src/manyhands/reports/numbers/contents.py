"""All that a report says, as plain data: frozen dataclasses of text and numbers, no page and no chart."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from ...metrics import agreement
from ...results import Result
from .agreement_rows import AgreementRow, agreement_rows, headline
from .alike import Alike, alike
from .annotator_list import AnnotatorList, annotator_list
from .annotator_map import AnnotatorMap, annotator_map
from .certainty import Certainty, certainty
from .changes import Changes, changes
from .class_shares import ClassShare, class_shares
from .confusions import Confusions, confusions
from .findings import Finding, findings
from .material import Material
from .mistakes import Mistake, mistakes
from .overview import Overview, overview
from .parts import Parts, parts
from .plain_tables import PlainTable
from .progress import Progress, progress
from .spans import Span, spans
from .task_list import Task, task_list

__all__ = ["Contents", "contents"]


@dataclass(frozen=True)
class Contents:
    """One field a section; what does not apply is None or empty."""

    title: str
    overview: Overview
    headline: AgreementRow | None
    agreement: tuple[AgreementRow, ...]
    certainty: Certainty
    classes: tuple[ClassShare, ...]
    annotators: AnnotatorList
    confusions: Confusions | None
    mistakes: tuple[Mistake, ...]
    parts: Parts | None
    map: AnnotatorMap | None
    tasks: tuple[Task, ...]
    spans: tuple[Span, ...]
    progress: tuple[Progress, ...]
    pairs: Alike | None = None
    drift: Changes | None = None
    comparison: PlainTable | None = None
    pictures_left_out: int = 0
    findings: tuple[Finding, ...] = field(default=())


def contents(
    result: Result,
    model: Any = None,
    *,
    title: str = "Who said what, and whom to believe",
    material: Material | None = None,
    comparison: PlainTable | None = None,
    when: str | None = None,
    seed: int = 0,
) -> Contents:
    """What there is to say of a result, and of the model that made it.

    >>> from manyhands import DawidSkene, simulate
    >>> crowd = simulate("confusion", n_tasks=200, n_annotators=8, seed=0)
    >>> found = contents(DawidSkene(shared=10.0).fit(crowd.labels).result_)
    >>> found.overview.tasks, len(found.annotators.names), found.findings[0].section
    (200, 8, 'agreement')
    """
    seen = material or Material()
    agreed = agreement(result.labels, seed=seed)
    found = Contents(
        title, overview(result), headline(agreed), agreement_rows(agreed), certainty(result),
        class_shares(result, agreed), annotator_list(result), confusions(result), mistakes(result),
        parts(model, result), annotator_map(model, result), task_list(result, seen), spans(result, seen),
        progress(result), alike(result, seed), changes(result, when), comparison, seen.left_out,
    )  # fmt: skip
    return replace(found, findings=findings(found))
