"""The comparison of methods in a report."""

from __future__ import annotations

import pytest

import manyhands as mh
from manyhands.reports.numbers.comparison import comparison


@pytest.mark.slow
def test_a_selection_as_a_table() -> None:
    crowd = mh.simulate("spammers", n_tasks=80, n_annotators=12, seed=0)
    chosen = mh.select(crowd.labels, methods=["majority", "mace"], folds=2, truth=list(crowd.truth))
    table = comparison(chosen)
    assert table is not None
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    assert [row["method"] for row in rows] == [row.name for row in chosen.methods]
    assert rows[0]["accuracy"] == chosen.methods[0].truth["accuracy"]
    assert rows[table.picked or 0]["method"] == chosen.pick
    assert dict(table.notes)["Take"] == chosen.why
    made = mh.report(chosen.pick_, comparison=chosen)
    assert chosen.why.split(":")[1].split("(")[0] in made.html


def test_what_cannot_be_said_has_no_column() -> None:
    labels = mh.simulate("numbers", n_tasks=40, n_annotators=5, seed=0).labels
    table = comparison(mh.select(labels, methods=["mean", "median"], folds=2))
    assert table is not None
    assert "accuracy" not in table.columns
    assert all(cell is not None for row in table.rows for cell in row)
    assert comparison(None) is None
