"""Who may be asked what: costs, capacities, skills, and nobody the same thing twice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..annotations import Names
from ..errors import ParameterError

__all__ = ["Limits", "each", "limits_of"]


@dataclass(frozen=True, eq=False)
class Limits:
    """cost: [annotators] of one answer. capacity: [annotators] answers at most in this batch.

    answered, able: sorted pairs, task * annotators + annotator; `able` counts for those who are
    `limited` [annotators] to some tasks.
    """

    cost: np.ndarray
    capacity: np.ndarray
    answered: np.ndarray
    able: np.ndarray
    limited: np.ndarray

    def may(self, tasks: np.ndarray) -> np.ndarray:
        """Whether each annotator may be asked each of these tasks, [tasks, annotators]."""
        allowed = np.repeat(~self.limited[None], len(tasks), axis=0)
        for pairs, value in ((self.able, True), (self.answered, False)):
            row, annotator = self._among(pairs, tasks)
            allowed[row, annotator] = value
        allowed[:, self.capacity <= 0] = False
        return allowed

    def _among(self, pairs: np.ndarray, tasks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The pairs of these tasks: the row among them, and the annotator."""
        n = len(self.cost)
        first = np.searchsorted(pairs, tasks.astype(np.int64) * n)
        sizes = np.searchsorted(pairs, (tasks.astype(np.int64) + 1) * n) - first
        row = np.repeat(np.arange(len(tasks)), sizes)
        place = np.arange(len(row)) + np.repeat(first - (np.cumsum(sizes) - sizes), sizes)
        return row, pairs[place] % n


def limits_of(
    tasks: Names, annotators: Names, answered: np.ndarray, cost: Any, capacity: Any, skills: Any
) -> Limits:
    """From what the user said; answered: pairs of the table."""
    price = each("cost", cost, annotators, 1.0)
    if not (np.isfinite(price).all() and (price > 0).all()):
        who = int(np.argmin(np.where(np.isfinite(price), price, -np.inf)))
        raise ParameterError(
            f"cost of {annotators[who]!r} is {price[who]:g}: costs must be finite and above 0"
        )
    room = each("capacity", np.inf if capacity is None else capacity, annotators, np.inf)
    if (room < 0).any() or np.isnan(room).any():
        raise ParameterError(f"capacity={capacity!r}: how many answers an annotator can give, 0 or more")
    able, limited = _skills(skills, tasks, annotators)
    return Limits(price, np.floor(room), answered, able, limited)


def each(name: str, given: Any, annotators: Names, default: float) -> np.ndarray:
    """One number an annotator, from one for all or a mapping (those left out have the default)."""
    values = np.full(len(annotators), default)
    try:
        if not isinstance(given, Mapping):
            return np.broadcast_to(np.asarray(given, dtype=float), values.shape).copy()
        values[_codes(name, given, annotators)] = [float(value) for value in given.values()]
    except (TypeError, ValueError) as error:
        if isinstance(error, ParameterError):
            raise
        raise ParameterError(
            f"{name}={given!r} must be a number, or a mapping from annotator to number"
        ) from None
    return values


def _codes(name: str, given: Iterable[Any], annotators: Names) -> np.ndarray:
    ids = list(given)
    codes = annotators.codes(ids)
    if (codes < 0).any():
        who = ids[int(np.argmin(codes))]
        raise ParameterError(
            f"{name} names {who!r}, who is not asked: leave them out, or name them in annotators="
        )
    return codes


def _skills(skills: Any, tasks: Names, annotators: Names) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of those whose tasks are listed, and who they are; tasks that are not open are passed over."""
    limited = np.zeros(len(annotators), dtype=bool)
    if skills is None:
        return np.empty(0, dtype=np.int64), limited
    if not isinstance(skills, Mapping):
        raise ParameterError(f"skills={skills!r} must map annotators to the tasks that they can do")
    codes, pairs = _codes("skills", skills, annotators), [np.empty(0, dtype=np.int64)]
    for code, able in zip(codes, skills.values(), strict=True):
        places = tasks.codes(list(able)).astype(np.int64)
        pairs.append(places[places >= 0] * len(annotators) + code)
    limited[codes] = True
    return np.unique(np.concatenate(pairs)), limited
