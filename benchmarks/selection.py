"""How good the truth-free pick of a method is, where the truth is known after all.

`python -m benchmarks.selection` judges every method of the catalogue on every real crowd of classes, as
`manyhands compare` does, and on simulated ones; only then are the truths looked at.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from manyhands import Selection, select, simulate
from manyhands.results.posterior import ClassPosterior

from .real_crowds import CLASSES, NEEDED, Crowd, class_crowds, data_folder
from .scores import score
from .tables import RESULTS, publish

__all__ = ["RULES", "main", "regrets", "simulated_crowds"]

OUTSIDE = ("cifar10n", "cifar100n")  # not among the 18; the second has one answer a task: nothing to judge by
CLOSE = 0.005
MEAN = "mean of all"
# The fewer numbers an annotator has, the simpler; for the one-standard-error rule alone.
SIMPLE = ("majority", "majority-hard", "wawa", "one-coin", "glad", "mace", "dawid-skene-map", "dawid-skene")
KINDS = (
    "confusion", "one-coin", "spammers", "biased", "difficulty", "common", "groups", "adversarial", "copying",
)  # fmt: skip
SIZES = ((300, 30, 2, 4), (200, 20, 3, 8), (600, 60, 4, 3))  # tasks, annotators, classes, answers a task
NOTES = """
Regret: the accuracy of the best method of the catalogue on that crowd, less that of what the rule takes.
Classes that tie share the guess. `pick`: the method nearest to the stack (what `compare` says). `stack`: the
mixture itself. `likeliest`: the highest held-out log-likelihood. `one s.e.`: the simplest method within one paired
standard error of it. `mean of all`: all methods alike. `best of five elsewhere`: for each crowd that of these rules
which has the least mean regret on the other crowds; `best of four`: without `mean of all`, which judges nothing.
trust: whether the comparison says that one method can be trusted unseen.
"""


def _one_error(chosen: Selection) -> str:
    rows = {row.name: row for row in chosen.methods}
    near = (name for name in SIMPLE if name in rows and rows[name].behind <= rows[name].behind_se)
    return next(near, chosen.methods[0].name)


def _mean(chosen: Selection) -> np.ndarray:
    parts = [p.chances for p in chosen.posteriors.values() if isinstance(p, ClassPosterior)]
    return np.asarray(np.mean(parts, axis=0))


def _of(name: str) -> Callable[[Selection], np.ndarray]:
    return lambda chosen: _chances(chosen.posteriors[name])


def _chances(posterior: Any) -> np.ndarray:
    assert isinstance(posterior, ClassPosterior)
    return posterior.chances


RULES: dict[str, Callable[[Selection], np.ndarray]] = {
    "pick": lambda chosen: _of(chosen.pick)(chosen),
    "stack": lambda chosen: _chances(chosen.stack),
    "likeliest": lambda chosen: _of(chosen.methods[0].name)(chosen),
    "one s.e.": lambda chosen: _of(_one_error(chosen))(chosen),
    MEAN: _mean,
}
ALWAYS = ("dawid-skene-map", "dawid-skene", "mace", "one-coin", "glad", "wawa", "majority")


def regrets(chosen: Selection, truth: np.ndarray) -> dict[str, Any]:
    """Of every rule on one crowd, with what was picked and what would have been best."""
    right = {name: score(_chances(p), truth)["accuracy"] for name, p in chosen.posteriors.items()}
    best = max(right, key=lambda name: right[name])
    found = {name: right[best] - score(rule(chosen), truth)["accuracy"] for name, rule in RULES.items()}
    found |= {f"always {name}": right[best] - right[name] for name in ALWAYS if name in right}
    return {
        "best method": best, "accuracy": right[best], "picked": chosen.pick,
        "trust": "yes" if chosen.trust else "no", **found,
    }  # fmt: skip


def simulated_crowds(seeds: int) -> Iterator[Crowd]:
    """Crowds of every sort, small ones: what is known of them was drawn."""
    for kind in KINDS:
        for tasks, people, classes, redundancy in SIZES:
            for seed in range(seeds):
                made = simulate(
                    kind,
                    n_tasks=tasks,
                    n_annotators=people,
                    n_classes=classes,
                    redundancy=redundancy,
                    seed=seed,
                )
                yield Crowd(f"{kind} {tasks}-{seed}", made.labels, np.asarray(made.truth))


def summary(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """A row a rule: mean regret, its standard error, how often it is close to none, and its worst crowd."""
    names = [*RULES, *(name for name in rows[0] if str(name).startswith("always"))]
    table = {name: np.array([row[name] for row in rows]) for name in names}
    table["best of five elsewhere"] = _best_elsewhere({name: table[name] for name in RULES})
    table["best of four elsewhere"] = _best_elsewhere({name: table[name] for name in RULES if name != MEAN})
    found = [
        {
            "rule": name, "mean regret": float(x.mean()), "s.e.": float(x.std(ddof=1) / np.sqrt(len(x))),
            f"within {CLOSE}": int((x <= CLOSE).sum()), "of": len(x),
            "worst": float(x.max()), "there": rows[int(x.argmax())]["crowd"],
        }
        for name, x in table.items()
    ]  # fmt: skip
    return sorted(found, key=lambda row: float(row["mean regret"]))


def _best_elsewhere(table: Mapping[str, np.ndarray]) -> np.ndarray:
    """What each crowd loses by the rule that is best on all the others."""
    whole = np.array(list(table.values()))
    n = whole.shape[1]
    return np.array([whole[np.delete(whole, i, axis=1).mean(axis=1).argmin(), i] for i in range(n)])


def _trusted(rows: Sequence[Mapping[str, Any]]) -> str:
    parts = []
    for word in ("yes", "no"):
        lost = [row["pick"] for row in rows if row["trust"] == word]
        if lost:
            parts.append(f"trust {word}: {len(lost)} crowds, mean regret of the pick {np.mean(lost):.4f}")
    return "; ".join(parts) + "."


def _paired(rows: Sequence[Mapping[str, Any]]) -> str:
    lines = []
    for rule in ("pick", "stack"):
        for other in ("always dawid-skene-map", "always dawid-skene", "likeliest"):
            gap = np.array([row[other] - row[rule] for row in rows])
            error = gap.std(ddof=1) / np.sqrt(len(gap))
            lines.append(f"{other} loses {gap.mean():+.4f} (s.e. {error:.4f}, paired) against {rule}")
    return "; ".join(lines) + "."


def _judge(crowds: Iterator[Crowd]) -> list[dict[str, Any]]:
    rows = []
    for crowd in crowds:
        chosen = select(crowd.labels, max_answers=10**9)
        rows.append({"crowd": crowd.name, **regrets(chosen, crowd.truth)})
        print(crowd.name, chosen.pick, file=sys.stderr, flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--crowds", nargs="*", default=[c for c in CLASSES if c not in OUTSIDE], help="folders"
    )
    parser.add_argument("--seeds", type=int, default=1, help="of every sort of simulated crowd; 0: none")
    parser.add_argument("--dry", action="store_true", help="print only")
    asked = parser.parse_args()
    if data_folder() is None:
        raise SystemExit(NEEDED)
    out = {"out": None if asked.dry else RESULTS}
    rows = _judge(class_crowds(tuple(asked.crowds)))
    publish("selection-crowds", "Truth-free selection: regret on each real crowd", rows, notes=NOTES, **out)
    notes = f"{NOTES}\n{_trusted(rows)}\n\n{_paired(rows)}"
    publish("selection", "Truth-free selection: real crowds", summary(rows), notes=notes, **out)
    if asked.seeds:
        made = _judge(simulated_crowds(asked.seeds))
        notes = f"{_trusted(made)}\n\n{_paired(made)}"
        publish(
            "selection-simulated", "Truth-free selection: simulated crowds", summary(made), notes=notes, **out
        )


if __name__ == "__main__":
    main()
