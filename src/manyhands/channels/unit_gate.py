r"""$\sigma(\hat u \cdot \hat v / \tau)$ of unit vectors, with the gradient written out."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor

__all__ = ["Gate", "gate_of", "pull_vectors", "unit", "unit_gate"]

TINY = 1e-12  # of a squared length: a vector of nought has no direction


class Gate(NamedTuple):
    """w: [votes]. The rest is what the gradient needs; `other` is v of every vote, or the pairs."""

    w: Tensor
    v: Tensor
    v_size: Tensor
    u: Tensor
    u_size: Tensor
    task: Tensor
    other: Tensor
    temperature: Tensor


def unit_gate(v: Tensor, u: Tensor, task: Tensor, row: Tensor | None, temperature: Tensor) -> Tensor:
    """W of every vote, [votes], from v [tasks, length] and u [rows, length], of any length.

    task: of every vote. row: the row of u of every vote; None where vote n has row n.

    >>> v = torch.tensor([[3.0, 4.0]])
    >>> round(unit_gate(v, v, torch.tensor([0]), None, torch.tensor(1.0)).item(), 4)
    0.7311
    """
    w: Tensor = _UnitGate.apply(v, u, task, row, temperature)  # type: ignore[no-untyped-call]
    return w


def gate_of(v: Tensor, u: Tensor, task: Tensor, row: Tensor | None, temperature: Tensor) -> Gate:
    """The gate, forward. Few rows meet every task in one product, and the votes' pairs are picked."""
    (v, v_size), (u, u_size) = _sized(v), _sized(u)
    if row is None:
        other = v.index_select(0, task)
        product = (other * u).sum(dim=1)
    else:
        other = (task * len(u)).add_(row)
        product = (v @ u.T).view(-1).index_select(0, other)
    return Gate(product.div_(temperature).sigmoid_(), v, v_size, u, u_size, task, other, temperature)


def pull_vectors(gate: Gate, grad: Tensor) -> tuple[Tensor, Tensor]:
    """The gate, backward: from its gradient to those of v and u."""
    w, v, v_size, u, u_size, task, other, temperature = gate
    pull = (w - w * w).mul_(grad).div_(temperature)
    if other.is_floating_point():
        pull = pull[:, None]
        v_pull, u_pull = torch.zeros_like(v).index_add_(0, task, pull * u), pull * other
    else:
        pulls = pull.new_zeros(len(v) * len(u)).index_add_(0, other, pull).view(len(v), len(u))
        v_pull, u_pull = pulls @ u, pulls.T @ v
    return _through_size(v_pull, v, v_size), _through_size(u_pull, u, u_size)


def unit(vectors: Tensor) -> Tensor:
    """Of length one."""
    return _sized(vectors)[0]


def _sized(vectors: Tensor) -> tuple[Tensor, Tensor]:
    """Unit vectors, and one over their lengths."""
    size = (vectors * vectors).sum(dim=1, keepdim=True).add_(TINY).rsqrt_()
    return vectors * size, size


def _through_size(pull: Tensor, vectors: Tensor, size: Tensor) -> Tensor:
    """What a pull on unit vectors is on the vectors themselves: its part across them."""
    along = (pull * vectors).sum(dim=1, keepdim=True)
    return pull.sub_(vectors * along).mul_(size)


class _UnitGate(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, v: Tensor, u: Tensor, task: Tensor, row: Tensor | None, temperature: Tensor
    ) -> Tensor:
        gate = gate_of(v, u, task, row, temperature)
        ctx.save_for_backward(*gate)
        return gate.w

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, None, None, None]:  # type: ignore[override]
        return (*pull_vectors(Gate(*ctx.saved_tensors), grad), None, None, None)
