"""SQUAREM on fixed points that are known."""

from __future__ import annotations

from typing import NamedTuple

import pytest
import torch
from torch import Tensor

from manyhands.training import run_em
from manyhands.training.squarem import extrapolate


class Point(NamedTuple):
    x: Tensor
    inner: tuple[Tensor, ...]


def test_one_rate_is_solved_at_once() -> None:
    """Where every component nears its limit at one rate, a single leap is the limit."""
    limit = Point(torch.tensor([3.0, -2.0]).double(), (torch.tensor([[7.0]]).double(),))
    away = Point(torch.tensor([1.0, 4.0]).double(), (torch.tensor([[-5.0]]).double(),))

    def at(n: int) -> Point:
        return Point(limit.x + 0.9**n * away.x, (limit.inner[0] + 0.9**n * away.inner[0],))

    leap = extrapolate(at(0), at(1), at(2))
    assert isinstance(leap, Point)
    torch.testing.assert_close(leap.x, limit.x)
    torch.testing.assert_close(leap.inner[0], limit.inner[0])


def test_the_step_length_by_hand() -> None:
    """r = (1, 2), v = (-.5, -.5): alpha = -sqrt(5 / .5); theta - 2 alpha r + alpha^2 v."""
    points = [torch.tensor([0.0, 0.0]), torch.tensor([1.0, 2.0]), torch.tensor([1.5, 3.5])]
    alpha = -(10.0**0.5)
    expected = torch.tensor([-2 * alpha - 5.0, -4 * alpha - 5.0])
    torch.testing.assert_close(extrapolate(*points), expected)


def test_never_shorter_than_two_plain_steps_and_still_at_the_limit() -> None:
    spread = [torch.tensor([0.0]), torch.tensor([1.0]), torch.tensor([-4.0])]  # |r| < |v|
    torch.testing.assert_close(extrapolate(*spread), spread[2])
    still = torch.tensor([2.0])
    torch.testing.assert_close(extrapolate(still, still, still), still)


class Slow:
    """A contraction at rate .95 to 10, and the objective that it climbs."""

    n_votes = 1.0

    def __init__(self) -> None:
        self.steps = 0

    def start(self, generator: torch.Generator | None) -> Tensor:
        shake = 0.0 if generator is None else float(torch.empty(1).normal_(generator=generator))
        return torch.tensor([shake]).double()

    def expect(self, params: Tensor) -> tuple[Tensor, float]:
        return params, -float((params - 10) ** 2)

    def maximise(self, posterior: Tensor, params: Tensor | None) -> Tensor:
        self.steps += 1
        return 10 + 0.95 * (posterior - 10)

    def project(self, params: Tensor) -> Tensor:
        return params


def test_acceleration_is_worth_it() -> None:
    plain, fast = Slow(), Slow()
    slow = run_em(plain, max_iter=500, tol=1e-10)
    quick = run_em(fast, max_iter=500, tol=1e-10, accelerate=True)
    assert slow.converged
    assert quick.converged
    assert plain.steps > 100
    assert fast.steps < 10
    assert quick.params.item() == pytest.approx(10)


def test_a_leap_that_loses_is_not_taken() -> None:
    class Trap(Slow):
        def project(self, params: Tensor) -> Tensor:
            return params - 1e6

    run = run_em(Trap(), max_iter=50, tol=0.0, accelerate=True)
    path = [entry["objective"] for entry in run.history]
    assert path == sorted(path)
    assert run.params.item() == pytest.approx(10 - 10 * 0.95**50)
