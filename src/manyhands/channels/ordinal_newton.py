"""Newton's steps for ordered classes: concave blocks, each step halved until it is no loss."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from .ordinal import (
    APART,
    OrdinalParams,
    annotator_prior,
    gap_prior,
    levels,
    threshold_rows,
)
from .sums import column_sums, steady_sum

__all__ = ["better_annotators", "better_scale"]

RIDGE = 1e-9  # directions that the votes say nothing of stay where they are
HALVINGS = 12
LEAST, MOST = 1e-6, 1e3  # of widths, gaps and all else: a certain annotator has no finite optimum


def better_annotators(counts: Tensor, params: OrdinalParams, strength: float) -> OrdinalParams:
    """One step of every annotator's width, discrimination and shift, the scale being held.

    counts: [annotators, truth, label].
    """

    def with_values(values: Tensor) -> OrdinalParams:
        safe = values[:, 0].clamp(min=LEAST)
        return params._replace(log_width=safe.log(), discrimination=values[:, 1], shift=values[:, 2])

    def worth(values: Tensor) -> Tensor:
        given = with_values(values)
        return (counts * threshold_rows(given)).sum(dim=(1, 2)) + strength * annotator_prior(given)

    start = torch.stack([params.log_width.exp(), params.discrimination, params.shift], dim=1)
    slope, curve = _of_annotators(counts, params, strength)
    return with_values(_climb(start, _solve(curve, slope), worth, positive=slice(0, 1)))


def better_scale(counts: Tensor, params: OrdinalParams, strength: float) -> OrdinalParams:
    """One step of thresholds and places, the annotators being held."""
    n_gaps = len(params.log_gaps)

    def with_values(values: Tensor) -> OrdinalParams:
        logs = values[0, 1:].clamp(min=LEAST).log()
        return params._replace(first=values[0, 0], log_gaps=logs[:n_gaps], log_steps=logs[n_gaps:])

    def worth(values: Tensor) -> Tensor:
        given = with_values(values)
        prior = gap_prior(torch.cat([given.log_gaps, given.log_steps]).exp()).sum()
        return steady_sum(counts * threshold_rows(given)) + strength * prior[None]

    start = torch.cat([params.first[None], params.log_gaps.exp(), params.log_steps.exp()])[None]
    slope, curve = _of_scale(counts, params, strength)
    return with_values(_climb(start, _solve(curve[None], slope[None]), worth, positive=slice(1, None)))


def _of_annotators(counts: Tensor, params: OrdinalParams, strength: float) -> tuple[Tensor, Tensor]:
    """Slope [annotators, 3] and curvature [annotators, 3, 3]; u is linear in the three."""
    tau, theta, one = params.thresholds, params.places, torch.ones((), dtype=torch.float64)
    grid = torch.stack(torch.broadcast_tensors(tau, -theta[:, None], -one), dim=-1).flatten(0, 1)
    pull, bend = (part.flatten(1) for part in _logistic(counts, levels(params)))
    width, gaps = params.log_width.exp(), params.log_gaps.exp()
    inner, sharp = _inner(counts, width[:, None] * gaps)
    slope = pull @ grid
    curve = (bend @ (grid[:, :, None] * grid[:, None]).flatten(1)).view(-1, 3, 3)
    slope[:, 0] += inner @ gaps + strength * (1 / width - 1)
    slope[:, 1] -= strength * (params.discrimination - 1)
    slope[:, 2] -= strength * params.shift
    curve[:, 0, 0] += sharp @ gaps**2 + strength / width**2
    curve[:, 1, 1] += strength
    curve[:, 2, 2] += strength
    return slope, curve


def _of_scale(counts: Tensor, params: OrdinalParams, strength: float) -> tuple[Tensor, Tensor]:
    """Slope and curvature in (first threshold, gaps, steps), in which u is linear too."""
    pull, bend = _logistic(counts, levels(params))
    width, sense = params.log_width.exp(), params.discrimination
    to_tau, to_theta = _lines(counts.shape[1])
    slope = torch.cat([_over(width, pull).sum(0) @ to_tau, -_over(sense, pull).sum(1) @ to_theta])
    corner = to_theta.T @ _over(width * sense, bend) @ to_tau
    own = (to_tau.T * _over(width**2, bend).sum(0)) @ to_tau
    theirs = (to_theta.T * _over(sense**2, bend).sum(1)) @ to_theta
    curve = torch.cat([torch.cat([own, -corner.T], dim=1), torch.cat([-corner, theirs], dim=1)])
    gaps = params.log_gaps.exp()
    inner, sharp = _inner(counts, width[:, None] * gaps)
    both = torch.cat([gaps, params.log_steps.exp()])
    slope[1:] += strength * (1 / both - 1 / APART)
    slope[1 : 1 + len(gaps)] += column_sums(inner * width[:, None])
    diagonal = strength / both**2
    diagonal[: len(gaps)] += column_sums(sharp * width[:, None] ** 2)
    curve[1:, 1:] += torch.diag(diagonal)
    return slope, curve


def _over(weight: Tensor, values: Tensor) -> Tensor:
    """The weighted sum over annotators of [annotators, truth, threshold], in steady pieces."""
    return column_sums((weight[:, None, None] * values).flatten(1)).view(values.shape[1:])


def _logistic(counts: Tensor, u: Tensor) -> tuple[Tensor, Tensor]:
    """Slope and curvature in u: each threshold is a logistic regression of the labels that meet there."""
    below, above = counts[..., :-1], counts[..., 1:]
    chance = u.sigmoid()
    return below * (1 - chance) - above * chance, (below + above) * chance * (1 - chance)


def _inner(counts: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
    """Slope and curvature of n log(1 - exp(-x)) of the labels between two thresholds, [annotators, gaps]."""
    n, grown = counts[..., 1:-1].sum(dim=1), torch.expm1(x)
    return n / grown, n * (1 + 1 / grown) / grown


def _lines(n: int) -> tuple[Tensor, Tensor]:
    """Thresholds from (first, gaps), [n - 1, n - 1]; places from steps, [n, n - 1]."""
    order = torch.arange(n, dtype=torch.float64)
    steps = (order[:, None] > order[: n - 1]).double()
    thresholds = torch.cat([torch.ones(n - 1, 1, dtype=torch.float64), steps[: n - 1, : n - 2]], dim=1)
    return thresholds, steps - steps.mean(dim=0)


def _solve(curve: Tensor, slope: Tensor) -> Tensor:
    size = curve.shape[-1]
    firm = RIDGE * (1 + curve.diagonal(dim1=-2, dim2=-1).amax(dim=-1))[:, None, None]
    step: Tensor = torch.linalg.solve(curve + firm * torch.eye(size, dtype=curve.dtype), slope)
    return step


def _climb(start: Tensor, step: Tensor, worth: Callable[[Tensor], Tensor], positive: slice) -> Tensor:
    """Each row along its step, as far as it is no loss; a row that finds no gain stays."""
    before, found = worth(start), start
    length = torch.ones(len(start), 1, dtype=start.dtype)
    waiting = torch.ones(len(start), dtype=torch.bool)
    for _ in range(HALVINGS):
        tried = start + length * step
        inside = (tried[:, positive] > LEAST).all(dim=1) & (tried.abs() < MOST).all(dim=1)
        taken = waiting & inside & (worth(torch.where(inside[:, None], tried, start)) >= before)
        found = torch.where(taken[:, None], tried, found)
        waiting = waiting & ~taken
        if not waiting.any():
            break
        length = torch.where(waiting[:, None], length / 2, length)
    return found
