"""What one vote says of the truth, as the fitted method sees it: frozen arrays, no model.

With it a result explains its labels, judges tasks it has not seen, and is saved whole.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol

import numpy as np

from ..channels.counting import means, medians, shares, winners
from ..channels.votes import NumberVotes, Votes
from .posterior import ClassPosterior, NumberPosterior, Posterior

__all__ = [
    "EVIDENCE",
    "AbilityEvidence",
    "Evidence",
    "NoEvidence",
    "NumberEvidence",
    "TableEvidence",
    "WeightEvidence",
]


class Evidence(Protocol):
    """Its annotators, and its units where it knows any, are those of the result that holds it."""

    name: ClassVar[str]

    def adapt(self, codes: np.ndarray, votes: Any) -> Evidence:
        """The same for another table: its annotators' codes among ours (-1: unseen), and its votes.

        One that was not seen is taken for an average one.
        """
        ...

    def infer(self, votes: Any) -> Posterior:
        """The truths of these votes' units, the annotators being as they are here."""
        ...

    def of_vote(self, unit: int, annotator: int, label: int, n_classes: int) -> np.ndarray | None:
        """Log p(label | truth) up to a constant, [classes]; None where votes are merely counted."""
        ...

    def columns(self) -> dict[str, np.ndarray]:
        """What is known of each annotator beyond the counts: columns for the table of annotators."""
        ...


@dataclass(frozen=True, eq=False)
class TableEvidence:
    """log p(label | truth) for every annotator: [annotators, labels, classes]; and of the truth.

    log_truth: [classes], or [units, classes] where a network says it.
    """

    name: ClassVar[str] = "table"
    log_rows: np.ndarray
    log_truth: np.ndarray

    def adapt(self, codes: np.ndarray, votes: Votes) -> TableEvidence:
        """Rows of the table; the unseen answer as the fitted do on average."""
        rows = np.concatenate([self.log_rows, _typical(self.log_rows)])[codes]
        return TableEvidence(rows, self._overall())

    def given(self, chances: np.ndarray, votes: Votes) -> TableEvidence:
        """The same where these chances came out: what the votes' own rows do not say, x and neighbours said."""
        said = np.zeros(chances.shape)
        weight = 1.0 if votes.weight is None else votes.weight[:, None]
        np.add.at(said, votes.unit, self.log_rows[votes.annotator, votes.label] * weight)
        rest = np.log(np.maximum(chances.astype(np.float64), 1e-30)) - said
        rest -= np.logaddexp.reduce(rest, axis=1, keepdims=True)
        return replace(self, log_truth=rest.astype(self.log_truth.dtype))

    def _overall(self) -> np.ndarray:
        """Of units whose features are not known: the mean over those that were."""
        if self.log_truth.ndim == 1:
            return self.log_truth
        mean = np.exp(self.log_truth.astype(np.float64)).mean(axis=0)
        return np.log(np.maximum(mean, 1e-300)).astype(self.log_truth.dtype)

    def infer(self, votes: Votes) -> ClassPosterior:
        """One E-step."""
        import torch

        from ..channels import Incidence
        from ..objectives import joint_posterior

        table = self.log_rows.reshape(-1, self.log_rows.shape[2])
        scores = Incidence(votes, torch.from_numpy(table).dtype).to_units(torch.from_numpy(table))
        log_truth = torch.from_numpy(self.log_truth.astype(table.dtype))
        posterior, _ = joint_posterior(log_truth, scores, votes.n_units)
        return ClassPosterior(posterior.numpy())

    def of_vote(self, unit: int, annotator: int, label: int, n_classes: int) -> np.ndarray:
        """The row of the table."""
        return self.log_rows[annotator, label]

    def columns(self) -> dict[str, np.ndarray]:
        """None: the confusion matrices are asked for by themselves."""
        return {}

    def confusion(self, annotator: int) -> np.ndarray:
        """T[k, l] = p(label | truth) of one annotator."""
        return np.exp(self.log_rows[annotator].astype(np.float64)).T


@dataclass(frozen=True, eq=False)
class WeightEvidence:
    """A weight an annotator: votes are added up, not multiplied."""

    name: ClassVar[str] = "weight"
    weights: np.ndarray

    def adapt(self, codes: np.ndarray, votes: Votes) -> WeightEvidence:
        """The unseen have the mean weight."""
        return WeightEvidence(_with_mean(self.weights, 1.0)[codes])

    def infer(self, votes: Votes) -> ClassPosterior:
        """Weighted shares."""
        return ClassPosterior(shares(votes, self.weights))

    def of_vote(self, unit: int, annotator: int, label: int, n_classes: int) -> None:
        """Votes are added up."""

    def columns(self) -> dict[str, np.ndarray]:
        """The weights."""
        return {"weight": self.weights}


@dataclass(frozen=True, eq=False)
class NoEvidence:
    """Every vote counts one. hard: the winner takes all (ties are shared)."""

    name: ClassVar[str] = "none"
    rule: str  # "soft", "hard", "mean" or "median"

    def adapt(self, codes: np.ndarray, votes: Any) -> NoEvidence:
        """Everybody counts alike."""
        return self

    def infer(self, votes: Any) -> Posterior:
        """Count the votes, or average the numbers."""
        if self.rule in ("mean", "median"):
            return NumberPosterior(*(means(votes) if self.rule == "mean" else medians(votes)))
        counted = shares(votes)
        return ClassPosterior(winners(counted) if self.rule == "hard" else counted)

    def of_vote(self, unit: int, annotator: int, label: int, n_classes: int) -> None:
        """Votes are counted."""

    def columns(self) -> dict[str, np.ndarray]:
        """None."""
        return {}


@dataclass(frozen=True, eq=False)
class AbilityEvidence:
    """GLAD's: ability [annotators], log easiness [units], and log chances of the classes.

    typical: the means of the priors on ability and on log easiness.
    """

    name: ClassVar[str] = "ability"
    ability: np.ndarray
    log_easiness: np.ndarray
    log_truth: np.ndarray
    typical: np.ndarray

    def adapt(self, codes: np.ndarray, votes: Votes) -> AbilityEvidence:
        """Abilities as fitted (the unseen have the mean one), easinesses learnt from the votes."""
        from ..training import run_em

        ability = _with_mean(self.ability, float(self.typical[0]))[codes]
        run = run_em(self._problem(votes, ability))
        return replace(self, ability=ability, log_easiness=run.params.channel.log_easiness.numpy())

    def infer(self, votes: Votes) -> ClassPosterior:
        """One E-step with the easinesses that are here."""
        import torch

        from ..channels.ability import AbilityParams
        from ..objectives import GladParams

        channel = AbilityParams(torch.from_numpy(self.ability), torch.from_numpy(self.log_easiness))
        params = GladParams(torch.from_numpy(self.log_truth), channel)
        return ClassPosterior(self._problem(votes, self.ability).expect(params)[0].numpy())

    def _problem(self, votes: Votes, ability: np.ndarray) -> Any:
        import torch

        from ..channels import Ability
        from ..objectives import AbilityEM

        means, log_truth = Ability(*self.typical.tolist()), torch.from_numpy(self.log_truth)
        return AbilityEM(votes, means, log_truth, abilities=torch.from_numpy(ability))

    def of_vote(self, unit: int, annotator: int, label: int, n_classes: int) -> np.ndarray:
        """Log-odds a b + log(K - 1) for the class that was given."""
        row = np.zeros(n_classes)
        odds = self.ability[annotator] * np.exp(self.log_easiness[unit])
        row[label] = odds + np.log(max(n_classes - 1, 1))
        return row

    def columns(self) -> dict[str, np.ndarray]:
        """The abilities: 0 tells nothing, below 0 the contrary of the truth."""
        return {"ability": self.ability}


@dataclass(frozen=True, eq=False)
class NumberEvidence:
    """An answer is gain x truth + bias + noise: bias, log precision and gain [annotators].

    prior: the truths' mean and log variance, [2], or [units, 2] where a network says them.
    """

    name: ClassVar[str] = "number"
    bias: np.ndarray
    log_precision: np.ndarray
    prior: np.ndarray
    gain: np.ndarray

    def adapt(self, codes: np.ndarray, votes: NumberVotes) -> NumberEvidence:
        """The unseen have no bias, a gain of 1 and the mean log precision."""
        prior = self._overall()
        precision = _with_mean(self.log_precision, -float(prior[1]))
        bias, gain = np.append(self.bias, 0.0), np.append(self.gain, 1.0)
        return NumberEvidence(bias[codes], precision[codes], prior, gain[codes])

    def _overall(self) -> np.ndarray:
        """Of units whose features are not known: mean and variance over those that were."""
        if self.prior.ndim == 1:
            return self.prior
        mean, variance = self.prior[:, 0], np.exp(self.prior[:, 1])
        return np.array([mean.mean(), np.log(variance.mean() + mean.var())])

    def infer(self, votes: NumberVotes) -> NumberPosterior:
        """One E-step."""
        import torch

        from ..channels.gaussian import Gaussian, GaussianParams
        from ..channels.vote_index import VoteIndex

        prior = (np.ascontiguousarray(column) for column in np.atleast_2d(self.prior).T)
        params = GaussianParams(*(torch.from_numpy(v) for v in (self.bias, self.log_precision, *prior)))
        values, gains = torch.from_numpy(votes.value), torch.from_numpy(self.gain)
        truth, _ = Gaussian().expect(values, VoteIndex(votes), params, gains=gains)
        return NumberPosterior(truth.mean.numpy(), truth.variance.sqrt().numpy())

    def of_vote(self, unit: int, annotator: int, label: int, n_classes: int) -> None:
        """Numbers are averaged with the annotator's weight."""

    def columns(self) -> dict[str, np.ndarray]:
        """The deviation of answers about the bias, as the weights have it."""
        return {"sd": np.exp(-0.5 * self.log_precision)}


EVIDENCE: dict[str, type[Any]] = {
    kind.name: kind for kind in (TableEvidence, WeightEvidence, NoEvidence, AbilityEvidence, NumberEvidence)
}


def _with_mean(values: np.ndarray, default: float) -> np.ndarray:
    """With their mean at the end, where code -1 finds it."""
    return np.append(values, values.mean() if len(values) else default)


def _typical(log_rows: np.ndarray) -> np.ndarray:
    """The average annotator: mean chances of each label, [1, labels, classes]."""
    if not len(log_rows):
        return np.zeros((1, *log_rows.shape[1:]), dtype=log_rows.dtype)
    return np.log(np.exp(log_rows.astype(np.float64)).mean(axis=0, keepdims=True)).astype(log_rows.dtype)
