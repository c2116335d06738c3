"""Labels into a file of any format, so that `read` gives them back."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from ..annotations import Annotations
from .cells import join_labels, separator_for
from .frames import format_to_write, write_frame
from .indicators import indicator_frame
from .tokens import words_of
from .tools.registry import named_for
from .tools.writing import write_export

__all__ = ["write"]


def write(
    labels: Annotations,
    path: str | Path,
    *,
    separator: str | None = None,
    delimiter: str | None = None,
    format: str | None = None,
    contents: Mapping[str, dict[str, Any]] | None = None,
    layout: str = "long",
) -> None:
    """Write labels as csv, tsv, parquet or jsonl: task, annotator, label, what stands alongside, truth.

    Or, with format="label-studio" or another tool's name, as that tool exports them, .conll as CoNLL columns;
    contents: what each task shows, such as {"t1": {"text": "..."}} or {"t1": {"tokens": [...]}}
    (docs/tools.md); of tags jsonl and parquet get a column of tokens.

    csv has a set as `a|b` (`|` alone is the empty set), tags as `O B-PER`, both as JSON lists where
    a label holds the separator, and a distribution as a JSON object; read it back with the same
    `kind`. An abstention is an empty label (`missing="abstain"` when read back). Tasks and
    annotators with no answer, and classes that nobody used, have no row and so are not in the file.
    Where some labels of a set were not asked about, the column is JSON: {"a":true,"b":false}.

    layout: "long", or "indicators": sets with a column a label, 1, 0 or empty, and nothing else.

    >>> import tempfile
    >>> from manyhands.io import read
    >>> path = tempfile.mkdtemp() + "/sets.csv"
    >>> write(Annotations.from_dict({"t": {"ann": {"a", "b"}, "bob": set()}}), path)
    >>> print(Path(path).read_text().strip())
    task,annotator,label
    t,ann,a|b
    t,bob,|
    >>> read(path, kind="set").answers.values.tolist()
    [[1, 1], [0, 0]]
    """
    format = format or named_for(Path(path))
    if format is not None:
        write_export(labels, path, format, contents)
        return
    separator_for(labels.kind, separator)
    if layout == "indicators":
        write_frame(indicator_frame(labels), path, delimiter=delimiter)
        return
    frame = labels.to_frame()
    nested = labels.kind in ("set", "tags", "soft")
    if nested:
        frame = frame.with_columns(_nested(labels.kind, frame.get_column("label")))
    if labels.truth is not None and "truth" not in frame.columns:
        frame = frame.with_columns(_truth(labels))
    if nested and format_to_write(path).is_text:
        frame = frame.with_columns(
            pl.Series(name, join_labels(frame[name].to_list(), kind, separator), dtype=pl.String)
            for name, kind in (("label", labels.kind), ("truth", labels.kind))
            if name in frame.columns and not (name == "truth" and kind == "soft")
        )
    elif labels.kind == "tags" and contents is not None:
        frame = frame.with_columns(_tokens(labels, contents))
    write_frame(frame, path, delimiter=delimiter)


def _tokens(labels: Annotations, contents: Mapping[str, dict[str, Any]]) -> pl.Series:
    """The words of each answer's task, null where they are not known."""
    known = {str(name): contents.get(str(name)) for name in labels.tasks}
    words = [None if data is None else words_of(data, name).tokens for name, data in known.items()]
    return pl.Series("tokens", words, dtype=pl.List(pl.String)).gather(labels.task)


def _nested(kind: str, column: pl.Series) -> pl.Series:
    values = column.to_list()
    if kind != "soft":
        partly = any(isinstance(value, dict) for value in values)
        return pl.Series(column.name, values, strict=False, dtype=pl.Object if partly else None)
    shortest = [None if v is None else {key: _shortest(p) for key, p in v.items()} for v in values]
    return pl.Series(column.name, shortest, dtype=pl.Object)


def _shortest(probability: float) -> float:
    """The fewest digits that give the same float32: .3, not .30000001192092896."""
    return float(str(np.float32(probability)))


def _truth(labels: Annotations) -> pl.Series:
    known: list[Any] = labels.truths()
    return pl.Series("truth", [known[task] for task in labels.task.tolist()], strict=False)
