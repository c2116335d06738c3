"""Small questions whose answer is known by hand or closed form: ours and crowd-kit's answers."""

from __future__ import annotations

import argparse
import math
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from manyhands import MACE, Annotations, DawidSkene, MajorityVote, Wawa
from manyhands.errors import ConvergenceWarning, ManyhandsError
from manyhands.metrics import krippendorff_alpha

from .peers import NEEDED, ask, peer_python
from .tables import RESULTS, publish

__all__ = ["FAULTS", "Fault", "main", "our_answers"]

# Thirty tasks, two thirds of them a; w2 errs on every fifth task, w3 on every third, w4 says a whatever it is.
TRUTH = [int(i % 3 == 2) for i in range(30)]
WRONG = {2: 5, 3: 3}
VOTES = [
    (f"t{i}", f"w{j}", "ab"[0 if j == 4 else z ^ (j in WRONG and i % WRONG[j] == 0)])
    for i, z in enumerate(TRUTH)
    for j in range(5)
]


class Fault(NamedTuple):
    """A question, the answer that is right and why, and how we are asked."""

    question: str
    right: Callable[[], str]
    why: str
    ours: Callable[[], str]


def table(rows: list[tuple[str, str, Any]], **options: Any) -> Annotations:
    task, annotator, label = zip(*rows, strict=True)
    return Annotations.from_arrays(list(task), list(annotator), list(label), **options)


def distinct_starts() -> str:
    """Restarts differ where their first objectives do."""
    first: list[float] = []
    MACE(n_init=10, max_iter=2, tol=0, callback=lambda step, value: first.append(value)).fit(table(VOTES))
    return str(len(set(first)))


def with_nan(**options: Any) -> Annotations:
    return table([*VOTES, ("silent", "w0", None)], **options)


def nan_refused() -> str:
    """By default a missing label is an error with its row."""
    try:
        with_nan()
    except ManyhandsError as error:
        return "error: " + str(error).split(":")[0].split(" (")[0]
    return "no error"


def nan_prior(model: Any) -> Callable[[], str]:
    """Told to abstain there, the task's posterior."""

    def ask_us() -> str:
        labels = with_nan(missing="abstain")
        return f"{model.fit(labels).result_.chances[labels.tasks.position('silent'), 0]:.4f}"

    return ask_us


def silent_label() -> str:
    """A task with no vote has no label, and stays."""
    said = MajorityVote().fit(with_nan(missing="abstain")).result_.consensus()
    return str(dict(said.select("task", "label").iter_rows())["silent"])


def learnt_prior(model: Any) -> Callable[[], str]:
    """A task with no vote has the class prior that was learnt: the mean posterior of the others."""

    def closed() -> str:
        return f"{model.fit(table(VOTES)).result_.chances[:, 0].mean():.4f}"

    return closed


def many_votes() -> str:
    rows = [("t0", f"w{j}", "aab"[j % 3]) for j in range(3000)]
    return f"{MACE(max_iter=10, tol=0).fit(table(rows)).result_.chances[0, 0]:.4f}"


def smoothing() -> str:
    low, high = (MACE(habit=h, max_iter=10, tol=0).fit(table(VOTES)).result_.chances for h in (0.01, 100.0))
    return "equal" if np.array_equal(low, high) else "different"


def wawa() -> str:
    labels = table(VOTES)
    return str(Wawa().fit_predict(labels)[labels.tasks.position("t0")])


def alpha_alone() -> str:
    value = float(krippendorff_alpha(table([("t0", "w0", "a"), ("t1", "w1", "b")])))
    return "nan" if math.isnan(value) else str(value)


FAULTS: dict[str, Fault] = {
    "restarts": Fault("MACE: how many of 10 restarts differ?", lambda: "10", "what restarts are for", distinct_starts),
    "nan-ds": Fault(
        "Dawid-Skene: p(a) of a task whose only label is missing?", learnt_prior(DawidSkene()),
        "no vote: the class prior (ours with missing='abstain'; by default it is an error)", nan_prior(DawidSkene()),
    ),
    "nan-mv": Fault(
        "Majority: the label of a task whose only label is missing?", lambda: "None", "a task stays a task", silent_label,
    ),
    "many-votes": Fault("MACE: p(a), 2000 votes for a, 1000 for b?", lambda: "1.0000", "log-odds of thousands", many_votes),
    "smoothing": Fault("MACE: is a prior of .01 that of 100?", lambda: "different", "a prior matters", smoothing),
    "wawa": Fault("Wawa: the label of t0 (a, a, b, b, a)?", lambda: "a", "the majority, and those who agree most", wawa),
    "alpha": Fault("Krippendorff's alpha where no task has two votes?", lambda: "nan", "0 / 0", alpha_alone),
}  # fmt: skip


def our_answers() -> dict[str, tuple[str, str]]:
    """The right answer and ours."""
    return {name: (fault.right(), fault.ours()) for name, fault in FAULTS.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dry", action="store_true", help="print only")
    asked = parser.parse_args()
    if peer_python() is None:
        raise SystemExit(NEEDED)
    warnings.simplefilter("ignore", ConvergenceWarning)
    theirs = ask("faults", 120.0)
    if "error" in theirs:
        raise SystemExit(theirs["error"])
    rows = [
        {"question": FAULTS[name].question, "right": right, "because": FAULTS[name].why, "ours": own, "crowd-kit": theirs[name]}
        for name, (right, own) in our_answers().items()
    ]  # fmt: skip
    notes = f"A missing label with our defaults: {nan_refused()!r}, with the cure."
    publish(
        "peer-faults",
        "Small questions with a known answer",
        rows,
        notes=notes,
        out=None if asked.dry else RESULTS,
    )


if __name__ == "__main__":
    main()
