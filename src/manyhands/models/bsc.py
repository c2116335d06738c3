"""BSC: sentences whose annotators remember what they said one token before."""

from __future__ import annotations

from typing import ClassVar

from ..channels import Votes
from ..channels.previous import with_memory
from .hmm_crowd import HMMCrowd

__all__ = ["BSC"]


class BSC(HMMCrowd):
    r"""$z_{it} \sim A[z_{i,t-1}, \cdot]$, $l_{itj} \sim T_j[z_{it}, l_{i,t-1,j}, \cdot]$ (Simpson and Gurevych, EMNLP 2019; BSC-seq).

    Bayesian sequence combination, by variational Bayes: the truths are a Markov chain, and an annotator's
    tag depends on the truth and on that annotator's own tag before. So an entity that was missed, or taken
    one token too far, is one error and not as many as it has tokens.

    The parameters are those of `HMMCrowd`. For spans, with enough sentences an annotator: a row of tags
    is kept for every tag that may come before.

    >>> from manyhands import BSC, simulate
    >>> crowd = simulate("tags", n_tasks=50, n_annotators=5, seed=1)
    >>> BSC().fit(crowd.labels).predict()[0][:2]
    ['O', 'O']
    """

    name: ClassVar[str] = "bsc"

    def _states(self, votes: Votes) -> Votes:
        return with_memory(votes)

    def _n_states(self, votes: Votes) -> int:
        return votes.n_labels + 1
