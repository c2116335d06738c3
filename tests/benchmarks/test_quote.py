"""The pages that quote results say what the results say."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.quote import PAGES, quoted


@pytest.mark.parametrize("place", PAGES, ids=lambda place: place.name)
def test_page_is_up_to_date(place: Path) -> None:
    page = place.read_text(encoding="utf-8")
    assert quoted(page) == page, "run `python -m benchmarks.quote`"


def test_a_table_takes_its_place(tmp_path: Path) -> None:
    (tmp_path / "a-b.md").write_text("| new |\n")
    page = "x\n<!-- results: a-b -->\nold\n<!-- end -->\ny\n<!-- results: none -->\n<!-- end -->\n"
    once = quoted(page, tmp_path)
    assert once.startswith("x\n<!-- results: a-b -->\n\n| new |\n\n<!-- end -->\ny\n")
    assert "old" not in once
    assert "Not measured yet" in once
    assert quoted(once, tmp_path) == once
