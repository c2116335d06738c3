"""Names that differ in case and space only: one person, task or class that counts as two."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from .oddity import Oddity, odd

if TYPE_CHECKING:
    from ...annotations import Annotations, Names

__all__ = ["similar_names"]


def similar_names(labels: Annotations) -> list[Oddity]:
    """Among the tasks, the annotators and the classes."""
    rooms = (("tasks", labels.tasks), ("annotators", labels.annotators), ("classes", labels.classes))
    return [oddity for what, names in rooms if names is not None for oddity in _among(names, what)]


def _among(names: Names, what: str) -> list[Oddity]:
    if not names.are_text:
        return []
    frame = names.to_series("name").to_frame().with_columns(
        pl.col("name").str.to_lowercase().str.replace_all(r"[\s_]+", " ").str.strip_chars().alias("plain")
    )  # fmt: skip
    alike = frame.group_by("plain", maintain_order=True).agg("name").filter(pl.col("name").list.len() > 1)
    return odd(
        f"similar-{what}",
        f"{what} whose names differ in case or space only",
        len(alike),
        (" = ".join(map(repr, group)) for group in alike["name"].head(9).to_list()),
        f"if they are the same, write them one way in the file: each spelling counts as one of the {what}",
    )
