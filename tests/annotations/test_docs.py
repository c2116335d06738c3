import doctest
from pathlib import Path

from manyhands.annotations import KINDS

PAGE = Path(__file__).parents[2] / "docs" / "labels.md"


def test_the_examples_run():
    found = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert found.attempted > 10
    assert not found.failed


def test_every_kind_is_there():
    assert all(f"| `{kind}` |" in PAGE.read_text(encoding="utf-8") for kind in KINDS)
