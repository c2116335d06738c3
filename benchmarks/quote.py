"""Put the tables of benchmarks/results into the pages that quote them, between their marks.

A mark is a line `<!-- results: NAME -->`; the quotation ends at `<!-- end -->`.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from .processes import ROOT
from .tables import RESULTS

__all__ = ["PAGES", "main", "quote_all", "quoted"]

QUOTING = ("speed.md", "training-speed.md", "results.md", "choosing.md", "assignment.md", "scale.md")
PAGES = tuple(ROOT / "docs" / page for page in QUOTING)
MARK = re.compile(r"(<!-- results: ([\w/-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def quoted(page: str, results: Path = RESULTS) -> str:
    """The page with every table as it stands in the folder; one that is not there is left out."""

    def table(found: re.Match[str]) -> str:
        path = results / f"{found[2]}.md"
        text = path.read_text(encoding="utf-8").strip() if path.exists() else "*Not measured yet.*"
        return f"{found[1]}\n{text}\n\n{found[3]}"

    return MARK.sub(table, page)


def quote_all() -> None:
    """Bring every page up to date."""
    for page in PAGES:
        page.write_text(quoted(page.read_text(encoding="utf-8")), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.parse_args()
    quote_all()


if __name__ == "__main__":
    main()
