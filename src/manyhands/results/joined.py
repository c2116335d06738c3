"""One result from those of several processes, each of its own tasks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from ..annotations.ragged import segment_index
from ..annotations.sharded import stacked
from .evidence import NumberEvidence, TableEvidence
from .posterior import Posterior
from .result import Result

__all__ = ["joined"]

OF_UNITS: dict[type, str] = {
    TableEvidence: "log_truth",
    NumberEvidence: "prior",
}  # a row a unit, where a network says it


def joined(results: Sequence[Result], places: np.ndarray) -> Result:
    """The whole, in the order that these places of the tasks, one result after the other, say.

    >>> import manyhands as mh
    >>> labels = mh.Annotations.from_matrix([[0, 0], [1, 1], [0, 1]])
    >>> parts = [mh.MajorityVote().fit(part).result_ for part in (labels[[0, 2]], labels[1:2])]
    >>> joined(parts, np.array([0, 2, 1])).chances.tolist()
    [[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]]
    """
    labels, order = stacked([result.labels for result in results]), np.argsort(places, kind="stable")
    units, _ = segment_index(labels.unit_offsets, order)
    posterior = _posterior([result.posterior for result in results], units)
    evidence = results[0].evidence
    name = OF_UNITS.get(type(evidence), "")
    rows: list[Any] = [getattr(result.evidence, name) for result in results] if name else []
    if rows and rows[0].ndim == 2:
        evidence = replace(evidence, **{name: np.concatenate(rows)[units]})  # type: ignore[type-var]
    return replace(results[0], labels=labels[order], posterior=posterior, evidence=evidence)


def _posterior(parts: list[Posterior], units: np.ndarray) -> Posterior:
    columns = {
        field.name: np.concatenate([getattr(part, field.name) for part in parts])[units]
        for field in fields(parts[0])
    }
    return type(parts[0])(**columns)
