"""Numbers weighted by how precise each annotator is, biases taken off."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

import numpy as np
import torch

from ..annotations import Annotations, id_hash
from ..channels import Gaussian, number_votes
from ..channels.gaussian import NormalTruth
from ..objectives import GaussianEM
from ..results import NumberEvidence, Result
from ..results.posterior import NumberPosterior, Posterior
from ..training import run_restarts
from ..training.em import warn_unconverged
from .aggregator import Aggregator
from .checks import check_em, check_number

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
        check_em(self)
        check_number(self, strength=0, pull=0)
        known = labels.truth if self.use_truth else None
        problem = GaussianEM(
            number_votes(labels),
            Gaussian(self.strength, self.pull),
            known,
            keys=partial(id_hash, labels.tasks),
        )
        begin = None
        if isinstance(start, NumberPosterior):
            begin = NormalTruth(torch.from_numpy(start.mean), torch.from_numpy(start.sd**2))
        run = run_restarts(
            problem, self.n_init, self.random_state, start=begin, max_iter=self.max_iter, tol=self.tol,
            accelerate=self.accelerate, callback=self.callback,
        )  # fmt: skip
        warn_unconverged(run, self.max_iter, self.tol)
        params = run.params
        prior = torch.stack([params.centre, params.log_spread]).numpy()
        bias, log_precision = params.bias.numpy(), params.log_precision.numpy()
        evidence = NumberEvidence(bias, log_precision, prior, np.ones_like(bias))
        posterior = NumberPosterior(run.posterior.mean.numpy(), run.posterior.variance.sqrt().numpy())
        return Result(self.name, labels, posterior, evidence, self._settings(), run.history, run.converged)
