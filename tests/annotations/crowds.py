"""Small crowds of every kind, and what is in a table read slowly off its codes."""

import numpy as np

KINDS = ("class", "ordinal", "number", "tags", "set", "soft")

# task, annotator, label: tasks do not stand together, one annotator cannot say (None), t4 is silent.
ROWS = {
    "class": [("t2", "ann", "dog"), ("t1", "ann", "cat"), ("t2", "bob", "cat"), ("t3", "cid", None), ("t1", "cid", "cat")],
    "ordinal": [("t2", "ann", 3), ("t1", "ann", 1), ("t2", "bob", 1), ("t3", "cid", None), ("t1", "cid", 2)],
    "number": [("t2", "ann", 1.5), ("t1", "ann", -2.0), ("t2", "bob", 0.0), ("t3", "cid", None), ("t1", "cid", 7.25)],
    "tags": [("t2", "ann", ["B", "I", "O"]), ("t1", "ann", ["O"]), ("t2", "bob", ["O", None, "B"]), ("t3", "cid", None),
             ("t1", "cid", ["B"]), ("t3", "ann", ["O", "B"])],
    "set": [("t2", "ann", ["x", "z"]), ("t1", "ann", []), ("t2", "bob", ["y"]), ("t3", "cid", None), ("t1", "cid", ["z"])],
    "soft": [("t2", "ann", {"p": 0.25, "q": 0.75}), ("t1", "ann", {"p": 1.0, "q": 0.0}), ("t2", "bob", {"p": 0.5, "q": 0.5}),
             ("t3", "cid", None), ("t1", "cid", {"p": 0.0, "q": 1.0})],
}  # fmt: skip
CLASSES = {"class": ["cat", "dog", "emu"], "ordinal": [1, 2, 3], "number": None, "tags": ["B", "I", "O"],
           "set": ["x", "y", "z"], "soft": ["p", "q"]}  # fmt: skip
TRUTHS = {"class": {"t1": "cat", "t2": "emu"}, "ordinal": {"t2": 3}, "number": {"t1": 0.5, "t4": 2.0},
          "tags": {"t2": ["B", "I", "O"], "t4": ["O", "O"]}, "set": {"t1": ["x"], "t2": {"y": True, "z": False}},
          "soft": {"t2": "q"}}  # fmt: skip
TASKS = ["t1", "t2", "t3", "t4"]
ANNOTATORS = ["ann", "bob", "cid", "dan"]


def options(kind, **more):
    return {
        "kind": kind,
        "classes": CLASSES[kind],
        "missing": "abstain",
        "tasks": TASKS,
        "annotators": ANNOTATORS,
    } | more


def arrays(kind):
    return tuple(list(column) for column in zip(*ROWS[kind], strict=True))


def build(kind, **more):
    from manyhands import Annotations

    time = np.arange(len(ROWS[kind])) * 1.5
    table = Annotations.from_arrays(*arrays(kind), columns={"time": time}, **options(kind, **more))
    features = np.arange(8, dtype=float).reshape(4, 2)
    return table.with_truth(TRUTHS[kind]).with_annotator_features(features)


def answers(table):
    """[(task, annotator, label)] in the table's order, by a loop over its codes."""
    found = []
    for n in range(table.n_answers):
        value = table.answers.take(np.array([n])).values
        found.append((table.tasks[table.task[n]], table.annotators[table.annotator[n]], plain(table, value)))
    return found


def plain(table, value):
    """One answer as a hashable: what the annotator said, None where nothing."""
    if table.kind == "tags":
        return tuple(None if code < 0 else table.classes[int(code)] for code in value)
    value = value[0]
    if table.kind == "number":
        return None if np.isnan(value) else float(value)
    if table.kind == "set":
        return (
            None if (value < 0).all() else frozenset(table.classes[i] for i in range(len(value)) if value[i])
        )
    if table.kind == "soft":
        return None if np.isnan(value).all() else tuple(float(p) for p in value)
    return None if value < 0 else table.classes[int(value)]


def said(kind, label, length=None):
    """What `plain` should give for a raw label."""
    if kind == "tags":
        return (None,) * length if label is None else tuple(label)
    if label is None:
        return None
    if kind == "set":
        return frozenset(label)
    return tuple(label[c] for c in CLASSES["soft"]) if kind == "soft" else label


def expected(kind):
    """The answers of `build(kind)`: by task, then as given."""
    length = {"t1": 1, "t2": 3, "t3": 2, "t4": 2}
    rows = sorted(ROWS[kind], key=lambda row: TASKS.index(row[0]))  # stable
    return [(task, annotator, said(kind, label, length[task])) for task, annotator, label in rows]
