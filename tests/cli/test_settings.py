from __future__ import annotations

import pytest
import typer

from manyhands.cli.settings import parse_settings

KNOWN = {
    "max_iter": 100,
    "tol": 1e-5,
    "accelerate": False,
    "prior": "estimate",
    "accuracy": (0.6, 0.9),
    "any": None,
}


@pytest.mark.parametrize(
    ("given", "value"),
    [
        ("max_iter=7", 7), ("max-iter=7", 7), ("tol=1e-3", 1e-3), ("tol=1", 1.0), ("accelerate=true", True),
        ("accelerate=No", False), ("prior=uniform", "uniform"), ("prior=0.2,0.8", [0.2, 0.8]),
        ("accuracy=0.5,0.7", (0.5, 0.7)), ("any=none", None), ("any=a=b", "a=b"),
    ],
)  # fmt: skip
def test_text_becomes_the_type_of_the_default(given, value):
    (found,) = parse_settings([given], KNOWN, "it").values()
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    "given", ["max_iter=7.5", "max_iter=many", "tol=small", "accelerate=2", "accuracy=0.5"]
)
def test_a_value_of_another_type_is_refused_with_its_name(given):
    with pytest.raises(typer.BadParameter, match=given.partition("=")[0]):
        parse_settings([given], KNOWN, "it")


def test_an_unknown_key_is_refused_with_the_nearest_and_the_list():
    with pytest.raises(
        typer.BadParameter, match=r"no parameter 'max_itr'; did you mean 'max_iter'.*tol=1e-05"
    ):
        parse_settings(["max_itr=3"], KNOWN, "glad")


def test_a_key_alone_is_refused():
    with pytest.raises(typer.BadParameter, match="KEY=VALUE"):
        parse_settings(["max_iter"], KNOWN, "glad")
