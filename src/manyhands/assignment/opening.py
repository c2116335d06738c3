"""From a result, or a model with its features, to what is believed of the tasks that are open."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..annotations import Annotations, Names
from ..channels.votes import number_votes, votes_of
from ..errors import ParameterError, UnsupportedError
from ..results import AbilityEvidence, NumberEvidence, Result
from ..results.evidence import Evidence
from .answers import AbilityAnswers, Answers, TableAnswers
from .beliefs import Beliefs, ClassBeliefs
from .implied import probabilistic
from .number_beliefs import NumberBeliefs
from .seeing import ONE_UNIT, channel_answers, with_features

__all__ = ["Opened", "open_up", "result_of"]


@dataclass(frozen=True, eq=False)
class Opened:
    """Tasks and annotators in question; codes: among the fitted, -1 is new. answered: pairs, sorted."""

    tasks: Names
    annotators: Names
    beliefs: Beliefs
    confidence: np.ndarray  # [tasks]; of numbers the deviation
    n_answers: np.ndarray  # [tasks]
    answered: np.ndarray


def result_of(source: Any) -> Result:
    """The result itself, or that of a fitted model."""
    result = source if isinstance(source, Result) else getattr(source, "result_", None)
    if not isinstance(result, Result):
        raise ParameterError(f"{source!r} is neither a result nor a fitted model: fit it first")
    return result


def open_up(source: Any, X: Any = None, tasks: Any = None, annotators: Any = None) -> Opened:
    """What is known of these tasks (all, by default) and annotators; names that are new are welcome."""
    result = probabilistic(result_of(source))
    labels = result.labels
    open_tasks = labels.tasks if tasks is None else Names(tasks, "tasks")
    asked = labels.annotators if annotators is None else Names(annotators, "annotators")
    if X is not None and (not hasattr(source, "learner_") or labels.kind not in ONE_UNIT):
        raise UnsupportedError("X= goes with a network's model of one class a task: leave it out here")
    if not len(asked):
        raise ParameterError("there is nobody to ask: name at least one annotator")
    codes, who = labels.tasks.codes(open_tasks), labels.annotators.codes(asked)
    table, place = _with_new(result, open_tasks, codes)
    build = _of_numbers if labels.kind == "number" else _of_classes
    beliefs, confidence = build(source, result, table, place, who, X)
    counts = np.bincount(labels.task, minlength=labels.n_tasks)
    n_answers = np.where(codes >= 0, counts[codes], 0) if len(counts) else np.zeros(len(codes), dtype=int)
    return Opened(open_tasks, asked, beliefs, confidence, n_answers, _answered(labels, codes, who))


def _with_new(result: Result, tasks: Names, codes: np.ndarray) -> tuple[Result, np.ndarray]:
    """The result with new tasks at its end, of which nothing is known, and the places of all."""
    new = np.flatnonzero(codes < 0)
    if not len(new):
        return result, codes
    if result.labels.kind == "tags":
        raise UnsupportedError(
            f"task {tasks[int(new[0])]!r} is new, and how many tokens it has is not known: put it in the labels"
        )
    fresh = result.infer(result.labels[:0].with_tasks(tasks.take(new)))
    place = codes.astype(np.int64)
    place[new] = result.labels.n_tasks + np.arange(len(new))
    return _joined(result, fresh), place


def _joined(result: Result, fresh: Result) -> Result:
    """Beliefs of both; the table stays the old one's, since nobody answered the new."""
    old, new = vars(result.posterior), vars(fresh.posterior)
    posterior = type(result.posterior)(*(np.concatenate([old[name], new[name]]) for name in old))
    return replace(result, posterior=posterior)


def _answered(labels: Annotations, codes: np.ndarray, who: np.ndarray) -> np.ndarray:
    """Pairs that were answered, as place of task x annotators + place of annotator."""
    task, annotator = _places(codes, labels.n_tasks), _places(who, labels.n_annotators)
    t, a = task[labels.task], annotator[labels.annotator]
    both = (t >= 0) & (a >= 0)
    return np.sort(t[both] * len(who) + a[both])


def _places(codes: np.ndarray, size: int) -> np.ndarray:
    """Where each code stands among those in question, -1 where it does not."""
    place = np.full(size, -1, dtype=np.int64)
    known = codes >= 0
    place[codes[known]] = np.flatnonzero(known)
    return place


# --- classes -----------------------------------------------------------------------------------------


def _of_classes(
    source: Any, result: Result, joined: Result, place: np.ndarray, who: np.ndarray, X: Any
) -> tuple[Beliefs, np.ndarray]:
    sizes = np.diff(result.labels.unit_offsets)
    each = len(result.labels.classes or ()) if result.labels.kind == "set" else 1
    sizes = np.concatenate([sizes, np.full(max(int(place.max(initial=-1)) + 1 - len(sizes), 0), each)])
    starts = np.concatenate([[0], np.cumsum(sizes)])
    whole = ClassBeliefs(joined.chances, starts, TableAnswers(np.ones((1, 1, 1))))
    units, taken = whole.units(place)
    chances = joined.chances[units].astype(np.float64)
    seeing = channel_answers(source, result, place, who, X)
    if seeing is not None and X is not None:
        chances = with_features(source, seeing, chances, place, len(sizes), result)
    chances /= chances.sum(axis=1, keepdims=True)
    answers = _answers(result, units, who) if seeing is None else seeing
    beliefs = ClassBeliefs(chances, np.concatenate([[0], np.cumsum(taken)]), answers)
    sure = beliefs.per_task(chances.max(axis=1, initial=0.0)) / np.maximum(taken, 1)
    return beliefs, sure


def _answers(result: Result, units: np.ndarray, who: np.ndarray) -> Answers:
    """From the evidence of a vote."""
    evidence: Evidence = result.evidence
    if isinstance(evidence, AbilityEvidence):
        ability = np.append(evidence.ability, evidence.ability.mean() if len(evidence.ability) else 1.0)[who]
        easiness = np.exp(np.append(evidence.log_easiness, np.full(1, evidence.typical[1])))
        known = np.where(units < len(evidence.log_easiness), units, len(evidence.log_easiness))
        return AbilityAnswers(ability, easiness[known], result.labels.n_classes)
    table: Any = evidence.adapt(who, votes_of(result.labels[:0], result.abstention))
    rows = np.exp(table.log_rows.astype(np.float64)).transpose(0, 2, 1)
    return TableAnswers(rows / rows.sum(axis=2, keepdims=True))


# --- numbers -----------------------------------------------------------------------------------------


def _of_numbers(
    source: Any, result: Result, joined: Result, place: np.ndarray, who: np.ndarray, X: Any
) -> tuple[Beliefs, np.ndarray]:
    if isinstance(result.evidence, NumberEvidence):
        table: Any = result.evidence.adapt(who, number_votes(result.labels[:0]))
        variance = joined.numbers.sd[place] ** 2
        beliefs = NumberBeliefs(
            np.nan_to_num(variance, nan=float(np.exp(result.evidence.prior[1]).mean())),
            np.exp(table.log_precision),
        )
    else:
        beliefs = _pooled(result, place, len(who))
    return beliefs, np.sqrt(beliefs.variance)


def _pooled(result: Result, place: np.ndarray, n_annotators: int) -> NumberBeliefs:
    """Means and medians know no precisions: one for all, from how answers to a task scatter."""
    votes, mean = number_votes(result.labels), result.numbers.mean
    n = np.bincount(votes.unit, minlength=votes.n_units)
    error = votes.value - mean[votes.unit]
    within = max(float(error @ error) / max(len(error) - int((n > 0).sum()), 1), 1e-12)
    between = max(float(np.nanvar(mean)), 1e-12)
    counts = np.append(n, 0)[np.minimum(place, len(n))]
    return NumberBeliefs(1 / (1 / between + counts / within), np.full(n_annotators, 1 / within))
