"""The table against a slow one: a list of rows in dictionaries, put through the same steps."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manyhands.annotations import Annotations

from .crowds import KINDS, answers

TASKS, ANNOTATORS, WORDS = "abcde", "xyz", ("p", "q", "r")
LENGTH = {task: 1 + n % 3 for n, task in enumerate(TASKS)}
LABELS = {
    "class": lambda _: st.sampled_from(WORDS), "ordinal": lambda _: st.integers(1, 4), "number": lambda _: st.floats(-9, 9, width=16),
    "set": lambda _: st.frozensets(st.sampled_from(WORDS)), "soft": lambda _: st.sampled_from([(0.25, 0.75, 0.0), (1.0, 0.0, 0.0), (0.0, 0.5, 0.5)]),
    "tags": lambda task: st.tuples(*[st.sampled_from(WORDS)] * LENGTH[task]),
}  # fmt: skip
CLASSES = {
    "class": WORDS,
    "ordinal": [1, 2, 3, 4],
    "number": None,
    "tags": WORDS,
    "set": WORDS,
    "soft": WORDS,
}


@st.composite
def crowds(draw, kind):
    """Rows in any order, some repeated, some with None for a label."""
    rows = []
    for _ in range(draw(st.integers(0, 14))):
        task, annotator = draw(st.sampled_from(TASKS)), draw(st.sampled_from(ANNOTATORS))
        rows.append((task, annotator, draw(st.none() | LABELS[kind](task))))
    return rows


def build(rows, kind, **options):
    task, annotator, label = ([row[i] for row in rows] for i in range(3))
    tasks = list(dict.fromkeys(task)) if "tasks" not in options else options.pop("tasks")
    return Annotations.from_arrays(task, annotator, label, kind=kind, classes=CLASSES[kind], tasks=tasks,
                                   annotators=list(ANNOTATORS), columns={"row": np.arange(len(rows))}, **options)  # fmt: skip


def slow_table(rows, missing, repeats):
    """[(task, annotator, label, row)] in the order of tasks, then of rows."""
    order = list(dict.fromkeys(row[0] for row in rows))
    kept = [(*row, n) for n, row in enumerate(rows) if row[2] is not None or missing == "abstain"]
    if repeats != "all":
        one = {}
        for row in kept if repeats == "last" else reversed(kept):
            one[row[:2]] = row
        kept = sorted(one.values(), key=lambda row: row[3])
    return sorted(kept, key=lambda row: (order.index(row[0]), row[3])), order


def silent(label, kind, task, rows):
    """What a None reads like; a sequence has the length that others gave it."""
    if label is not None or kind != "tags":
        return label
    known = any(row[0] == task and row[2] is not None for row in rows)
    return (None,) * (LENGTH[task] if known else 0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.slow
def test_all_steps(kind):
    @settings(max_examples=40, deadline=None, derandomize=True)
    @given(
        crowds(kind),
        st.sampled_from(["drop", "abstain"]),
        st.sampled_from(["first", "last", "all"]),
        st.data(),
    )
    def check(rows, missing, repeats, data):
        table = build(rows, kind, missing=missing, repeats=repeats)
        slow, order = slow_table(rows, missing, repeats)

        def same(table, slow, order):
            assert table.tasks.to_list() == order
            assert answers(table) == [(t, j, silent(label, kind, t, kept_rows)) for t, j, label, _ in slow]
            assert table.columns["row"].tolist() == [row[3] for row in slow]
            by_annotator, starts = table.by_annotator
            units = table.rows
            assert units.annotator[by_annotator].tolist() == sorted(units.annotator.tolist())
            assert np.diff(starts).tolist() == [
                int((units.annotator == j).sum()) for j in range(len(ANNOTATORS))
            ]
            assert units.unit[table.by_unit[0]].tolist() == sorted(units.unit.tolist())
            offsets = table.unit_offsets
            assert all(
                offsets[t] <= u < offsets[t + 1] for u, t in zip(units.unit, tasks_of(table), strict=True)
            )

        kept_rows = slow
        same(table, slow, order)

        chosen = data.draw(st.lists(st.sampled_from(range(len(order))), unique=True)) if order else []
        names = [order[i] for i in chosen]
        part = [row for name in names for row in slow if row[0] == name]
        same(table[chosen], part, names)
        wanted = [*names, "new"]
        same(table.align(wanted, extra="drop"), part, wanted)

        mask = np.array(
            data.draw(st.lists(st.booleans(), min_size=len(slow), max_size=len(slow))), dtype=bool
        )
        one, two = table.where(mask), table.where(~mask)
        same(one, [row for row, keep in zip(slow, mask, strict=True) if keep], order)
        both = Annotations.concat([one, two], repeats="all")
        assert sorted(map(repr, answers(both))) == sorted(map(repr, answers(table)))

        if missing == "abstain":
            again = Annotations.from_frame(table.to_frame(), kind=kind, classes=table.classes, tasks=table.tasks, columns=["row"],
                                           annotators=table.annotators, missing="abstain", repeats="all")  # fmt: skip
            assert again.equals(table)

    check()


def tasks_of(table):
    """The task of every annotation row, slowly."""
    lengths = np.diff(table.answers.starts) if table.answers.starts is not None else [
        len(table.classes) if table.kind == "set" else 1] * table.n_answers  # fmt: skip
    return [task for task, length in zip(table.task, lengths, strict=True) for _ in range(length)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.slow
def test_shuffled_rows_change_only_the_order(kind):
    @settings(max_examples=25, deadline=None, derandomize=True)
    @given(crowds(kind), st.randoms())
    def check(rows, random):
        rows = list({row[:2]: row for row in rows}.values())
        other = rows[:]
        random.shuffle(other)
        one, two = (build(order, kind, missing="abstain", tasks=list(TASKS)) for order in (rows, other))
        assert one.classes == two.classes
        assert sorted(map(repr, answers(one))) == sorted(map(repr, answers(two)))

    check()
