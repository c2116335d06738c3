"""Small crowds of every kind from plain numpy, and the pairs (method, kind) that the catalogue promises."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from manyhands import Annotations
from manyhands.catalog import METHODS


def _cases(name: str, kinds: Sequence[str]) -> list[Any]:
    """Every kind of label; `make quick` is content with the first."""
    later = [pytest.param(name, kind, id=f"{name}-{kind}", marks=pytest.mark.slow) for kind in kinds[1:]]
    return [pytest.param(name, kinds[0], id=f"{name}-{kinds[0]}"), *later]


CASES = [case for name, method in METHODS.items() for case in _cases(name, method.kinds)]
NAMES = list(METHODS)
KINDS = ("class", "ordinal", "tags", "set", "soft", "number")
CLASSES = ("a", "b", "c")
CHEAP: dict[str, Any] = {"sweeps": 5, "n_init": 1}
N_TASKS, N_ANNOTATORS, VOTES = 20, 6, 4


@dataclass(frozen=True)
class Crowd:
    """Answers as a person would write them, with everything that can be declared declared."""

    kind: str
    rows: tuple[tuple[Any, Any, Any], ...]
    tasks: tuple[Any, ...]
    annotators: tuple[Any, ...]
    classes: tuple[Any, ...] | None

    def table(self, **options: Any) -> Annotations:
        task, annotator, label = ([row[i] for row in self.rows] for i in range(3))
        return Annotations.from_arrays(
            task, annotator, label, kind=self.kind, classes=self.classes, tasks=list(self.tasks),
            annotators=list(self.annotators), **options,
        )  # fmt: skip

    def shuffled(self, seed: int) -> Crowd:
        order = np.random.default_rng(seed).permutation(len(self.rows))
        return replace(self, rows=tuple(self.rows[i] for i in order))

    def where(self, keep: Callable[[Any, Any, Any], bool]) -> Crowd:
        return replace(self, rows=tuple(row for row in self.rows if keep(*row)))


def crowd(
    kind: str, seed: int = 0, n_tasks: int = N_TASKS, n_annotators: int = N_ANNOTATORS, worst: float = 0.6
) -> Crowd:
    """Each task is answered by four annotators, right with chances of `worst` to .95."""
    rng = np.random.default_rng(seed)
    tasks = tuple(f"t{i}" for i in range(n_tasks))
    annotators = tuple(f"j{j}" for j in range(n_annotators))
    skill = np.linspace(worst, 0.95, n_annotators)
    rows = []
    for task in tasks:
        truth = _truth(kind, rng)
        for j in rng.permutation(n_annotators)[:VOTES]:
            rows.append((task, annotators[j], _answer(kind, truth, skill[j], j, rng)))
    return Crowd(kind, tuple(rows), tasks, annotators, None if kind == "number" else CLASSES)


def _truth(kind: str, rng: np.random.Generator) -> Any:
    if kind == "number":
        return rng.normal(5, 3)
    if kind == "tags":
        return rng.integers(0, 3, rng.integers(1, 4))
    if kind == "set":
        return rng.integers(0, 2, 3)
    return int(rng.integers(0, 3))


def _answer(kind: str, truth: Any, skill: float, j: int, rng: np.random.Generator) -> Any:
    if kind == "number":
        return float(truth + 0.3 * (j - 2) + rng.normal() * (0.3 + 0.4 * j))
    if kind == "tags":
        return [CLASSES[_noisy(z, 3, skill, rng)] for z in truth]
    if kind == "set":
        return [c for c, z in zip(CLASSES, truth, strict=True) if _noisy(z, 2, skill, rng)]
    said = _noisy(truth, 3, skill, rng)
    if kind == "soft":
        share = rng.dirichlet(np.where(np.arange(3) == said, 8.0, 1.0))
        return dict(zip(CLASSES, share.tolist(), strict=True))
    return CLASSES[said]


def _noisy(truth: int, n_classes: int, skill: float, rng: np.random.Generator) -> int:
    if rng.random() < skill:
        return int(truth)
    return int((truth + rng.integers(1, n_classes)) % n_classes)


def kind_of(name: str) -> str:
    """A kind of label that the method takes."""
    return METHODS[name].kinds[0]


def make(name: str, **wanted: Any) -> Any:
    """The method with those of the wanted parameters that it has, and no more sampling than need be."""
    model = METHODS[name].make()
    known = model.get_params()
    return model.set_params(**{k: v for k, v in (CHEAP | wanted).items() if k in known})


def exact(name: str, **wanted: Any) -> Any:
    """The method in float64, where it has the choice, so that sums in another order agree closely."""
    return make(name, dtype="float64", **wanted)


def is_em(name: str) -> bool:
    return "max_iter" in inspect.signature(type(make(name)).__init__).parameters


EM = [name for name in NAMES if is_em(name)]
EM_CASES = [case for case in CASES if is_em(case.values[0])]
EM_OF_ONE = [name for name in EM if kind_of(name) != "tags"]  # a task has one truth


def belief(result: Any) -> np.ndarray:
    """Everything believed of each unit as one array."""
    if result.labels.kind == "number":
        return np.column_stack([result.numbers.mean, result.numbers.sd])
    return result.chances


def objective(model: Any) -> float:
    return float(model.result_.history[-1]["objective"])


def unit_order(table: Annotations, other: Annotations) -> np.ndarray:
    """For every unit of `table`, the same unit in `other`, tasks and classes matched by name."""
    order: list[int] = []
    for task in table.tasks:
        place = other.tasks.position(task)
        start, stop = other.unit_offsets[place : place + 2]
        units: Sequence[int] = range(start, stop)
        if table.kind == "set":
            assert table.classes is not None
            assert other.classes is not None
            units = [start + other.classes.position(c) for c in table.classes]
        order.extend(int(u) for u in units)
    return np.array(order, dtype=np.int64)
