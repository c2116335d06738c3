from __future__ import annotations

import subprocess
import sys

import pytest

from .shell import run

HEAVY = ("numpy", "polars", "torch", "sklearn", "scipy", "narwhals", "pandas", "rich.table", "rich.progress")
VERBS = (
    "demo",
    "check",
    "aggregate",
    "compare",
    "assign",
    "train",
    "predict",
    "explain",
    "methods",
    "simulate",
    "convert",
)


@pytest.mark.parametrize(
    "words",
    [[], ["aggregate"], ["compare"], ["assign"], ["check"], ["simulate"], ["train"], ["predict"]],
    ids=" ".join,
)
@pytest.mark.slow
def test_help_imports_nothing_heavy(words):
    code = (
        "import sys\n"
        f"sys.argv = ['manyhands', *{words!r}, '--help']\n"
        "from manyhands.cli import main\n"
        "try:\n    main()\n"
        "except SystemExit as end:\n    assert not end.code\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert "Usage: manyhands" in done.stdout
    assert done.stderr.strip() == "[]"


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_explains_itself(verb):
    shown = run(verb, "--help")
    assert shown.exit_code == 0
    assert "--json" in shown.output
    assert verb in run("--help").output


def test_a_mistyped_verb_is_a_usage_error_with_a_suggestion():
    told = run("agregate", "x.csv")
    assert told.exit_code == 2
    assert "aggregate" in told.stderr


def test_version_is_the_package_version():
    import manyhands

    assert run("--version").output == f"manyhands {manyhands.__version__}\n"


def test_python_m_is_the_command():
    done = subprocess.run(
        [sys.executable, "-m", "manyhands", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("manyhands ")
