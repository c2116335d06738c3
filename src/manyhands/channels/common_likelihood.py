"""CoNAL's likelihood of a label, with the gradient written out: one step of autograd for a batch.

Chained from small steps, it costs three times as much at usual batches: walking costs more than sums.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor

from .batch import Batch
from .softmax_columns import Columns, columns_of, pull_weights, short_softmax
from .unit_gate import Gate, gate_of, pull_vectors

__all__ = ["LEAST", "CommonWeights", "common_log_likelihood"]

LEAST = 1e-30  # of a probability, below which float32 has no logarithm


class CommonWeights(NamedTuple):
    """v: [tasks, length]. u: [rows, length]. common: [classes, labels]. own: [rows, classes, labels].

    tabulated: rows are the annotators; else vote n has row n.
    """

    v: Tensor
    u: Tensor
    common: Tensor
    own: Tensor
    temperature: Tensor
    tabulated: bool


def common_log_likelihood(log_truth: Tensor, weights: CommonWeights, batch: Batch) -> Tensor:
    r"""$\log(w \sum_k f_k C[k, l] + (1 - w) \sum_k f_k T_j[k, l])$ of every vote, [votes]."""
    row = batch.annotator if weights.tabulated else None
    value: Tensor = _CommonLogLikelihood.apply(log_truth, *weights[:5], batch.unit, row, batch.label)  # type: ignore[no-untyped-call]
    return value


class _CommonLogLikelihood(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, log_truth: Tensor, v: Tensor, u: Tensor, common: Tensor, own: Tensor, temperature: Tensor,
        unit: Tensor, row: Tensor | None, label: Tensor,
    ) -> Tensor:  # fmt: skip
        gate, columns = gate_of(v, u, unit, row, temperature), columns_of(own, row, label)
        truth, shared = log_truth.exp(), short_softmax(common)
        pair = (unit * common.shape[1]).add_(label)
        by_all = (truth @ shared).view(-1).index_select(0, pair)
        voted = truth.index_select(0, unit)
        by_one = (voted * columns.values).sum(dim=1)
        likelihood = torch.lerp(by_one, by_all, gate.w).add_(LEAST)
        ctx.save_for_backward(*gate, *columns, truth, shared, pair, by_all - by_one, voted, likelihood, unit)
        return likelihood.log()

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:  # type: ignore[override]
        gate, columns = Gate(*ctx.saved_tensors[:8]), Columns(*ctx.saved_tensors[8:12])
        truth, shared, pair, gap, voted, likelihood, unit = ctx.saved_tensors[12:]
        pull = grad / likelihood
        v, u = pull_vectors(gate, pull * gap)
        together = pull * gate.w
        alone = (pull - together)[:, None]
        own = pull_weights(columns, alone * voted)
        pulls = together.new_zeros(len(truth) * shared.shape[1]).index_add_(0, pair, together)
        pulls = pulls.view(len(truth), shared.shape[1])
        common = (truth.T @ pulls).mul_(shared)
        common = common - shared * common.sum(dim=1, keepdim=True)
        truths = (pulls @ shared.T).index_add_(0, unit, alone * columns.values).mul_(truth)
        return truths, v, u, common, own, None, None, None, None
