"""The objective never goes down: strictly in float64, beyond 1e-6 relative in float32."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from manyhands import Annotations
from manyhands.channels import (
    Ability,
    AnnotatorGroups,
    CommonConfusion,
    Confusion,
    DirichletConfusion,
    Gaussian,
    OneCoin,
    Ordinal,
    Spam,
    number_votes,
    votes_of,
)
from manyhands.errors import ConvergenceWarning
from manyhands.objectives import AbilityEM, GaussianEM, JointEM, JointVB
from manyhands.training import run_em

from .crowds import EM, EM_CASES, crowd, kind_of, make

CHANNELS = [
    Confusion(), Confusion(right=0.5, wrong=0.2), Confusion(shared=3.0), Confusion(0.5, 0.5, 2.0),
    AnnotatorGroups(1), AnnotatorGroups(2, 0.0), AnnotatorGroups(3), OneCoin(), OneCoin(2.0, 1.0), Ordinal(), Ordinal(0.0, 0.0), Ordinal(1.0, 3.0), Spam(), Spam(0.0, 0.0, 0.0),
    CommonConfusion(), CommonConfusion(0.0, 0.0, 0.0, 0.0), CommonConfusion(0.0, 1.0, 5.0, 1.0),
]  # fmt: skip


@st.composite
def crowds(draw: st.DrawFn) -> tuple[Annotations, np.ndarray | None]:
    """Wide matrices, mostly sparse, with and without some known truths."""
    n, r, k = draw(st.integers(1, 12)), draw(st.integers(1, 5)), draw(st.integers(1, 4))
    entry = st.integers(-1, k - 1)
    matrix = draw(st.lists(st.lists(entry, min_size=r, max_size=r), min_size=n, max_size=n))
    known = draw(st.none() | st.lists(entry, min_size=n, max_size=n))
    table = Annotations.from_matrix(matrix, classes=list(range(k)))
    return table, None if known is None else np.array(known)


def _worst(problem: Any, accelerate: bool, generator: torch.Generator | None) -> tuple[float, list[float]]:
    """The largest fall relative to the objective, over 40 steps that nothing stops."""
    run = run_em(problem, max_iter=40, tol=-1.0, accelerate=accelerate, generator=generator)
    path = np.array([entry["objective"] for entry in run.history])
    assert np.isfinite(path).all()
    assert len(path) == 40
    assert run.objective == path[-1]
    falls = (path[:-1] - path[1:]) / np.maximum(np.abs(path[:-1]), 1.0)
    return float(falls.max()), path.tolist()


@pytest.mark.parametrize("accelerate", [False, True], ids=["plain", "squarem"])
@pytest.mark.parametrize("channel", CHANNELS, ids=repr)
@settings(max_examples=8)
@given(made=crowds(), learn=st.booleans(), seed=st.none() | st.integers(0, 5))
@pytest.mark.slow
def test_channels_of_counts(
    channel: Any, accelerate: bool, made: tuple[Annotations, np.ndarray | None], learn: bool, seed: int | None
) -> None:
    table, known = made
    fixed = None if learn else torch.full((table.n_classes,), -np.log(table.n_classes), dtype=torch.float64)
    generator = None if seed is None else torch.Generator().manual_seed(seed)
    for dtype, allowed in ((torch.float64, 1e-12), (torch.float32, 1e-6)):
        problem = JointEM(votes_of(table), channel, known=known, log_truth=fixed, dtype=dtype)
        fall, path = _worst(problem, accelerate, generator)
        assert fall <= allowed, path


@pytest.mark.parametrize("accelerate", [False, True], ids=["plain", "squarem"])
@pytest.mark.parametrize("channel", [DirichletConfusion(), DirichletConfusion(0.5, 2.0, 3, True)], ids=repr)
@settings(max_examples=8)
@given(made=crowds(), learn=st.booleans(), seed=st.none() | st.integers(0, 5))
@pytest.mark.slow
def test_beliefs(
    channel: DirichletConfusion, accelerate: bool, made: tuple[Annotations, np.ndarray | None], learn: bool,
    seed: int | None,
) -> None:  # fmt: skip
    """The evidence lower bound of variational Bayes."""
    table, known = made
    fixed = None if learn else torch.full((table.n_classes,), -np.log(table.n_classes), dtype=torch.float64)
    generator = None if seed is None else torch.Generator().manual_seed(seed)
    for dtype, allowed in ((torch.float64, 1e-12), (torch.float32, 1e-6)):
        problem = JointVB(votes_of(table), channel, known=known, log_truth=fixed, spread=0.3, dtype=dtype)
        fall, path = _worst(problem, accelerate, generator)
        assert fall <= allowed, path


@pytest.mark.parametrize("accelerate", [False, True], ids=["plain", "squarem"])
@settings(max_examples=8)
@given(made=crowds(), seed=st.none() | st.integers(0, 5))
def test_ability(accelerate: bool, made: tuple[Annotations, np.ndarray | None], seed: int | None) -> None:
    table, known = made
    even = torch.full((table.n_classes,), -np.log(table.n_classes), dtype=torch.float64)
    generator = None if seed is None else torch.Generator().manual_seed(seed)
    fall, path = _worst(AbilityEM(votes_of(table), Ability(), even, known=known), accelerate, generator)
    assert fall <= 1e-12, path


@pytest.mark.parametrize("accelerate", [False, True], ids=["plain", "squarem"])
@pytest.mark.parametrize("channel", [Gaussian(), Gaussian(0.5, 3.0)], ids=repr)
@settings(max_examples=8)
@given(data=st.data())
@pytest.mark.slow
def test_gaussian(channel: Gaussian, accelerate: bool, data: st.DataObject) -> None:
    n, r = data.draw(st.integers(2, 10)), data.draw(st.integers(1, 4))
    number = st.floats(-50, 50, width=16) | st.just(float("nan"))
    row = st.lists(number, min_size=r, max_size=r)
    matrix = np.array(data.draw(st.lists(row, min_size=n, max_size=n)))
    known = data.draw(st.none() | st.lists(number, min_size=n, max_size=n))
    assume(np.isfinite(matrix).any() and np.ptp(matrix[np.isfinite(matrix)]) > 0.1)
    table = Annotations.from_matrix(matrix, kind="number")
    problem = GaussianEM(number_votes(table), channel, None if known is None else np.array(known))
    fall, path = _worst(problem, accelerate, None)
    assert fall <= 1e-12, path


@pytest.mark.filterwarnings("ignore::manyhands.errors.ConvergenceWarning")
@pytest.mark.parametrize(("name", "kind"), EM_CASES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_methods(name: str, kind: str, dtype: str) -> None:
    for accelerate in (False, True):
        model = make(name, dtype=dtype, accelerate=accelerate, tol=0.0, max_iter=30)
        history = model.fit(crowd(kind, seed=2).table()).result_.history
        path = np.array([entry["objective"] for entry in history])
        allowed = 1e-6 if dtype == "float32" and "dtype" in model.get_params() else 1e-12
        assert ((path[:-1] - path[1:]) <= allowed * np.abs(path[:-1])).all()


@pytest.mark.parametrize("name", EM)
def test_what_did_not_settle_says_which_knob(name: str) -> None:
    """The warning names max_iter and tol with their values, and points at the user's line."""
    table = crowd(kind_of(name)).table()
    with pytest.warns(
        ConvergenceWarning, match=r"max_iter=3 .*tol=1e-12.*raise max_iter.*accelerate"
    ) as seen:
        model = make(name, max_iter=3, tol=1e-12, accelerate=False).fit(table)
    assert seen[0].filename == __file__
    assert not model.result_.converged
    assert len(model.result_.history) == 3
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        settled = make(name, max_iter=2000, tol=1e-4).fit(table)
    assert settled.result_.converged
    assert len(settled.result_.history) < 2000
