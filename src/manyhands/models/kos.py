"""KOS: messages between tasks and annotators, each without the echo of its own."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ..annotations import Annotations
from ..channels import votes_of
from ..channels.counting import signed_shares
from ..channels.fellow_answers import FellowAnswers
from ..results import Result
from ..results.posterior import ClassPosterior, Posterior
from ..results.signed_weight_evidence import SignedWeightEvidence
from .aggregator import Aggregator
from .checks import check_flag, check_integer, check_number

__all__ = ["KOS"]


class KOS(Aggregator):
    r"""$x_{i \to j} = \sum_{j' \ne j} A_{ij'} y_{j' \to i}$, $y_{j \to i} = \sum_{i' \ne i} A_{i'j} x_{i' \to j}$ (Karger, Oh and Shah, 2011).

    A is +1 and -1 for the two classes; the label is the sign of $\sum_j A_{ij} y_{j \to i}$. Of K classes
    label l is the vector $e_l - 1/K$ and the products are inner ones: for two classes that is
    the paper's, to a factor; for more it is ours, with one weight an annotator, and no class is
    treated unlike another. K counts the classes that got a vote.

    rounds: of messages there and back.
    average: y is the mean over tasks, not their sum. Where all annotators have equally many tasks, as
        in the paper, both are the same; elsewhere the sum makes the busiest one's word the law.
    deviation: of the normal around 1 that the first messages y are drawn from, by `random_state`: 1
        is the paper's. At 0 the first x is the majority, and nothing depends on the order of rows.

    The confidence is a share of the votes' weight (one below 0 counts for the other classes), not a
    probability: it is no more than a soft majority's. The theory is of tasks dealt out evenly at random
    and of two classes alike in number: use it there, and else Dawid-Skene. Known truths are not used.
    Where nobody's tasks overlap with anybody's, votes count alike.

    >>> from manyhands import KOS, simulate
    >>> crowd = simulate("one-coin", n_tasks=200, n_annotators=10, n_classes=2, seed=1)
    >>> bool((KOS().fit(crowd.labels).result_.posterior.best() == crowd.truth).mean() > 0.9)
    True
    """

    name: ClassVar[str] = "kos"

    def __init__(
        self, *, rounds: int = 10, average: bool = True, deviation: float = 0.0, random_state: int = 0
    ):
        self.rounds, self.average = rounds, average
        self.deviation, self.random_state = deviation, random_state

    def _learn(self, labels: Annotations, start: Posterior | None) -> Result:
        check_integer(self, rounds=1, random_state=0)
        check_number(self, deviation=0)
        check_flag(self, "average")
        votes = votes_of(labels)
        fellows = FellowAnswers(votes)
        first = np.random.default_rng(self.random_state).normal(1.0, self.deviation, len(fellows.unit))
        message, weights = messages(fellows, first, self.rounds, self.average)
        given: np.ndarray = fellows.shares.sum(axis=0) > 0
        chances = signed_shares(votes, message[fellows.answer], given)
        evidence = SignedWeightEvidence(weights, given.astype(np.int8))
        return Result(self.name, labels, ClassPosterior(chances), evidence, self._settings())


def messages(
    fellows: FellowAnswers, first: np.ndarray, rounds: int, average: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Messages y from annotators, one an answer; and each annotator's to a task not seen yet."""
    given = fellows.shares.sum(axis=0) > 0
    even = fellows.shares.sum(axis=1, keepdims=True) / max(given.sum(), 1)
    signed = fellows.shares - even * given
    message, whole = first, np.ones(fellows.n_annotators)
    tasks = np.bincount(fellows.annotator, minlength=len(whole)) if average else np.ones_like(whole)
    others = np.maximum(tasks - 1, 1)[fellows.annotator]
    for _ in range(rounds):
        heard = fellows.of_others(signed * message[:, None])
        agreement = (signed * heard).sum(axis=1)
        whole = fellows.per_annotator(agreement[:, None])[:, 0]
        message = (whole[fellows.annotator] - agreement) / others
        whole = whole / np.maximum(tasks, 1)
        scale = np.sqrt((message**2).mean()) if len(message) else 0.0
        message, whole = (v / scale if scale > 0 else v for v in (message, whole))
    return message, whole
