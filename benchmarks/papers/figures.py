"""The papers' figures: cells keep their numbers (seed 0) as csv, and here they become pictures.

    python -m benchmarks.papers.figures [--only crowd-layer-figure-2,...]

Drawn from the csv alone; what a figure shows in one number stands in its table.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from .crowds import Featured
from .summary import FOLDER

__all__ = ["DRAWN", "draw", "keep", "keep_matrices"]

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


def _points(frame: pl.DataFrame, y: str, **more: Any) -> alt.Chart:
    """What was learnt against what is real, a point an annotator."""
    axes = {"x": alt.X("real:Q").scale(zero=False), "y": alt.Y(f"{y}:Q").scale(zero=False)}
    return alt.Chart(frame).mark_point(filled=True).encode(**axes, **more).properties(width=260, height=200)


def _diagonals(frame: pl.DataFrame) -> alt.Chart:
    marks = _points(frame, "W", color=alt.Color("of:N").title(None))
    return marks + marks.mark_text(dx=8).encode(text="annotator:N")


def _biases(frame: pl.DataFrame) -> alt.Chart:
    return _points(frame, "b", size=alt.Size("labels:Q").scale(range=[5, 200]))


def _matrices(frame: pl.DataFrame, scaled: bool, numbers: bool) -> alt.Chart:
    """A row a kind of matrix, a column an annotator; scaled: each matrix by its own least and greatest entry."""
    value, side = pl.col("value"), 70 if numbers else 110
    least, most = (f().over("matrix", "annotator") for f in (value.min, value.max))
    shade = (value - least) / (most - least) if scaled else value
    base = alt.Chart(frame.with_columns(shade=shade)).encode(
        x=alt.X("label:N").title(None), y=alt.Y("truth:N").title(None)
    )
    cells = base.mark_rect().encode(color=alt.Color("shade:Q").scale(scheme="blues").legend(None))
    if numbers:
        text = base.mark_text(fontSize=10).encode(text=alt.Text("value:Q").format(".2f"))
        cells = cells + text.encode(
            color=alt.condition("datum.shade > 0.6", alt.value("white"), alt.value("black"))
        )
    order = ["real", *(name for name in frame["matrix"].unique(maintain_order=True) if name != "real")]
    return cells.properties(width=side, height=side).facet(
        row=alt.Row("matrix:N").sort(order).title(None), column=alt.Column("annotator:N").title("annotator")
    )


def _halves(frame: pl.DataFrame) -> alt.Chart:
    """How many tasks of each class are among those of more common noise, and of less."""
    return (
        alt.Chart(frame)
        .mark_bar()
        .encode(
            x=alt.X("class:N").title(None),
            y="tasks:Q",
            xOffset="half:N",
            color=alt.Color("half:N").title(None),
        )
        .properties(width=420, height=160)
    )


def _curves(frame: pl.DataFrame) -> alt.Chart:
    """Accuracy against the strength of common noise and against its share, by pattern."""
    lines = alt.Chart(frame).mark_line(point=True).encode(
        x=alt.X("value:Q").scale(zero=False).title(None), y=alt.Y("accuracy:Q").scale(zero=False),
        color=alt.Color("system:N").title(None),
    )  # fmt: skip
    return lines.properties(width=240, height=180).facet(
        row=alt.Row("pattern:N").title(None), column=alt.Column("sweep:N").title(None)
    )


DRAWN: dict[str, Callable[[pl.DataFrame], alt.Chart]] = {
    "crowd-layer-figure-2": _diagonals,
    "crowd-layer-figure-3": partial(_matrices, scaled=True, numbers=False),
    "crowd-layer-figure-4": _biases,
    "speelfc-figure-5": partial(_matrices, scaled=True, numbers=True),
    "cmm-figure-1": partial(_matrices, scaled=False, numbers=False),
    "conal-figure-1-labelme": partial(_matrices, scaled=False, numbers=False),
    "conal-figure-1-music-genre": partial(_matrices, scaled=False, numbers=False),
    "conal-figure-6": _curves,
    "conal-figure-7-asymmetric": partial(_matrices, scaled=False, numbers=False),
    "conal-figure-7-symmetric": partial(_matrices, scaled=False, numbers=False),
    "conal-figure-8": partial(_matrices, scaled=False, numbers=False),
    "conal-figure-9": partial(_matrices, scaled=False, numbers=False),
    "conal-figure-10-labelme": _halves,
    "conal-figure-10-music-genre": _halves,
    "speelfc-figure-6": partial(_matrices, scaled=False, numbers=False),
}


def draw(name: str, folder: Path = FIGURES) -> Path | None:
    """NAME.png from NAME.csv, or from all NAME-*.csv; None where there are no numbers yet."""
    files = [
        file for file in (folder / f"{name}.csv", *sorted(folder.glob(f"{name}-*.csv"))) if file.exists()
    ]
    if not files:
        return None
    frame = pl.concat([pl.read_csv(file) for file in files]).unique(maintain_order=True)
    path = folder / f"{name}.png"
    DRAWN[name](frame).save(path)
    return path


def _sweeps() -> None:
    """CoNAL's Figure 6, which is drawn from its table."""
    from .common_noise import curves

    table = FOLDER / "conal-6.csv"
    rows = curves(pl.read_csv(table, infer_schema=False).to_dicts()) if table.exists() else []
    if rows:
        keep("conal-figure-6", rows)


def main() -> None:
    """Draw what there are numbers of."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default=",".join(DRAWN), help="figures, with commas between")
    _sweeps()
    for name in parser.parse_args().only.split(","):
        print(draw(name) or f"{name}: no numbers yet")


if __name__ == "__main__":
    main()
