"""Running the command: in this process (quick), or in one of its own (exit codes, signals, pipes)."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

from typer.testing import CliRunner, Result

from manyhands.cli.app import app

VOTES = [("i1", "ann", "cat"), ("i1", "bob", "cat"), ("i1", "cid", "dog"),
         ("i2", "ann", "dog"), ("i2", "bob", "dog"), ("i2", "cid", "dog"),
         ("i3", "ann", "cat"), ("i3", "bob", "dog"), ("i3", "cid", "cat"),
         ("i4", "ann", "cat"), ("i4", "bob", "cat"), ("i4", "cid", "cat")]  # fmt: skip


def run(*args: object) -> Result:
    """In this process."""
    return CliRunner().invoke(app, [str(arg) for arg in args])


def process(*args: object, **options: object) -> subprocess.CompletedProcess[str]:
    """In a process of its own."""
    command = [sys.executable, "-m", "manyhands", *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, **options)


def table(path: Path, rows: list[tuple] = VOTES, header: tuple = ("task", "annotator", "label")) -> Path:
    """A csv file."""
    with open(path, "w", newline="") as handle:
        csv.writer(handle).writerows([header, *rows])
    return path


def rows_of(path: Path) -> list[dict[str, str]]:
    """What a csv file holds, read by nobody's code but Python's."""
    with open(path, newline="") as handle:
        return list(csv.DictReader(handle))
