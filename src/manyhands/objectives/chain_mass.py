"""The log mass of all paths of a sentence, with the gradient written out: it is the chain's own chances.

Autograd through the recursion would walk every place twice more; forward and backward messages are the gradient.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from .chain import LEAST, Layout, Messages, backward_messages, forward_messages, messages

__all__ = ["chain_chances", "chain_mass", "chain_pairs"]


def chain_mass(scores: Tensor, step: Tensor, layout: Layout) -> Tensor:
    r"""$\log \sum_z \prod_t e^{s_t(z_t)} \prod_t A[z_{t-1}, z_t]$ of every sentence, [sentences, problems].

    scores: [units, problems, classes]: several problems on the same sentences take one walk together. step: weights
    A, [before, after], the same for all; noughts are steps that may not be.

    >>> import numpy as np
    >>> chain_mass(torch.zeros(3, 1, 2), torch.ones(2, 2), Layout(np.array([0, 1, 3]))).exp().flatten().tolist()
    [2.0, 4.0]
    """
    mass: Tensor = _ChainMass.apply(scores, step, layout)  # type: ignore[no-untyped-call]
    return mass


@torch.no_grad()
def chain_chances(scores: Tensor, step: Tensor, layout: Layout) -> Tensor:
    """The chances of every unit given its whole sentence, [units, classes]."""
    return _in_units(messages(_chances(scores, layout)[0], layout, step).posterior(), layout)


@torch.no_grad()
def chain_pairs(scores: Tensor, step: Tensor, layout: Layout) -> tuple[Tensor, Tensor]:
    """The same, and those of it and the one before together, [units, before, after].

    The first of a sentence has none before: noughts.
    """
    told = messages(_chances(scores, layout)[0], layout, step)
    before, ahead = told.neighbours(layout, step)
    pairs = scores.new_zeros(*scores.shape, scores.shape[-1])
    pairs[layout.order[len(layout.first) :]] = before[:, :, None] * step * ahead[:, None, :]
    return _in_units(told.posterior(), layout), pairs


def _in_units(rows: Tensor, layout: Layout) -> Tensor:
    """Rows in the layout's order, put back."""
    return torch.empty_like(rows).index_copy_(0, layout.order, rows)


def _chances(scores: Tensor, layout: Layout) -> tuple[Tensor, Tensor]:
    """In the layout's order, and the log of what was divided out."""
    scores = scores[layout.order]
    top = scores.amax(dim=-1, keepdim=True)
    return (scores - top).exp_().clamp_(min=LEAST), top


class _ChainMass(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, scores: Tensor, step: Tensor, layout: Layout) -> Tensor:
        chance, top = _chances(scores, layout)
        forward, mass = forward_messages(chance, layout, step)
        ctx.save_for_backward(chance, forward, mass, step)
        ctx.layout = layout
        each = mass.log_().add_(top).squeeze(-1)
        return each.new_zeros(layout.n_sentences, each.shape[1]).index_add_(0, layout.sentence, each)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, None]:  # type: ignore[override]
        (chance, forward, mass, step), layout = ctx.saved_tensors, ctx.layout
        told = Messages(chance, forward, backward_messages(chance, layout, step), mass)
        share = grad[layout.sentence][:, :, None]
        scores = _in_units(told.posterior().mul_(share), layout)
        before, ahead = told.neighbours(layout, step)
        before = before * share[len(layout.first) :]
        width = step.shape[0]
        return scores, before.reshape(-1, width).T @ ahead.reshape(-1, width), None
