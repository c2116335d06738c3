"""One model whatever the number of processes: predictions, consensus and losses are those of one."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import polars as pl
import pytest

from tests.processes.group import in_processes

from .made import ASKED, CASES, all_trained


@cache
def _parts(size: int, how: str, names: tuple[str, ...]) -> list[dict[str, Any]]:
    found = in_processes(size, all_trained, names, how, timeout=400)
    for error in found:
        if isinstance(error, Exception):
            raise error
    return found


@cache
def _alone(name: str) -> dict[str, Any]:
    return all_trained((name,), "blocks")[name]


@pytest.mark.slow
@pytest.mark.parametrize("name", list(CASES))
@pytest.mark.parametrize(("size", "how"), [(2, "blocks"), (4, "empty")])
def test_several_processes_are_as_one(size: int, how: str, name: str) -> None:
    one = _alone(name)
    parts = [part[name] for part in _parts(size, how, tuple(CASES))]
    for part in parts:
        np.testing.assert_allclose(part["said"], one["said"], atol=1e-5)
        np.testing.assert_allclose(part["losses"], one["losses"], rtol=1e-5, atol=1e-6)
        assert part["sparse"] == one["sparse"] == name.endswith("sparse")
    together = pl.concat([part["consensus"] for part in parts])
    order = np.argsort(np.concatenate([part["mine"] for part in parts]))
    exact = [name for name, dtype in together.schema.items() if not dtype.is_float()]
    assert together[order].select(exact).equals(one["consensus"].select(exact))
    close = [column for column in together.columns if column not in exact]
    np.testing.assert_allclose(together[order].select(close), one["consensus"].select(close), atol=1e-5)


def test_the_systems_asked_for_are_among_them() -> None:
    assert set(ASKED) <= set(CASES)
