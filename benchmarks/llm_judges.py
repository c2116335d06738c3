"""Three LLM judges of known bias and two people, on one table: a recipe (docs/llm-judges.md), and what it gains.

    python -m benchmarks.llm_judges [--print-only]

Everything here is SIMULATED: no model was asked. The judges are made up so that their biases are known:

- lenient answers in words; says yes to 95% of the good answers and to 55% of the bad ones, and declines 4%.
- strict gives a probability of yes, whose log-odds its caution lowers by 2; 3% time out.
- scorer gives 1 to 10, and hardly ever less than 4.
- ann and bob are people, right in 90% and 80%, who see two fifths of the answers each.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import manyhands as mh
from manyhands.errors import ConvergenceWarning
from manyhands.io import verdicts

from .tables import RESULTS, publish

PATTERNS = {"no": r"\bverdict:\s*(no|bad)\b", "yes": r"\bverdict:\s*(yes|good)\b"}
YES, NO = (
    ("Well argued. Verdict: YES.", "Verdict: good", "verdict:yes"),
    ("It errs. Verdict: NO", "Verdict: bad."),
)
DECLINES = ("As a language model I cannot judge this.", "", "Verdict: yes. Or rather: verdict: no.")


KNOWN = 100


class Trial(NamedTuple):
    """What the five gave of each task, in their own forms; None where nothing came. truth: yes or no."""

    truth: np.ndarray
    words: list[str | None]
    probability: list[float | None]
    score: list[int | None]
    people: dict[str, list[str | None]]


def simulated(seed: int, tasks: int = 1000) -> Trial:
    """One crowd; docs and tables must call it simulated."""
    rng = np.random.default_rng(seed)
    good = rng.random(tasks) < 0.45
    says_yes = rng.random(tasks) < np.where(good, 0.95, 0.55)
    words = [
        str(rng.choice(DECLINES)) if rng.random() < 0.04 else str(rng.choice(YES if yes else NO))
        for yes in says_yes
    ]
    odds = np.where(good, 2.0, -2.0) + rng.normal(0, 1.5, tasks)
    cautious = 1 / (1 + np.exp(2 - odds))
    probability = [None if rng.random() < 0.03 else float(p) for p in cautious]
    score = np.clip(np.round(rng.normal(np.where(good, 7.6, 6.1), 1.2)), 1, 10)
    people = {
        who: [_said(yes == (rng.random() < right)) if rng.random() < 0.4 else None for yes in good]
        for who, right in (("ann", 0.9), ("bob", 0.8))
    }
    return Trial(good, words, probability, [int(s) for s in score], people)


def _said(yes: bool) -> str:
    return "yes" if yes else "no"


def as_classes(trial: Trial) -> mh.Annotations:
    """Everyone's answer as yes or no: words by their pattern, numbers by the middle of their scale."""
    columns = {
        "lenient": verdicts(trial.words, PATTERNS).labels,
        "strict": [None if p is None else _said(p >= 0.5) for p in trial.probability],
        "scorer": [None if s is None else _said(s >= 5.5) for s in trial.score],
        **trial.people,
    }
    return _table(columns, kind="class", classes=["no", "yes"])


def as_soft(trial: Trial) -> mh.Annotations:
    """Everyone's answer as a distribution: who is sure gives it all to one class."""
    sure = {"yes": {"no": 0.0, "yes": 1.0}, "no": {"no": 1.0, "yes": 0.0}, None: None}
    columns = {
        "lenient": [sure[label] for label in verdicts(trial.words, PATTERNS).labels],
        "strict": [None if p is None else {"no": 1 - p, "yes": p} for p in trial.probability],
        "scorer": [None if s is None else {"no": (10 - s) / 9, "yes": (s - 1) / 9} for s in trial.score],
        **{who: [sure[label] for label in labels] for who, labels in trial.people.items()},
    }
    return _table(columns, kind="soft", classes=["no", "yes"])


def as_numbers(trial: Trial) -> mh.Annotations:
    """Scores of 1 to 10 and probabilities, on one scale: each judge's own zero is learnt as a bias."""
    columns = {
        "strict": [None if p is None else 1 + 9 * p for p in trial.probability],
        "scorer": [None if s is None else float(s) for s in trial.score],
        **{who: [None if said is None else 10.0 if said == "yes" else 1.0 for said in labels]
           for who, labels in trial.people.items()},
    }  # fmt: skip
    return _table(columns, kind="number")


def _table(columns: dict[str, list[Any]], **options: Any) -> mh.Annotations:
    """A judge that failed to answer abstains; a person who was not asked has no row."""
    rows = [(task, who, label) for who, labels in columns.items() for task, label in enumerate(labels)
            if label is not None or who in ("lenient", "strict", "scorer")]  # fmt: skip
    task, who, label = ([row[at] for row in rows] for at in range(3))
    return mh.Annotations.from_arrays(task, who, label, missing="abstain", **options)


def right(trial: Trial, labels: mh.Annotations, model: Any) -> float:
    """The share of tasks beyond the known whose consensus is right; a number counts as yes above the mean."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = model.fit(labels).result_.consensus().sort("task")["label"]
    answers = found > found.mean() if labels.kind == "number" else found == "yes"
    return float((answers.to_numpy() == trial.truth)[KNOWN:].mean())


def with_known(trial: Trial) -> mh.Annotations:
    """The same classes, with the truth of the first hundred tasks given; they are scored nowhere."""
    return as_classes(trial).with_truth({task: _said(trial.truth[task]) for task in range(KNOWN)})


WAYS: dict[str, tuple[Callable[[Trial], mh.Annotations], Callable[[], Any]]] = {
    "classes, majority": (as_classes, mh.MajorityVote),
    "classes, Dawid-Skene (MAP)": (as_classes, lambda: mh.DawidSkene(shared=10)),
    "classes, Dawid-Skene (MAP), 100 known": (with_known, lambda: mh.DawidSkene(shared=10)),
    "distributions, majority": (as_soft, mh.MajorityVote),
    "distributions, Dawid-Skene (MAP)": (as_soft, lambda: mh.DawidSkene(shared=10)),
    "numbers, mean": (as_numbers, mh.Mean),
    "numbers, precision-weighted": (as_numbers, mh.PrecisionWeighted),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--print-only", action="store_true")
    given = parser.parse_args()
    trials = [simulated(seed) for seed in range(given.trials)]
    print(verdicts(trials[0].words, PATTERNS))
    rows = []
    for way, (table, model) in WAYS.items():
        shares = np.array([right(trial, table(trial), model()) for trial in trials])
        error = shares.std(ddof=1) / np.sqrt(len(shares))
        rows.append(
            {"judges and people as": way, "right": float(shares.mean()), "standard error": float(error)}
        )
    publish(
        "llm_judges", "SIMULATED judges: three of known bias, and two people", rows,
        notes=f"{given.trials} simulated crowds of 1000 tasks; no language model was asked. The share of the last "
        "900 tasks whose consensus is the simulated truth. The settings are the defaults, chosen on nothing here.",
        out=None if given.print_only else RESULTS,
    )  # fmt: skip


if __name__ == "__main__":
    main()
