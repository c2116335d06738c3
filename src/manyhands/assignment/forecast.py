"""What n more labels would buy: accuracy against spend, with a band, from what is believed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..channels.votes import Votes
from ..errors import ParameterError
from ..results.counts import expected_counts
from .answers import TableAnswers
from .beliefs import ClassBeliefs
from .misled import MISLED, misled_draws, of_consensus
from .opening import result_of
from .rows import Rows, rows_of
from .sampling import drawn, posterior_draws, scores_of

if TYPE_CHECKING:
    import polars as pl

    from ..results import Result

__all__ = ["forecast"]

SWEEPS = 3  # of EM after each purchase: what the new labels say of the annotators


def forecast(
    source: Any,
    more: int | Sequence[int],
    *,
    cost: float = 1.0,
    level: float = 0.9,
    draws: int = 200,
    choose: str = "even",
    misled: Any = MISLED,
    gold: Any = None,
    seed: int = 0,
) -> pl.DataFrame:
    """Labels, cost, accuracy, low, high: of the consensus now (0 more) and with more labels.

    Each draw is of the truths and the annotators' matrices together, as the votes leave them open; it
    plays the future: annotators as busy as they were answer, the consensus is learnt anew, and is
    right or wrong. The band holds the middle `level` of the draws.

    more: labels bought in all, or several such numbers.
    choose: "even", the tasks with the fewest labels next; "doubt", those of the greatest entropy.
    misled: votes cannot show tasks on which everybody is wrong together: a Beta's (a, b) of the
        share of such tasks, by default as other crowds have it; None where there are none.
    gold: truths that the fit has not seen, {task: label}: with some, the band is narrower.

    >>> from manyhands import DawidSkene, simulate
    >>> crowd = simulate("confusion", n_tasks=100, n_annotators=10, redundancy=3, seed=0)
    >>> table = forecast(DawidSkene(right=2, wrong=1).fit(crowd.labels), [200, 500], draws=50)
    >>> table["labels"].to_list(), bool(table["accuracy"].is_sorted())
    ([0, 200, 500], True)
    """
    import polars as pl

    steps = _steps(more, draws, choose, level)
    result, rng = result_of(source), np.random.default_rng(seed)
    known = rows_of(result, "a forecast")
    best = known.chances.argmax(axis=1)
    played, hits = [], np.zeros(len(best))
    for truth, table in posterior_draws(known, draws, rng):
        played.append(_play(known, steps, choose, truth, table, rng))
        hits += truth == best
    sure, right = _checked(result, best, (hits + 0.5) / (draws + 1), gold)
    wrong = misled_draws(misled, sure, right, len(result.classes), draws, rng)
    accuracy = of_consensus(np.array(played), wrong[:, None], len(result.classes))
    low, high = np.quantile(accuracy, ((1 - level) / 2, (1 + level) / 2), axis=0)
    return pl.DataFrame({
        "labels": steps, "cost": [cost * step for step in steps], "accuracy": accuracy.mean(axis=0), "low": low, "high": high,
    })  # fmt: skip


def _checked(result: Result, best: np.ndarray, sure: np.ndarray, gold: Any) -> tuple[np.ndarray, np.ndarray]:
    """Of tasks with gold: how sure the draws are of the consensus (a fit is too sure), and whether it is right."""
    if gold is None:
        return np.empty(0), np.empty(0, dtype=bool)
    codes = _gold_codes(result, gold)
    told = np.flatnonzero(codes >= 0)
    return sure[told], best[told] == codes[told]


def _gold_codes(result: Result, gold: Any) -> np.ndarray:
    """Of every task, -1 where unknown; a class that nobody used is beyond all, and the consensus wrong."""
    labels = result.labels
    if not isinstance(gold, Mapping):
        codes = np.asarray(gold)
        if codes.shape != (labels.n_tasks,) or codes.dtype.kind not in "iu":
            raise ParameterError(
                "gold= must map tasks to labels, or be the code of a class for every task (-1: none)"
            )
        return codes
    place, said = labels.tasks.codes(list(gold)), labels.unit_classes.codes(list(gold.values()))
    if (place < 0).any():
        raise ParameterError(
            f"gold= names the task {list(gold)[int(np.argmin(place))]!r}, which is not in the table"
        )
    codes = np.full(labels.n_tasks, -1)
    codes[place] = np.where(said < 0, labels.n_classes, said)
    return codes


def _steps(more: Any, draws: int, choose: str, level: float) -> list[int]:
    steps = [0, *np.unique(np.atleast_1d(np.asarray(more))).tolist()]
    if any(step != int(step) or step < 0 for step in steps):
        raise ParameterError(f"more={more!r} must be whole numbers of labels, 0 or more")
    if choose not in CHOICES:
        raise ParameterError(f"choose={choose!r} must be one of {', '.join(map(repr, CHOICES))}")
    if draws < 1 or not 0 < level < 1:
        raise ParameterError(f"draws={draws!r} must be 1 or more, and level={level!r} between 0 and 1")
    return sorted({int(step) for step in steps})


def _play(
    known: Rows, steps: list[int], choose: str, truth: np.ndarray, table: np.ndarray, rng: np.random.Generator
) -> list[float]:
    """The accuracy at each step of one drawn future."""
    busy = np.bincount(known.votes.annotator, minlength=known.votes.n_annotators) + 1e-9
    votes, chances, right = known.votes, known.chances, []
    for now, before in zip(steps, [0, *steps], strict=False):
        if now > before:
            unit = CHOICES[choose](chances, votes, now - before, rng)
            who = rng.choice(len(busy), size=len(unit), p=busy / busy.sum())
            label = drawn(table[who, truth[unit]], rng)
            votes = _joined(votes, unit, who, label)
            chances = _infer(known, votes)
        right.append(float((chances.argmax(axis=1) == truth).mean()))
    return right


def _infer(known: Rows, votes: Votes) -> np.ndarray:
    """The posterior as a fit would have it, begun where the fit stands."""
    chances = known.chances
    rows = known.counts(chances)
    for sweep in range(SWEEPS):
        logs = np.log(rows / rows.sum(axis=2, keepdims=True))
        scores = scores_of(logs, votes) + known.log_truth
        chances = np.exp(scores - scores.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        if sweep + 1 < SWEEPS:
            rows = known.prior + expected_counts(votes, chances)
    return chances


def _joined(votes: Votes, unit: np.ndarray, who: np.ndarray, label: np.ndarray) -> Votes:
    weight = None if votes.weight is None else np.concatenate([votes.weight, np.ones(len(unit))])
    return votes._replace(
        unit=np.concatenate([votes.unit, unit]), annotator=np.concatenate([votes.annotator, who]),
        label=np.concatenate([votes.label, label]), weight=weight,
    )  # fmt: skip


def _even(chances: np.ndarray, votes: Votes, n: int, rng: np.random.Generator) -> np.ndarray:
    """Fill up the tasks with the fewest labels: level them, and begin again."""
    had = np.bincount(votes.unit, minlength=len(chances)).astype(np.int64)
    tie = rng.permutation(len(had))
    order = tie[np.argsort(had[tie], kind="stable")]
    sizes = had[order]
    lift = np.arange(1, len(sizes) + 1) * sizes - np.cumsum(sizes)  # labels to bring the first m level
    m = int(np.searchsorted(lift, n, side="right"))
    level, rest = divmod(n - int(lift[m - 1]), m)
    add = np.full(m, level) + sizes[m - 1] - sizes[:m]
    add[:rest] += 1
    return np.repeat(order[:m], add)


def _doubt(chances: np.ndarray, votes: Votes, n: int, rng: np.random.Generator) -> np.ndarray:
    """The tasks of greatest entropy, as often as it takes."""
    beliefs = ClassBeliefs(chances, np.arange(len(chances) + 1), TableAnswers(np.ones((1, 1, 1))))
    order = np.argsort(-beliefs.ceiling(), kind="stable")
    return np.resize(order, n) if n > len(order) else order[:n]


CHOICES = {"even": _even, "doubt": _doubt}
