"""CoNAL's channel as a torch module."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from .batch import Batch, Sizes
from .common_gate import CommonGate
from .common_likelihood import LEAST, CommonWeights, common_log_likelihood
from .confusion_module import diagonal_logits
from .module import DirectModule
from .softmax_columns import softmax_columns
from .sparse import embedding
from .votes import Votes

if TYPE_CHECKING:
    from .common import Common

__all__ = ["CommonModule", "LogitCommonModule"]


class CommonModule(DirectModule):
    """Two softmax matrices at every vote, mixed by the gate.

    It gives log T, and p(label | f) whole as well, which is cheaper for `marginal`.

    common: weights [groups, classes, labels]. individual: weights of every annotator.
    """

    answers: Tensor
    answered: Tensor

    def __init__(self, spec: Common, sizes: Sizes):
        super().__init__()
        self.spec, self._shape = spec, (sizes.n_classes, sizes.n_labels)
        start = diagonal_logits(spec.diagonal, *self._shape)
        self.common = nn.Parameter(start.repeat(spec.n_groups, 1, 1))
        self.individual = embedding(sizes.n_annotators, start.numel())
        self.gate = CommonGate(sizes, spec.length, spec.temperature)
        self.grouping = nn.Linear(spec.length, spec.n_groups, bias=False) if spec.n_groups > 1 else None
        self.register_buffer("answers", torch.ones(sizes.n_annotators), persistent=False)
        self.register_buffer("answered", torch.ones(sizes.n_annotators), persistent=False)
        self.n_tasks = 0.0
        with torch.no_grad():
            rows = self.individual.weight
            rows.normal_(std=spec.noise).add_(start.reshape(1, -1))
            if spec.n_groups > 1:
                self.common.add_(torch.randn_like(self.common), alpha=spec.noise)

    def start(self, votes: Votes, shares: Tensor) -> None:
        """How many votes each annotator's share of the penalty is divided among."""
        self.answers.copy_(torch.from_numpy(votes.answers()))
        self.answered = (self.answers > 0).to(self.answers)
        self.n_tasks = float(votes.units.total)
        self.gate.tasks.start(shares)

    def forward(self, batch: Batch) -> Tensor:
        """The gate's mean of two columns, in logarithms."""
        return (self._columns(batch) + LEAST).log()

    def log_label(self, log_truth: Tensor, batch: Batch) -> Tensor:
        r"""$\log \sum_k f_k T_n[k]$ of every vote, [votes]."""
        if self.grouping is not None:
            return (log_truth.index_select(0, batch.unit) + self(batch)).logsumexp(dim=1)
        tabulated = self._tabulated(batch)
        own = self.individual.weight if tabulated else self.individual(batch.annotator)
        weights = CommonWeights(
            *self.gate.vectors(batch, tabulated), self.common[0], own.view(-1, *self._shape),
            self.gate.temperature, tabulated,
        )  # fmt: skip
        return common_log_likelihood(log_truth, weights, batch)

    @property
    def is_probability(self) -> bool:
        """There is a log T."""
        return True

    @torch.no_grad()
    def shares(self, batch: Batch) -> Tensor:
        """How likely each vote is to come from the common noise, before its label is seen: w."""
        training = self.training
        self.eval()
        w = self.gate(batch, self._tabulated(batch))
        self.train(training)
        return w

    @torch.no_grad()
    def common_confusions(self) -> Tensor:
        """The matrices that annotators share, [groups, classes, labels]."""
        return self.common.softmax(dim=2)

    @torch.no_grad()
    def individual_confusions(self) -> Tensor:
        """The annotators' own matrices, [annotators, classes, labels]."""
        return self.individual.weight.view(-1, *self._shape).softmax(dim=2)

    def mean_shares(self) -> Tensor:
        """W of every annotator by class, averaged over a sample of tasks, [annotators, classes]."""
        return self.gate.mean_shares(self._everybody())

    @torch.no_grad()
    def confusions(self) -> Tensor:
        """T averaged over a sample of tasks: row k over tasks likely of class k."""
        rows = self._everybody()
        return self._mixed(rows, self.individual.weight.view(-1, *self._shape))

    @torch.no_grad()
    def matrices_for(self, features: Tensor) -> Tensor:
        """Of annotators never seen, from their features: what is their own is taken from the average."""
        rows = self.gate.rows_for(features)
        counts = self.answers + 1e-6
        own = self.individual_confusions()
        mean = torch.einsum("j,jkl->kl", counts / counts.sum(), own)
        return self._mixed(rows, mean.clamp(min=LEAST).log().expand(len(rows), *self._shape))

    def penalty(self, batch: Batch) -> Tensor | None:
        r"""$-\lambda b \sum_j \|W_c - W_j\|$ for a batch of b tasks."""
        spec = self.spec
        if not spec.apart:
            return None
        if spec.full_sum or self._tabulated(batch):
            return self._distances(None, self.answered) * (-spec.apart * batch.n_units)
        share = 1 / self.answers.index_select(0, batch.annotator)
        return self._distances(batch.annotator, share) * (-spec.apart * self.n_tasks)

    # --- its parts -------------------------------------------------------------------------------

    def _columns(self, batch: Batch) -> Tensor:
        """T[:, l] of every vote."""
        return torch.lerp(
            self._own_columns(batch),
            self._common_columns(batch),
            self.gate(batch, self._tabulated(batch))[:, None],
        )

    def _own_columns(self, batch: Batch) -> Tensor:
        """T_j[:, l] of every vote, from a table of all annotators where that is smaller."""
        if self._tabulated(batch):
            return softmax_columns(
                self.individual.weight.view(-1, *self._shape), batch.annotator, batch.label
            )
        return softmax_columns(self.individual(batch.annotator).view(-1, *self._shape), None, batch.label)

    def _common_columns(self, batch: Batch) -> Tensor:
        """C[:, l] of every vote, each annotator's own mean of them where there are several."""
        row = torch.zeros_like(batch.label)
        columns = [softmax_columns(c[None], row, batch.label) for c in self.common]
        if self.grouping is None:
            return columns[0]
        return torch.einsum("ng,gnk->nk", self._groups(self.gate.rows(batch.annotator)), torch.stack(columns))

    def _tabulated(self, batch: Batch) -> bool:
        sparse = self.individual.sparse or self.gate.is_sparse
        return len(self.answers) <= batch.n_votes and not sparse

    def _groups(self, rows: Tensor) -> Tensor:
        """How much each annotator draws on each common matrix, from u; [annotators, groups]."""
        assert self.grouping is not None
        return self.grouping(rows).softmax(dim=1)

    def _common_weights(self, rows: Tensor) -> Tensor:
        """W_c of annotators, from u; one for all, or mixed."""
        if self.grouping is None:
            return self.common
        return torch.einsum("jg,gkl->jkl", self._groups(rows), self.common)

    def _distances(self, annotator: Tensor | None, weight: Tensor) -> Tensor:
        """The sum of |W_c - W_j| over these annotators, or all, weighted."""
        if annotator is None and self.individual.sparse:
            annotator = self._all()
        own = self.individual.weight if annotator is None else self.individual(annotator)
        shared = self.common[0] if self.grouping is None else self._common_weights(self.gate.rows(annotator))
        distance: Tensor = _Distances.apply(own, shared.reshape(-1, own.shape[1]), weight)  # type: ignore[no-untyped-call]
        return distance

    def _all(self) -> Tensor:
        return torch.arange(len(self.answers), device=self.answers.device)

    def _everybody(self) -> Tensor:
        with torch.no_grad():
            return self.gate.rows(self._all())

    def _mixed(self, rows: Tensor, own: Tensor) -> Tensor:
        """T from u and from individual weights, the gate averaged."""
        w = self.gate.mean_shares(rows)[:, :, None]
        common = (
            self.common_confusions()[0]
            if self.grouping is None
            else torch.einsum("jg,gkl->jkl", self._groups(rows), self.common_confusions())
        )
        return w * common + (1 - w) * own.softmax(dim=2)


class LogitCommonModule(CommonModule):
    r"""$p(\cdot | f) = \mathrm{softmax}(w f W_c + (1 - w) f W_j)$, as the paper's code has it."""

    @property
    def is_probability(self) -> bool:
        """P(label | f) whole."""
        return False

    forward = DirectModule.forward

    def log_label(self, log_truth: Tensor, batch: Batch) -> Tensor:
        """Of every vote, [votes]."""
        chances = log_truth.exp()
        voted = chances.index_select(0, batch.unit)
        own = torch.bmm(voted[:, None, :], self.individual(batch.annotator).view(-1, *self._shape)).squeeze(1)
        if self.grouping is None:
            common = (chances @ self.common[0]).index_select(0, batch.unit)
        else:
            weights = self._common_weights(self.gate.rows(batch.annotator))
            common = torch.bmm(voted[:, None, :], weights).squeeze(1)
        logits = torch.lerp(own, common, self.gate(batch, self._tabulated(batch))[:, None])
        return logits.log_softmax(dim=1).gather(1, batch.label[:, None]).squeeze(1)

    def _mixed(self, rows: Tensor, own: Tensor) -> Tensor:
        """P(label | f certain of k), the gate averaged inside the softmax."""
        w = self.gate.mean_shares(rows)[:, :, None]
        return torch.lerp(own, self._common_weights(rows).expand_as(own), w.expand_as(own)).softmax(dim=2)


class _Distances(torch.autograd.Function):
    """Weighted sum of the lengths of rows; the gradient is none where a row is nought."""

    @staticmethod
    def forward(ctx: Any, own: Tensor, shared: Tensor, weight: Tensor) -> Tensor:
        apart = own - shared
        lengths = torch.linalg.vector_norm(apart, dim=1)
        ctx.save_for_backward(apart, weight / lengths.clamp(min=LEAST))
        ctx.pooled = len(shared) == 1
        return (lengths * weight).sum()

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, None]:
        apart, scale = ctx.saved_tensors
        pull = apart * (scale * grad)[:, None]
        return pull, -(pull.sum(dim=0, keepdim=True) if ctx.pooled else pull), None
