"""What was asked for, checked, and the annotators drawn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import ParameterError
from .attendance import activities, check_redundancy
from .bounds import chance, choice, shares, whole
from .crowds import CROWDS
from .gaussians import Gaussians
from .plan import Plan
from .recipe import Recipe
from .size import Size
from .streams import stream

__all__ = ["plan_for"]


def plan_for(crowd: str, given: Mapping[str, Any], options: Mapping[str, Any]) -> Plan:
    """Every check, and the annotators; `given` has all arguments of `simulate` but the options."""
    recipe = CROWDS[choice("crowd", crowd, tuple(CROWDS))]
    seed = whole("seed", given["seed"], 0)
    truth = None if given["truth"] is None else _truths(recipe, given["truth"], given["n_classes"])
    size = _size(recipe, given, truth, seed)
    people = recipe.people(size, stream(seed, "annotators"), options)
    if truth is not None and people.classes is not None and truth.max() >= len(people.classes):
        raise ParameterError(
            f"truth holds class {truth.max()}, but the crowd has {len(people.classes)} classes"
        )
    weights = activities(given["activity"], people.n_annotators, stream(seed, "activity"))
    return Plan(
        recipe=recipe,
        people=people,
        n_tasks=whole("n_tasks", given["n_tasks"], 1) if truth is None else len(truth),
        redundancy=check_redundancy(given["redundancy"], people.n_annotators),
        weights=weights,
        abstain_rate=chance("abstain_rate", given["abstain_rate"]),
        gold=chance("gold", given["gold"]),
        truth=truth,
        seed=seed,
        names=bool(given["names"]),
    )


def _size(recipe: Recipe, given: Mapping[str, Any], truth: np.ndarray | None, seed: int) -> Size:
    n_classes = whole("n_classes", given["n_classes"], 1)
    n_features = whole("n_features", given["n_features"], 0)
    prior = np.full(n_classes, 1 / n_classes)
    refused = [
        ("prior", recipe.has_classes, given["prior"] is not None),
        ("n_features", recipe.has_features, n_features),
    ]
    for name in [name for name, fits, is_given in refused if is_given and not fits]:
        also = " or a set" if name == "n_features" else ""
        raise ParameterError(
            f"{name}={given[name]!r} goes with crowds whose truth is one class{also}, not with {recipe.name!r}: "
            f"leave it out"
        )
    if truth is not None:
        prior = np.bincount(truth, minlength=n_classes) / len(truth)
    elif given["prior"] is not None:
        prior = shares("prior", given["prior"], n_classes)
    gaussians = Gaussians.random(n_classes, n_features, stream(seed, "features")) if n_features else None
    return Size(whole("n_annotators", given["n_annotators"], 1), n_classes, prior, gaussians)


def _truths(recipe: Recipe, truth: Any, n_classes: int) -> np.ndarray:
    if not recipe.has_classes:
        raise ParameterError(f"truth= goes with crowds whose truth is one class, not with {recipe.name!r}")
    codes = np.asarray(truth)
    if codes.ndim != 1 or not len(codes) or codes.dtype.kind not in "iu":
        raise ParameterError(
            f"truth= of type {codes.dtype} and shape {codes.shape} must be class codes, one a task"
        )
    wrong = np.flatnonzero((codes < 0) | (codes >= n_classes))
    if len(wrong):
        raise ParameterError(
            f"truth={codes[wrong[0]]} in row {wrong[0]} is not a class code from 0 to {n_classes - 1}: "
            f"correct it, or raise n_classes"
        )
    return codes
