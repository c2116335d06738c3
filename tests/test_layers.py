"""Imports go down the rooms only: import-linter's contract in pyproject."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def test_the_contract_of_the_rooms_is_kept() -> None:
    pytest.importorskip("importlinter", reason="import-linter is not installed")
    code = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "1 kept, 0 broken" in run.stdout


def test_every_room_has_its_layer() -> None:
    """A new room must say where it stands; those in brackets need not be there yet."""
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"][0]
    named = [room.strip() for layer in contract["layers"] for room in layer.split("|")]
    there = {p.parent.name for p in (ROOT / "src/manyhands").glob("*/__init__.py")}
    there |= {p.stem for p in (ROOT / "src/manyhands").glob("*.py")} - {"__init__"}
    assert there <= {room.strip("()") for room in named}
    assert {room for room in named if not room.startswith("(")} <= there


def test_no_room_is_a_drawer_for_odds_and_ends() -> None:
    names = {p.stem for p in (ROOT / "src").rglob("*.py")} | {p.name for p in (ROOT / "src").rglob("*/")}
    assert not names & {"utils", "util", "helpers", "common", "core", "misc"} - _crowds_named_so()


def _crowds_named_so() -> set[str]:
    """`simulation.crowds.common` is the crowd of common noise."""
    return {p.stem for p in (ROOT / "src/manyhands/simulation").rglob("common.py")}
