"""Minimax conditional entropy: annotators confuse, and so do tasks."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ..annotations import Annotations
from ..channels import Additive, Votes, votes_of
from ..objectives import AdditiveEM
from ..results import Result
from ..results.additive_evidence import AdditiveEvidence
from ..results.posterior import ClassPosterior, Posterior
from .aggregator import Aggregator
from .checks import check_em, check_number
from .em_aggregator import label_counts, log_class_prior
from .em_fit import em_fit

__all__ = ["MMCE"]


class MMCE(Aggregator):
    r"""$T_{ij}[k, l] \propto \exp(\sigma_j[k, l] + \tau_i[k, l])$ (Zhou, Liu, Platt, Meek and Shah, 2015).

    The labels' entropy given the truth is to be greatest under the observed confusions of every
    annotator and every task, and the truth such that it is least. The dual is climbed:
    $\sum_i \log \sum_k f_k \prod_n T_n[k] - \frac{\alpha}{2} |\sigma|^2 - \frac{\beta}{2} |\tau|^2$,
    by EM whose M-step is concave; slack in the constraints is what the penalties are.

    alpha: the penalty; smaller trusts the labels more. $\beta = \alpha$ (labels an annotator / labels a task),
        as in the paper. The paper's $\alpha$ is $\gamma K^2$ with $\gamma$ of 1/4 to 4 by cross-validation: with eight
        classes and few votes even 1/4 leaves nothing of the labels. The default, whatever K is,
        predicts held-out answers of the real crowds best.
    class_prior: "shares" of all votes; "voted" (the paper's: even, over classes that got a vote), "uniform",
        chances, or "estimate", which on few votes drifts to one class.

    Where tasks lead many annotators to the same mistake, and each task has several votes. With two
    or three votes a task there is no telling its confusion: use Dawid-Skene. New
    tasks have their own $\tau$ learnt from their votes; `partial_fit` learns anew from all labels.

    >>> from manyhands import MMCE, simulate
    >>> crowd = simulate("biased", n_tasks=200, n_annotators=10, seed=1)
    >>> MMCE().fit(crowd.labels).result_.converged
    True
    """

    name: ClassVar[str] = "mmce"
    warm_start = False  # the dual has many optima once the truth is soft: one start, the majority

    def __init__(
        self,
        *,
        alpha: float = 0.25,
        max_iter: int = 200,
        tol: float = 1e-5,
        n_init: int = 1,
        accelerate: bool = True,
        class_prior: Any = "shares",
        use_truth: bool = True,
        random_state: int = 0,
        callback: Any = None,
    ):
        self.alpha = alpha
        self.max_iter, self.tol, self.n_init, self.accelerate = max_iter, tol, n_init, accelerate
        self.class_prior, self.use_truth = class_prior, use_truth
        self.random_state, self.callback = random_state, callback

    def _learn(self, labels: Annotations, start: Posterior | None) -> Result:
        check_em(self)
        check_number(self, alpha=0)
        votes = votes_of(labels)
        prior = log_class_prior(self._class_prior(votes), label_counts(labels))
        known, penalties = labels.truth if self.use_truth else None, self._penalties(votes)
        problem = AdditiveEM(votes, Additive(*penalties), prior, known=known)
        run = em_fit(self, problem)
        sigma, tau, _ = run.params.channel
        evidence = AdditiveEvidence(
            sigma.numpy(), tau.numpy(), problem.index.code, run.params.log_truth.numpy(), np.array(penalties)
        )
        posterior = ClassPosterior(run.posterior.numpy())
        return Result(self.name, labels, posterior, evidence, self._settings(), run.history, run.converged)

    def _class_prior(self, votes: Votes) -> Any:
        """Even where nobody's tasks overlap: shares would talk single labels down, and nothing speaks for them."""
        told = np.unique(votes.unit * np.int64(votes.n_annotators) + votes.annotator)
        alone = len(told) == len(np.unique(votes.unit))
        shares = isinstance(self.class_prior, str) and self.class_prior == "shares"
        return "voted" if alone and shares else self.class_prior

    def _penalties(self, votes: Votes) -> tuple[float, float]:
        """Alpha, and beta as much greater as an annotator has more labels than a task."""
        tasks, people = (len(np.unique(who)) for who in (votes.unit, votes.annotator))
        return float(self.alpha), self.alpha * tasks / max(people, 1)
