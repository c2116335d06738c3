"""Tiny crowds whose parameters are stated, so that everything can be enumerated."""

from __future__ import annotations

import itertools

import numpy as np

from manyhands import Annotations
from manyhands.results import Result, TableEvidence
from manyhands.results.posterior import ClassPosterior


def confusions(n: int, n_classes: int, seed: int, right: float = 2.0) -> np.ndarray:
    """p(label | truth), [annotators, classes, labels]."""
    rng = np.random.default_rng(seed)
    return np.stack([
        [rng.dirichlet(np.ones(n_classes) + right * np.eye(n_classes)[k]) for k in range(n_classes)] for _ in range(n)
    ])  # fmt: skip


def result_of(table: np.ndarray, chances: np.ndarray, answers: dict | None = None) -> Result:
    """A result with these matrices and beliefs; tasks t0, t1 ... and annotators a0, a1 ..."""
    n_classes = table.shape[1]
    given = {f"t{i}": {} for i in range(len(chances))} | (answers or {})
    labels = Annotations.from_dict(
        given, classes=[f"c{k}" for k in range(n_classes)], annotators=[f"a{j}" for j in range(len(table))]
    )
    rows = np.ascontiguousarray(np.log(np.maximum(table, 1e-30)).transpose(0, 2, 1))
    prior = np.full(n_classes, -np.log(n_classes))
    return Result("dawid-skene", labels, ClassPosterior(chances), TableEvidence(rows, prior))


def entropy(chances: np.ndarray) -> float:
    """In nats, written out."""
    return -sum(float(p) * float(np.log(p)) for p in chances if p > 0)


def expected_gain(chances: np.ndarray, matrices: list[np.ndarray]) -> float:
    """H(z) - E H(z | l_1 ... l_m), by every truth and every combination of answers."""
    n_labels = matrices[0].shape[1] if matrices else 1
    left = 0.0
    for said in itertools.product(range(n_labels), repeat=len(matrices)):
        joint = np.array([
            chances[k] * np.prod([t[k, label] for t, label in zip(matrices, said, strict=True)])
            for k in range(len(chances))
        ])  # fmt: skip
        if joint.sum() > 0:
            left += joint.sum() * entropy(joint / joint.sum())
    return entropy(chances) - left
