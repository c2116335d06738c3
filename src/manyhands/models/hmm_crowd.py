"""HMM-Crowd: Dawid-Skene on the tokens of sentences whose truths are a Markov chain."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from torch import Tensor

from ..annotations import Annotations
from ..annotations.scheme import Scheme
from ..channels import DirichletConfusion, Votes
from ..errors import LabelError, UnsupportedError
from ..objectives import ChainVB
from ..objectives.word_emissions import WordEmissions
from ..processes import gathered, totals
from ..results import Evidence
from ..results.chain_evidence import ChainEvidence
from ..training import EMRun
from ..training.vocabulary import checked
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

    `fit(labels, words=sentences)` has the words as the paper has them, $w_{it} \sim \theta[z_{it}, \cdot]$: lists of words,
    row i for task i, whose case counts. word_mass: times that each word was seen in each class beforehand.

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
        word_mass: float = 0.1,
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
        self.right, self.wrong, self.mass, self.word_mass = right, wrong, mass, word_mass
        self.max_iter, self.tol, self.n_init, self.accelerate = max_iter, tol, n_init, accelerate
        self.abstention, self.use_truth = abstention, use_truth
        self.warm_start, self.random_state, self.dtype, self.callback = (
            warm_start,
            random_state,
            dtype,
            callback,
        )

    def fit(self, labels: Any, y: Any = None, *, words: Any = None) -> Self:
        """Learn the true tags of a table, and of its sentences' words where they are given."""
        self.words_ = (
            None
            if words is None
            else np.array([word for row in checked(words) for word in row], dtype=object)
        )
        return super().fit(labels, y)

    def partial_fit(self, labels: Any, y: Any = None) -> Self:
        """Add labels to those seen, and go on from where the fit stands."""
        if getattr(self, "words_", None) is not None:
            raise UnsupportedError(
                f"this {type(self).__name__} was fitted with words: fit all labels with words= anew"
            )
        return super().partial_fit(labels, y)

    def _words(self, labels: Annotations) -> WordEmissions | None:
        words = getattr(self, "words_", None)
        if words is None:
            return None
        if len(words) != labels.n_units:
            raise LabelError(
                f"words= has {len(words)} words but the labels have {labels.n_units} tokens: give a list of words for each "
                f"task, in the order of the tasks (labels.align(ids) puts them in another)"
            )
        every = np.unique(np.concatenate(gathered(np.unique(words.astype(str)))))  # of all processes
        return WordEmissions(np.searchsorted(every, words.astype(str)), self.word_mass, len(every))

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
            words=self._words(labels),
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
        check_above(self, right=0, wrong=0, mass=0, word_mass=0)
