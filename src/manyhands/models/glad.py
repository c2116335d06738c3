"""GLAD: ability of annotators times easiness of tasks."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import torch

from ..annotations import Annotations
from ..channels import Ability, votes_of
from ..objectives import AbilityEM
from ..results import AbilityEvidence, Result
from ..results.posterior import ClassPosterior, Posterior
from .aggregator import Aggregator
from .checks import check_between, check_em
from .em_aggregator import fixed_class_prior, label_counts
from .em_fit import em_fit

__all__ = ["GLAD"]


class GLAD(Aggregator):
    r"""$p(\text{right}) = \sigma(a_j b_i)$, wrong classes alike (Whitehill et al., 2009).

    ability, easiness: means of the normal priors (standard deviation 1) on a and on log b.
    class_prior: "uniform", or chances of the classes (the paper holds them fixed).

    Learns which tasks are hard: `result_.tasks()` has 1 / b as difficulty. Only the product a b
    is known from the votes; the priors share it out. A negative ability is an adversary.

    >>> from manyhands import GLAD, simulate
    >>> crowd = simulate("difficulty", n_tasks=200, n_annotators=10, seed=1)
    >>> GLAD().fit(crowd.labels).result_.tasks().columns[-1]
    'difficulty'
    """

    name: ClassVar[str] = "glad"
    kinds: ClassVar[tuple[str, ...]] = ("class", "ordinal", "tags", "set")

    def __init__(
        self,
        *,
        ability: float = 1.0,
        easiness: float = 1.0,
        max_iter: int = 100,
        tol: float = 1e-5,
        n_init: int = 1,
        accelerate: bool = False,
        class_prior: Any = "uniform",
        use_truth: bool = True,
        warm_start: bool = False,
        random_state: int = 0,
        callback: Any = None,
    ):
        self.ability, self.easiness = ability, easiness
        self.max_iter, self.tol, self.n_init, self.accelerate = max_iter, tol, n_init, accelerate
        self.class_prior, self.use_truth, self.warm_start = class_prior, use_truth, warm_start
        self.random_state, self.callback = random_state, callback

    def _learn(self, labels: Annotations, start: Posterior | None) -> Result:
        check_em(self)
        check_between(self, -10, 10, "ability", "easiness")
        prior = fixed_class_prior(self.class_prior, label_counts(labels))
        known = labels.truth if self.use_truth else None
        problem = AbilityEM(votes_of(labels), Ability(self.ability, self.easiness), prior, known=known)
        begin = torch.from_numpy(start.chances).double() if isinstance(start, ClassPosterior) else None
        run = em_fit(self, problem, begin)
        channel = run.params.channel
        evidence = AbilityEvidence(
            channel.ability.numpy(), channel.log_easiness.numpy(), prior.numpy(),
            np.array([self.ability, self.easiness], dtype=np.float64),
        )  # fmt: skip
        posterior = ClassPosterior(run.posterior.numpy())
        return Result(self.name, labels, posterior, evidence, self._settings(), run.history, run.converged)
