"""The papers' figures: cells keep their numbers (seed 0) as csv, and here they become pictures.

python -m benchmarks.papers.figures
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .crowds import Featured
from .summary import FOLDER

__all__ = ["keep", "keep_matrices"]

FIGURES = FOLDER / "figures"


def keep(name: str, rows: Sequence[Mapping[str, Any]], folder: Path = FIGURES) -> None:
    """The numbers behind a figure."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / f"{name}.csv", "w", newline="", encoding="utf-8") as handle:
        writer = csv.DictWriter(handle, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(
            {k: round(float(v), 4) if isinstance(v, float | np.floating) else v for k, v in row.items()}
            for row in rows
        )


def keep_matrices(name: str, data: Featured, annotators: np.ndarray, **matrices: np.ndarray) -> None:
    """Matrices [annotators, truth, label] by what they are; entries that are nan are left out."""
    who, classes = data.labels.annotators, data.labels.classes
    assert classes is not None
    keep(
        name,
        [
            {
                "annotator": str(who[j]),
                "matrix": which,
                "truth": classes[k],
                "label": classes[m],
                "value": found[a, k, m],
            }
            for which, found in matrices.items()
            for a, j in enumerate(annotators)
            for k, m in np.ndindex(found.shape[1:])
            if not np.isnan(found[a, k, m])
        ],
    )
