from __future__ import annotations

import json

import pytest

from manyhands.catalog import METHODS, TRAINED, default_method

from .shell import run


def test_all_methods_are_listed():
    shown = run("methods")
    assert shown.exit_code == 0
    assert all(name in shown.output for name in [*METHODS, *TRAINED])


@pytest.mark.parametrize("kind", ["class", "number", "soft"])
def test_a_kind_lists_the_methods_that_take_it_and_one_default(kind):
    entries = json.loads(run("methods", "--kind", kind, "--json").stdout)
    every = [*METHODS.values(), *TRAINED.values()]
    assert [e["name"] for e in entries] == [m.name for m in every if kind in m.kinds]
    assert {e["name"] for e in entries if e["needs_features"]} <= set(TRAINED)
    assert [e["name"] for e in entries if kind in e["default_of"]] == [default_method(kind).name]


def test_an_unknown_kind_is_a_usage_error():
    told = run("methods", "--kind", "colour")
    assert told.exit_code == 2
    assert "ordinal" in told.stderr
