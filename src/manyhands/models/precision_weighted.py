"""Numbers weighted by how precise each annotator is, biases taken off."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce
from itertools import chain
from typing import Any, ClassVar

import numpy as np
import torch

from ..annotations import Annotations, id_hash
from ..channels import Gaussian, NumberVotes, VoteIndex, number_votes
from ..channels.gaussian import GaussianParams, NormalTruth, centre_of, centre_sums, spread_sums
from ..io.blocks import Blocks
from ..objectives import GaussianEM
from ..objectives.summed import added
from ..processes import totals
from ..results import NumberEvidence, Result
from ..results.block_result import BlockResult
from ..results.posterior import NumberPosterior, Posterior
from .aggregator import Aggregator
from .block_problems import in_blocks
from .checks import check_em, check_number
from .em_fit import em_fit

__all__ = ["PrecisionWeighted"]


class PrecisionWeighted(Aggregator):
    r"""$l_n = z_i + b_j + \epsilon$, $\epsilon \sim N(0, 1 / \lambda_j)$, by EM (as in Raykar et al., 2010).

    strength: answers of average precision that stand behind each precision before any answer.
    pull: answers without bias that stand behind each bias. A constant that all annotators share
        cannot be told from the truths' own mean, so biases are about the crowd's.

    The choice for numbers where annotators differ in scatter or lean. `sd` is the posterior's.

    >>> from manyhands import PrecisionWeighted, simulate
    >>> crowd = simulate("numbers", n_tasks=300, n_annotators=10, seed=1)
    >>> PrecisionWeighted().fit(crowd.labels).result_.converged
    True
    """

    name: ClassVar[str] = "precision-weighted"
    sums: ClassVar[bool] = True
    kinds: ClassVar[tuple[str, ...]] = ("number",)

    def __init__(
        self,
        *,
        strength: float = 10.0,
        pull: float = 3.0,
        max_iter: int = 500,
        tol: float = 1e-6,
        n_init: int = 1,
        accelerate: bool = True,
        use_truth: bool = True,
        warm_start: bool = False,
        random_state: int = 0,
        callback: Any = None,
    ):
        self.strength, self.pull = strength, pull
        self.max_iter, self.tol, self.n_init, self.accelerate = max_iter, tol, n_init, accelerate
        self.use_truth, self.warm_start = use_truth, warm_start
        self.random_state, self.callback = random_state, callback

    def _learn(self, labels: Annotations, start: Posterior | None) -> Result:
        self._check()
        problem = self._problem(labels)
        begin = None
        if isinstance(start, NumberPosterior):
            begin = NormalTruth(torch.from_numpy(start.mean), torch.from_numpy(start.sd**2))
        run = em_fit(self, problem, begin)
        evidence, posterior = _evidence(run.params), _posterior(run.posterior)
        return Result(self.name, labels, posterior, evidence, self._settings(), run.history, run.converged)

    def _learn_blocks(self, blocks: Blocks) -> BlockResult:
        self._check()
        make = partial(self._problem, first=self._first(blocks))
        run = em_fit(self, in_blocks(blocks, make))

        def judge(labels: Annotations) -> NumberPosterior:
            return _posterior(make(labels).believe(run.params)[0])

        evidence, settings = _evidence(run.params), self._settings()
        return BlockResult(self.name, blocks, judge, evidence, settings, run.history, run.converged)

    def _problem(self, labels: Annotations, first: GaussianParams | None = None) -> GaussianEM:
        return GaussianEM(
            number_votes(labels),
            Gaussian(self.strength, self.pull),
            labels.truth if self.use_truth else None,
            first=first,
            keys=partial(id_hash, labels.tasks),
        )

    def _first(self, blocks: Blocks) -> GaussianParams:
        """Where EM begins, from sums over all blocks."""

        def summed(part: Callable[[NumberVotes], Any]) -> Any:
            votes = map(number_votes, chain([blocks.nobody()], blocks))
            return totals(reduce(added, map(part, votes)))

        centre = centre_of(summed(lambda votes: centre_sums(torch.from_numpy(votes.value))))
        spread = summed(lambda v: spread_sums(torch.from_numpy(v.value), VoteIndex(v), centre))
        return Gaussian(self.strength, self.pull).first(spread, centre, blocks.n_annotators)

    def _check(self) -> None:
        check_em(self)
        check_number(self, strength=0, pull=0)


def _evidence(params: GaussianParams) -> NumberEvidence:
    prior = torch.stack([params.centre, params.log_spread]).numpy()
    bias, log_precision = params.bias.numpy(), params.log_precision.numpy()
    return NumberEvidence(bias, log_precision, prior, np.ones_like(bias))


def _posterior(truth: NormalTruth) -> NumberPosterior:
    return NumberPosterior(truth.mean.numpy(), truth.variance.sqrt().numpy())
