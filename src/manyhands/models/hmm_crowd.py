"""HMM-Crowd: Dawid-Skene on the tokens of sentences whose truths are a Markov chain."""

from __future__ import annotations

from typing import Any, ClassVar

from torch import Tensor

from ..annotations import Annotations
from ..annotations.scheme import Scheme
from ..channels import DirichletConfusion, Votes
from ..objectives import ChainVB
from ..processes import totals
from ..results import Evidence
from ..results.chain_evidence import ChainEvidence
from ..training import EMRun
from .checks import check_above
from .em_aggregator import EMAggregator

__all__ = ["HMMCrowd"]


class HMMCrowd(EMAggregator):
    r"""$z_{it} \sim A[z_{i,t-1}, \cdot]$, $l_{itj} \sim T_j[z_{it}, \cdot]$ (Nguyen et al., ACL 2017).

    Variational Bayes with Dirichlet priors, as the paper; truths by forward-backward. Steps that the
    tags' scheme forbids (I-PER after O) have no chance, so that the consensus is legal.

    right, wrong: counts of each row of a confusion matrix before any vote: of its own class, and of
        the others together. mass: times that each allowed step was seen before any sentence.

    Annotators who miss a whole entity err on all its tokens together, which this model takes for
    as many witnesses: `bsc` remembers what they said before, and is the better choice where that happens.
    The other parameters are those of every EM aggregator.

    >>> from manyhands import HMMCrowd, simulate
    >>> crowd = simulate("tags", n_tasks=50, n_annotators=5, seed=1)
    >>> HMMCrowd().fit(crowd.labels).result_.spans().columns
    ['task', 'start', 'end', 'type', 'confidence']
    """

    name: ClassVar[str] = "hmm-crowd"
    kinds: ClassVar[tuple[str, ...]] = ("tags",)

    def __init__(
        self,
        *,
        right: float = 4.0,
        wrong: float = 1.0,
        mass: float = 1.0,
        max_iter: int = 100,
        tol: float = 1e-5,
        n_init: int = 1,
        accelerate: bool = False,
        abstention: str = "ignore",
        use_truth: bool = True,
        warm_start: bool = False,
        random_state: int = 0,
        dtype: str = "float32",
        callback: Any = None,
    ):
        self.right, self.wrong, self.mass = right, wrong, mass
        self.max_iter, self.tol, self.n_init, self.accelerate = max_iter, tol, n_init, accelerate
        self.abstention, self.use_truth = abstention, use_truth
        self.warm_start, self.random_state, self.dtype, self.callback = (
            warm_start,
            random_state,
            dtype,
            callback,
        )

    def _channel(self) -> DirichletConfusion:
        return DirichletConfusion(self.right, self.wrong)

    def _log_prior(self, labels: Annotations) -> None:
        """Neighbours say what is likely."""

    def _problem(self, labels: Annotations, votes: Votes, log_truth: Tensor | None) -> ChainVB:
        return ChainVB(
            self._states(votes),
            self._channel(),
            scheme=Scheme.of(labels.classes or ()),
            mass=self.mass,
            **self._given(labels),
        )

    def _states(self, votes: Votes) -> Votes:
        """Annotators have no memory."""
        return votes

    def _beliefs(self, problem: ChainVB, run: EMRun) -> tuple[Evidence, Tensor]:
        chances: Tensor = run.posterior.chances
        rows, said = self._channel().log_rows(run.params.channel), totals((problem.counts(chances),))[0]
        shape = (-1, self._n_states(problem.votes))
        first, step = (part.double().clamp(min=1e-30).log().numpy() for part in problem.chain(run.params))
        evidence = ChainEvidence(
            rows.reshape(*shape, *rows.shape[1:]).to(chances.dtype).numpy(),
            said.sum(dim=(1, 2)).reshape(shape).numpy(),
            first,
            step,
            problem.ends.numpy(),
            chances.numpy(),
        )
        return evidence.given(self._plain_votes(problem.votes), chances.numpy()), chances

    def _n_states(self, votes: Votes) -> int:
        return 1

    def _plain_votes(self, votes: Votes) -> Votes:
        """Of annotators, not of their states."""
        n = self._n_states(votes)
        return votes._replace(annotator=votes.annotator // n, n_annotators=votes.n_annotators // n)

    def _check(self) -> None:
        super()._check()
        check_above(self, right=0, wrong=0, mass=0)
