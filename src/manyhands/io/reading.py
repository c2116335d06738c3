"""Labels from a file of any format."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ParameterError

if TYPE_CHECKING:
    from ..annotations import Annotations
    from .request import Request
    from .tables import Table

__all__ = ["read"]

LAYOUTS = ("long", "wide", "indicators")


def read(
    path: str | Path,
    *,
    kind: str | None = None,
    columns: Mapping[str, str] | str | None = None,
    classes: Sequence[Any] | None = None,
    abstain: Any = None,
    missing: str | None = None,
    repeats: str = "error",
    truth: str | Path | Mapping[Any, Any] | None = None,
    delimiter: str | None = None,
    layout: str = "long",
    separator: str | None = None,
    format: str | None = None,
    tasks: Any = None,
    annotators: Any = None,
) -> Annotations:
    r"""Labels from csv, tsv, parquet or JSON lines, gzipped or not, from a folder of part files, or from a tool.

    The exports of Label Studio, Argilla, Prodigy, doccano, MTurk, Toloka, Appen, Zooniverse and SageMaker are
    recognised by what is in them (docs/tools.md): skipped tasks become abstentions, ground truths known truths.

    Args:
        path: the file or folder.
        kind: class, ordinal, number, tags, set or soft; found out from the labels by default.
        columns: which column is what where its name does not say: {"task": "item"} or
            "task=item,annotator=who,label=vote". Of a tool with several questions, "label=QUESTION" is one.
        classes: the classes in their order, also those nobody used.
        abstain: the label or labels that mean "cannot say".
        missing: what an empty label does: "error", "drop" or "abstain" (the default of a tool's export).
        repeats: a second answer to one task: "error", or keep the "first", the "last" or "all".
        truth: a column of the table with known truths, or a file of them (task, label). Those in a tool's export
            are taken by default, those in CoNLL columns with truth="truth".
        delimiter: of csv, where it is not a comma.
        layout: "long", one answer a row; "wide", one task a row and one annotator a column; or
            "indicators", sets with one answer a row and a 0 / 1 column a label.
        separator: between the labels of one cell: "|" for sets, " " for tags by default.
        format: csv, tsv, parquet or jsonl, where the suffix does not say it; or the name of a tool, where the
            content does not.
        tasks: all of them, in order, also those with no answer.
        annotators: the same.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/votes.csv"
    >>> _ = Path(path).write_text("item,worker,answer\n1,ann,cat\n1,bob,dog\n2,ann,cat\n")
    >>> read(path)
    Annotations(kind='class', 2 tasks, 2 annotators, 3 answers, classes=['cat', 'dog'])
    """
    from .cells import separator_for
    from .request import Request
    from .tools.opening import open_labels

    separator_for(kind, separator)
    if layout not in LAYOUTS:
        raise ParameterError(
            f"layout={layout!r} must be 'long' (one answer a row), 'wide' (one task a row) or 'indicators' (a column "
            f"a label)"
        )
    table = open_labels(path, format, delimiter, columns, kind)
    request = Request(
        kind, columns, classes, abstain, missing, repeats, separator, tasks, annotators,
        truth if isinstance(truth, str) and truth in table.names else None,
    ).for_table(table)  # fmt: skip
    return _built(table, request, layout, truth)


def _built(
    table: Table, request: Request, layout: str, truth: str | Path | Mapping[Any, Any] | None
) -> Annotations:
    from .indicators import read_indicators
    from .long import read_long
    from .tools.table import ExportTable
    from .truths import attach_truth
    from .wide import read_wide

    readers = {"long": read_long, "wide": read_wide, "indicators": read_indicators}
    build: Callable[..., Annotations] = readers[layout]
    if isinstance(table, ExportTable):
        build, request = read_long, table.request(request)
        table.warn()
    labels = build(table, request)
    if isinstance(table, ExportTable) and truth == table.tool.truth:
        truth = table.truths(labels.tasks) or truth
    if truth is None:
        return labels
    return attach_truth(
        labels, truth, table, request, lambda new: build(table, request._replace(classes=new))
    )
