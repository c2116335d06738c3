"""Aggregators that are EM over a channel of classes: one problem, one loop, one result."""

from __future__ import annotations

import operator
from abc import abstractmethod
from functools import partial, reduce
from typing import Any, ClassVar

import numpy as np
import torch

from ..annotations import Annotations, id_hash
from ..channels import Channel, Votes, votes_of
from ..channels.channel import FLOOR
from ..channels.votes import ABSTENTION
from ..errors import ParameterError
from ..io.blocks import Blocks
from ..objectives import JointEM
from ..objectives.summed import SummedEM
from ..processes import totals
from ..results import Evidence, Result, TableEvidence
from ..results.block_result import BlockResult
from ..results.posterior import ClassPosterior, Posterior
from ..training import EMRun
from .aggregator import Aggregator
from .block_problems import in_blocks
from .checks import check_choice, check_em
from .em_fit import em_fit

__all__ = ["EMAggregator", "fixed_class_prior", "label_counts", "log_class_prior"]


class EMAggregator(Aggregator):
    """Fit by EM on the joint likelihood; subclasses say which channel.

    Every subclass takes:

    max_iter, tol: E-steps at most, and the gain a vote below which EM has settled.
    n_init: runs from different starts, the best of which is kept.
    accelerate: leap along the EM steps (SQUAREM); the objective still never falls.
    class_prior: "estimate", "uniform", "voted" (even over the classes that got a vote, next to nothing
        for the rest), "shares" (of all votes), or the chances of the classes in order.
    abstention: "ignore", or "inform" where "cannot say" may tell something of the truth.
    use_truth: take known truths of the table as certain.
    warm_start: let `fit` go on from the last one.
    random_state: decides the restarts. dtype: "float32", or "float64" (17 times slower).
    callback: called after every step with its number and the objective.
    """

    sums: ClassVar[bool] = True

    max_iter: int
    tol: float
    n_init: int
    accelerate: bool
    class_prior: Any
    abstention: str
    use_truth: bool
    warm_start: bool
    random_state: int
    dtype: str
    callback: Any

    @abstractmethod
    def _channel(self) -> Channel:
        """The channel's specification."""

    def _learn(self, labels: Annotations, start: Posterior | None) -> Result:
        self._check()
        problem = self._problem(labels, votes_of(labels, self.abstention), self._log_prior(labels))
        run = em_fit(self, problem, self._begin(start))
        evidence, chances = self._beliefs(problem, run)
        posterior = ClassPosterior(chances.numpy())
        return Result(self.name, labels, posterior, evidence, self._settings(), run.history, run.converged)

    def _learn_blocks(self, blocks: Blocks) -> BlockResult:
        self._check()
        counts = reduce(operator.add, map(label_counts, blocks), label_counts(blocks.nobody()))
        make = partial(self._block_problem, log_truth=log_class_prior(self.class_prior, counts))
        problem = in_blocks(blocks, make)
        run = em_fit(self, problem)

        def judge(labels: Annotations) -> ClassPosterior:
            of_block = make(labels)
            return ClassPosterior(self._chances(of_block, of_block.believe(run.params)[0]).numpy())

        evidence = self._evidence(problem, run.params)
        return BlockResult(self.name, blocks, judge, evidence, self._settings(), run.history, run.converged)

    def _block_problem(self, labels: Annotations, log_truth: torch.Tensor | None) -> Any:
        return self._problem(labels, votes_of(labels, self.abstention), log_truth)

    def _beliefs(self, problem: Any, run: EMRun) -> tuple[Evidence, torch.Tensor]:
        """What a vote says, and the chances of the classes of every unit."""
        return self._evidence(problem, run.params), self._chances(problem, run.posterior)

    def _chances(self, problem: Any, posterior: Any) -> torch.Tensor:
        """Of the classes, from what was believed."""
        chances: torch.Tensor = posterior
        return chances

    def _begin(self, start: Posterior | None) -> torch.Tensor | None:
        """What a warm start goes on from; None is the plain start."""
        if not isinstance(start, ClassPosterior):
            return None
        return torch.from_numpy(start.chances).to(getattr(torch, self.dtype))

    def _evidence(self, problem: Any, params: Any) -> Evidence:
        """What a vote says, from the parameters learnt."""
        rows = self._channel().log_rows(params.channel)
        return TableEvidence(rows.to(getattr(torch, self.dtype)).numpy(), params.log_truth.numpy())

    def _problem(self, labels: Annotations, votes: Votes, log_truth: torch.Tensor | None) -> SummedEM:
        return JointEM(votes, self._channel(), log_truth=log_truth, **self._given(labels))

    def _given(self, labels: Annotations) -> dict[str, Any]:
        """What every problem is told of a table."""
        known = labels.truth if self.use_truth else None
        return {"known": known, "keys": partial(unit_keys, labels), "dtype": getattr(torch, self.dtype)}

    def _log_prior(self, labels: Annotations) -> torch.Tensor | None:
        return log_class_prior(self.class_prior, label_counts(labels))

    def _check(self) -> None:
        check_em(self)
        check_choice(self, abstention=ABSTENTION, dtype=("float32", "float64"))


def unit_keys(labels: Annotations) -> np.ndarray:
    """What tells units apart in whatever process they are: their task's id, and their place in it."""
    keys = id_hash(labels.tasks)
    if labels.n_units == labels.n_tasks and labels.kind not in ("tags", "set"):
        return keys
    lengths = np.diff(labels.unit_offsets)
    place = np.arange(labels.n_units) - np.repeat(labels.unit_offsets[:-1], lengths)
    return np.repeat(keys, lengths) + place.astype(np.uint64)


def label_counts(labels: Annotations) -> np.ndarray:
    """How many votes each class got."""
    votes = votes_of(labels)
    return np.bincount(votes.label, votes.weight, labels.n_classes).astype(np.float64)


def log_class_prior(prior: Any, counts: np.ndarray) -> torch.Tensor | None:
    """The log of a fixed prior; None where it is to be learnt."""
    if isinstance(prior, str) and prior == "estimate":
        return None
    return fixed_class_prior(prior, counts, "'estimate', 'uniform', 'voted', 'shares'")


def fixed_class_prior(
    prior: Any, counts: np.ndarray, words: str = "'uniform', 'voted', 'shares'"
) -> torch.Tensor:
    """The log of a prior that is stated, not learnt; counts: of the votes here for each class."""
    n = len(counts)
    if isinstance(prior, str) and prior == "uniform":
        return torch.full((n,), -np.log(max(n, 1)), dtype=torch.float64)
    if isinstance(prior, str) and prior in ("voted", "shares"):
        counts = totals((torch.from_numpy(counts),))[0].numpy()
        counts = counts if counts.any() else np.ones(n)
        counts = np.where(counts > 0, counts if prior == "shares" else 1.0, FLOOR)
        return torch.from_numpy(np.log(counts / counts.sum()))
    try:
        chances = np.asarray(prior, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"class_prior={prior!r} must be {words} or {n} chances") from None
    if chances.shape != (n,) or (chances <= 0).any() or not np.isclose(chances.sum(), 1):
        raise ParameterError(
            f"class_prior={prior!r} must be {words} or {n} positive chances that sum to 1, in class order"
        )
    return torch.from_numpy(np.log(chances))
