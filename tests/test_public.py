"""The public names: all of them load, type checkers see the same, and importing costs nothing."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import resources
from pathlib import Path

import pytest

import manyhands

HEAVY = ("numpy", "torch", "polars", "sklearn", "scipy", "pandas", "narwhals", "rich", "typer")


@pytest.mark.parametrize("name", manyhands.__all__)
def test_every_public_name_loads(name: str) -> None:
    assert getattr(manyhands, name) is not None
    assert name in dir(manyhands)


def test_type_checkers_see_the_same_names() -> None:
    """Each `from .room import original as name` under TYPE_CHECKING is a line of _HOMES, and back."""
    tree = ast.parse(Path(manyhands.__file__).read_text())
    guard = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {
        alias.asname: (node.module, alias.name)
        for node in guard.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert seen == manyhands._HOMES
    assert manyhands.__all__ == [*sorted(seen), "__version__"]


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="wings"):
        manyhands.wings  # noqa: B018


def test_importing_loads_nothing_heavy() -> None:
    code = f"import sys, manyhands; print([m for m in {HEAVY} if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_type_hints_are_announced() -> None:
    assert (resources.files("manyhands") / "py.typed").is_file()


def test_the_version_is_that_of_the_package() -> None:
    from importlib.metadata import version

    assert manyhands.__version__ == version("manyhands")
