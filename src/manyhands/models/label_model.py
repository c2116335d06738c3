"""The label model of weak supervision: accuracies from how often annotators agree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from ..annotations import Annotations
from ..channels import Votes, votes_of
from ..channels.channel import FLOOR
from ..channels.fellow_answers import FellowAnswers
from ..objectives.overlaps import Overlaps, accuracy_rows
from ..results import Result, TableEvidence
from ..results.posterior import Posterior
from .aggregator import Aggregator
from .checks import check_flag, check_number
from .em_aggregator import fixed_class_prior, label_counts, log_class_prior

__all__ = ["LabelModel"]

START = 0.7  # of all accuracies, as in Snorkel
EDGE = 1e-3  # no accuracy is nearer to 0 or 1
ROUNDS = 10  # of accuracies and prior in turn, at most
SETTLED = 1e-3  # the largest change of the prior

Loss = Callable[[np.ndarray], tuple[float, np.ndarray]]


class LabelModel(Aggregator):
    r"""Accuracies $\alpha_{jk}$ such that $T_a^\top P T_b$ is how often a and b say what together (Snorkel MeTaL: Ratner et al., 2019).

    No likelihood and no EM: least squares on the answers of every two annotators who met, weighed
    by how often they did, $\min_\alpha \sum_{a, b} n_{ab} \|\hat C_{ab} - T_a^\top P T_b\|^2$, with
    $T_j[k, l] = \alpha_{jk}$ where l = k and $(1 - \alpha_{jk}) / (K - 1)$ elsewhere; by L-BFGS in bounds.
    Then $q_i(k) \propto p_k \prod_n T_{j_n}[k, l_n]$. The code of the paper lets all of T go free, which
    agreements of two do not determine for three classes or more; and it takes an absence for an answer.

    shared: meetings with an average annotator that each one has had before any answer; the average
        one's accuracies are matched first. The default predicts held-out answers well on all the real crowds.
    class_prior: agreements do not tell it. "estimate": the mean of the posterior, in turn with the accuracies;
        or "uniform", "voted", or chances where they are known.
    use_truth: known truths are answers of somebody who is always right.

    For few annotators with many answers each: labelling functions, models, judges. Sparse crowds have
    few meetings a pair, and there likelihood (Dawid-Skene) makes more of them.

    >>> from manyhands import LabelModel, simulate
    >>> crowd = simulate("confusion", n_tasks=500, n_annotators=6, n_classes=2, redundancy=6, seed=1)
    >>> model = LabelModel().fit(crowd.labels)
    >>> bool((model.result_.posterior.best() == crowd.truth).mean() > 0.8)
    True
    """

    name: ClassVar[str] = "label-model"

    def __init__(self, *, shared: float = 100.0, class_prior: Any = "estimate", use_truth: bool = True):
        self.shared, self.class_prior, self.use_truth = shared, class_prior, use_truth

    def _learn(self, labels: Annotations, start: Posterior | None) -> Result:
        check_number(self, shared=0)
        check_flag(self, "use_truth")
        log_prior, votes = log_class_prior(self.class_prior, label_counts(labels)), votes_of(labels)
        known = labels.truth if self.use_truth else None
        told = votes if known is None else _with_truths(votes, known)
        given = np.unique(told.label) if len(told.label) else np.arange(votes.n_classes)
        fellows = FellowAnswers(_among(told, given))
        if log_prior is None and not fellows.meetings:
            log_prior = fixed_class_prior("voted", label_counts(labels))
        evidence = self._match(votes, given, fellows, None if log_prior is None else log_prior.exp().numpy())
        posterior = evidence.infer(votes)
        posterior = posterior if known is None else posterior.given(known)
        return Result(self.name, labels, posterior, evidence, self._settings())

    def _match(
        self, votes: Votes, given: np.ndarray, fellows: FellowAnswers, fixed: np.ndarray | None
    ) -> TableEvidence:
        """Accuracies and prior in turn, until the prior stays where it is; of the given classes."""
        spoken, k = np.unique(votes.unit), votes.n_classes
        prior = _shares(np.bincount(votes.label, votes.weight, k)) if fixed is None else fixed
        typical, accuracy = np.full((1, len(given)), START), None
        for _ in range(ROUNDS):
            among = prior[given] / prior[given].sum()
            typical, accuracy = self._accuracies(
                Overlaps(fellows, among), typical, accuracy, votes.n_annotators
            )
            evidence = TableEvidence(_log_rows(accuracy, given, k), np.log(prior))
            if fixed is not None or not len(spoken):
                break
            before, prior = prior, _shares(evidence.infer(votes).chances[spoken].sum(axis=0))
            if np.abs(prior - before).max() < SETTLED:
                break
        return evidence

    def _accuracies(
        self, overlaps: Overlaps, typical: np.ndarray, accuracy: np.ndarray | None, n: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """The average annotator's, as if all n were alike; then everybody's own."""
        sure = np.full((overlaps.fellows.n_annotators - n, typical.shape[1]), 1 - EDGE)  # known truths'

        def alike(one: np.ndarray) -> tuple[float, np.ndarray]:
            loss, slope = overlaps(np.concatenate([np.repeat(one, n, axis=0), sure]))
            return loss, slope[:n].sum(axis=0, keepdims=True)

        def own(each: np.ndarray) -> tuple[float, np.ndarray]:
            loss, slope = overlaps(np.concatenate([each, sure]))
            drawn, pull = overlaps.near(typical[0], self.shared, each)
            return loss + drawn, slope[:n] + pull

        everybody = overlaps.steepness(typical[0])[:n].sum(axis=0, keepdims=True)
        typical = _least(alike, typical, everybody)
        start = np.repeat(typical, n, axis=0) if accuracy is None else accuracy
        return typical, _least(own, start, overlaps.steepness(typical[0], self.shared)[:n])


def _least(loss: Loss, start: np.ndarray, steepness: np.ndarray) -> np.ndarray:
    """The accuracies of least loss, within their bounds; all directions are made about equally steep first."""
    from scipy.optimize import minimize

    if start.shape[1] < 2 or not len(start):
        return np.ones_like(start)
    size = np.sqrt(np.maximum(steepness, 1e-6 * max(steepness.max(), 1e-6))).ravel()

    def flat(x: np.ndarray) -> tuple[float, np.ndarray]:
        value, slope = loss((x / size).reshape(start.shape))
        return value, slope.ravel() / size

    options = {"maxiter": 500, "ftol": 1e-15, "gtol": 1e-9}
    found = minimize(
        flat, start.ravel() * size, jac=True, method="L-BFGS-B", options=options,
        bounds=np.stack([EDGE * size, (1 - EDGE) * size], axis=1),
    )  # fmt: skip
    return np.asarray(found.x / size).reshape(start.shape)


def _shares(counts: np.ndarray) -> np.ndarray:
    """Chances from counts, none quite nought."""
    counts = counts + FLOOR
    shares: np.ndarray = counts / counts.sum()
    return shares


def _log_rows(accuracy: np.ndarray, given: np.ndarray, n_classes: int) -> np.ndarray:
    """Log T, [annotators, labels, classes]: classes that nobody gave are given by nobody, and tell nothing."""
    rows = np.full((len(accuracy), n_classes, n_classes), FLOOR)
    rows[:, :, np.setdiff1d(np.arange(n_classes), given)] = 1 / n_classes
    rows[:, given[:, None], given] = accuracy_rows(accuracy)
    log_rows: np.ndarray = np.log(rows)
    return log_rows


def _among(votes: Votes, given: np.ndarray) -> Votes:
    """With the given classes' codes alone."""
    n = len(given)
    return votes._replace(label=np.searchsorted(given, votes.label), n_labels=n, n_classes=n)


def _with_truths(votes: Votes, known: np.ndarray) -> Votes:
    """One annotator more, who gave the known truths."""
    told = np.flatnonzero(known >= 0)
    weight = None if votes.weight is None else np.append(votes.weight, np.ones(len(told)))
    return votes._replace(
        unit=np.append(votes.unit, told), annotator=np.append(votes.annotator, np.full(len(told), votes.n_annotators)),
        label=np.append(votes.label, known[told]), weight=weight, n_annotators=votes.n_annotators + 1,
    )  # fmt: skip
