"""What one vote says of the truth, as the fitted method sees it: frozen arrays, no model.

With it a result explains its labels, judges tasks it has not seen, and is saved whole.
"""

from __future__ import annotations

from dataclasses import dataclass
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
    """Votes in `infer` are coded with the fitted annotators; code R stands for an unseen one."""

    name: ClassVar[str]

    def infer(self, votes: Any) -> Posterior:
        """The truths of these votes' units, the annotators being as fitted."""
        ...

    def of_vote(self, unit: int, annotator: int, label: int, n_classes: int) -> np.ndarray | None:
        """Log p(label | truth) up to a constant, [classes]; None where votes are merely counted."""
        ...

    def columns(self) -> dict[str, np.ndarray]:
        """What is known of each annotator beyond the counts: columns for the table of annotators."""
        ...


@dataclass(frozen=True, eq=False)
class TableEvidence:
    """log p(label | truth) for every annotator: [annotators, labels, classes]; and of the truth."""

    name: ClassVar[str] = "table"
    log_rows: np.ndarray
    log_truth: np.ndarray

    def infer(self, votes: Votes) -> ClassPosterior:
        """One E-step; an unseen annotator answers as the fitted ones do on average."""
        import torch

        from ..channels import Incidence
        from ..objectives import joint_posterior

        rows = self.log_rows
        votes = votes._replace(n_annotators=len(rows) + 1)
        table = np.concatenate([rows, _typical(rows)]).reshape(-1, rows.shape[2])
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

    def infer(self, votes: Votes) -> ClassPosterior:
        """Weighted shares; an unseen annotator has the mean weight."""
        mean = self.weights.mean() if len(self.weights) else 1.0
        return ClassPosterior(shares(votes, np.append(self.weights, mean)))

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
    """GLAD's: ability [annotators], log easiness [units], and log chances of the classes."""

    name: ClassVar[str] = "ability"
    ability: np.ndarray
    log_easiness: np.ndarray
    log_truth: np.ndarray

    def infer(self, votes: Votes) -> ClassPosterior:
        """Abilities as fitted, easinesses from the new votes; the unseen have the mean ability."""
        from ..objectives.joint_ability import infer_easiness

        mean = self.ability.mean() if len(self.ability) else 1.0
        votes = votes._replace(n_annotators=len(self.ability) + 1)
        return ClassPosterior(infer_easiness(votes, np.append(self.ability, mean), self.log_truth))

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
    """Bias and log precision [annotators]; the truths' prior mean and log variance."""

    name: ClassVar[str] = "number"
    bias: np.ndarray
    log_precision: np.ndarray
    prior: np.ndarray  # centre, log variance

    def infer(self, votes: NumberVotes) -> NumberPosterior:
        """One E-step; an unseen annotator has no bias and the mean log precision."""
        import torch

        from ..channels.gaussian import Gaussian, GaussianParams
        from ..channels.vote_index import VoteIndex

        mean = self.log_precision.mean() if len(self.log_precision) else 0.0
        params = GaussianParams(
            torch.from_numpy(np.append(self.bias, 0.0)), torch.from_numpy(np.append(self.log_precision, mean)),
            *torch.from_numpy(self.prior),
        )  # fmt: skip
        votes = votes._replace(n_annotators=len(self.bias) + 1)
        truth, _ = Gaussian().expect(torch.from_numpy(votes.value), VoteIndex(votes), params)
        return NumberPosterior(truth.mean.numpy(), truth.variance.sqrt().numpy())

    def of_vote(self, unit: int, annotator: int, label: int, n_classes: int) -> None:
        """Numbers are averaged with the annotator's weight."""

    def columns(self) -> dict[str, np.ndarray]:
        """The deviation of answers about the bias, as the weights have it."""
        return {"sd": np.exp(-0.5 * self.log_precision)}


EVIDENCE: dict[str, type[Any]] = {
    kind.name: kind for kind in (TableEvidence, WeightEvidence, NoEvidence, AbilityEvidence, NumberEvidence)
}


def _typical(log_rows: np.ndarray) -> np.ndarray:
    """The average annotator: mean chances of each label, [1, labels, classes]."""
    if not len(log_rows):
        return np.zeros((1, *log_rows.shape[1:]), dtype=log_rows.dtype)
    return np.log(np.exp(log_rows.astype(np.float64)).mean(axis=0, keepdims=True)).astype(log_rows.dtype)
