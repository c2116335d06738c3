"""Names carry no information: renaming and reordering change nothing but names and places."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from manyhands.catalog import METHODS

from .crowds import CASES, CLASSES, belief, crowd, exact, make, unit_order

CLOSE = {"rtol": 1e-7, "atol": 1e-7}


def _fit(name: str, c: Any, **wanted: Any) -> Any:
    return exact(name, **wanted).fit(c.table()).result_


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_other_names_give_the_same_bits(name: str, kind: str) -> None:
    plain = crowd(kind)
    task = {t: ("task", i) for i, t in enumerate(plain.tasks)}
    annotator = {j: 1000 - i for i, j in enumerate(plain.annotators)}
    named = replace(
        plain,
        rows=tuple((task[t], annotator[j], label) for t, j, label in plain.rows),
        tasks=tuple(task.values()),
        annotators=tuple(annotator.values()),
    )
    one, two = (make(name).fit(c.table()).result_ for c in (plain, named))
    np.testing.assert_array_equal(belief(one), belief(two))


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_another_order_of_tasks_and_annotators(name: str, kind: str) -> None:
    plain = crowd(kind)
    turned = replace(plain, tasks=plain.tasks[::-1], annotators=plain.annotators[::-1])
    one, two = _fit(name, plain), _fit(name, turned)
    order = unit_order(one.labels, two.labels)
    np.testing.assert_allclose(belief(two)[order], belief(one), **CLOSE)
    tables = [r.annotators().sort("annotator") for r in (one, two)]
    for column in ("accuracy", "bias", "weight", "ability", "sd"):
        if column in tables[0].columns:
            a, b = (t[column].cast(float).to_numpy() for t in tables)
            np.testing.assert_allclose(b, a, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_shuffled_rows(name: str, kind: str) -> None:
    plain = crowd(kind)
    one = _fit(name, plain)
    two = _fit(name, plain.shuffled(0))
    np.testing.assert_allclose(belief(two), belief(one), **CLOSE)
    if kind != "number":
        assert two.consensus()["label"].to_list() == one.consensus()["label"].to_list()


@pytest.mark.parametrize(("name", "kind"), [case for case in CASES if case.values[1] != "number"])
def test_renamed_classes_permute_the_columns(name: str, kind: str) -> None:
    """a, b, c become z, x, y, declared in the order x, y, z: the columns turn with the names.

    What lives by the order of the classes takes their reversal alone.
    """
    plain = crowd(kind)
    new = dict(zip(CLASSES, "zyx" if METHODS[name].kinds == ("ordinal",) else "zxy", strict=True))

    def rename(label: Any) -> Any:
        if isinstance(label, str):
            return new[label]
        return {new[k]: v for k, v in label.items()} if isinstance(label, dict) else [new[v] for v in label]

    renamed = replace(plain, rows=tuple((t, j, rename(v)) for t, j, v in plain.rows), classes=("x", "y", "z"))
    one, two = _fit(name, plain), _fit(name, renamed)
    if kind == "set":  # a member is a unit here: units turn, the columns no and yes stay
        back = {v: k for k, v in new.items()}
        assert two.labels.classes is not None
        units = [3 * i + CLASSES.index(back[c]) for i in range(len(plain.tasks)) for c in two.labels.classes]
        np.testing.assert_allclose(belief(two), belief(one)[units], **CLOSE)
        return
    columns = [two.classes.position(new[c]) for c in CLASSES]
    np.testing.assert_allclose(belief(two)[:, columns], belief(one), **CLOSE)
    if hasattr(one.evidence, "confusion"):
        there = two.confusion("j1")[np.ix_(columns, columns)]
        np.testing.assert_allclose(there, one.confusion("j1"), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", [case.values[0] for case in CASES if case.values[1] == "class"])
def test_unused_classes_get_no_belief_of_their_own(name: str) -> None:
    """A class that nobody gave is never the consensus, and steals no certainty from the others."""
    plain = crowd("class")
    wide = replace(plain, classes=(*CLASSES, "never"))
    one, two = _fit(name, plain), _fit(name, wide)
    assert two.chances[:, 3].max() < 0.05
    # A prior of so many wrong votes a row is shared out over one class more: it may tip a task or so.
    tipped = (two.chances.argmax(axis=1) != one.chances.argmax(axis=1)).sum()
    assert tipped <= (1 if name in ("ibcc", "common-noise") else 0)


@pytest.mark.parametrize("name", [case.values[0] for case in CASES if case.values[1] == "number"])
def test_numbers_may_change_their_unit_and_origin(name: str) -> None:
    """Degrees Celsius or Fahrenheit: means and deviations follow the labels."""
    plain = crowd("number")
    moved = replace(plain, rows=tuple((t, j, 1.8 * v + 3200) for t, j, v in plain.rows))
    one, two = _fit(name, plain, tol=1e-9), _fit(name, moved, tol=1e-9)
    np.testing.assert_allclose(two.numbers.mean, 1.8 * one.numbers.mean + 3200, rtol=1e-6)
    np.testing.assert_allclose(two.numbers.sd, 1.8 * one.numbers.sd, rtol=1e-4)
