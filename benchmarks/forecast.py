"""Whether the band of a forecast holds what came: on simulated crowds, and on real ones played again."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

import manyhands as mh
from manyhands.assignment import forecast

from .assignment import QUALIFYING, model
from .real_crowds import Crowd, class_crowds
from .replay import POLICIES, Replay
from .scores import score
from .tables import RESULTS, publish

__all__ = ["held", "moments", "run", "simulated"]

STARTS = (2, 4)  # labels a task when the forecast is made
SHARES = (0.25, 0.5, 1.0)  # of the labels that are still hidden, bought
GOLD = 50
KINDS = (("confusion", 2), ("confusion", 4), ("biased", 3), ("spammers", 2), ("one-coin", 2), ("difficulty", 2), ("copying", 3))  # fmt: skip
NOTES = """
A forecast at 2 and at 4 labels a task of the accuracy now and after a quarter, half and all of the labels still hidden,
bought in turn; then these are revealed, the model is fitted anew, and its accuracy against the truth is in the band (level .9)
or not. *votes alone*: `misled=None`, the band that the votes themselves give. *default*: with the prior that some crowds are
misled together; for a real crowd fitted to the other real ones. *gold*: the same, told the truth of 50 tasks. *width*: of the band, mean.
*difficulty* and *copying* break the model on purpose: tasks of their own hardness, annotators who copy. Points of one crowd are
not independent: each crowd is misled as it is.
"""


def simulated(seeds: int) -> Iterator[tuple[str, list[Crowd]]]:
    """Kinds of crowds, each drawn anew with every seed: 400 tasks, 30 annotators, 10 labels a task."""
    for kind, n_classes in KINDS:
        made = [
            mh.simulate(
                kind, n_tasks=400, n_annotators=30, n_classes=n_classes, redundancy=10, seed=100 + seed
            )
            for seed in range(seeds)
        ]
        yield (
            f"simulated: {kind}, {n_classes} classes",
            [Crowd(kind, c.labels, np.asarray(c.truth)) for c in made],
        )


def moments(wrong: list[float]) -> tuple[float, float]:
    """The Beta with the mean and the variance of these shares."""
    mean, variance = float(np.mean(wrong)), float(np.var(wrong, ddof=1))
    size = mean * (1 - mean) / variance - 1
    return mean * size, (1 - mean) * size


def held(crowd: Crowd, seed: int, start: int, misled: Any, draws: int) -> dict[str, list[tuple[bool, float]]]:
    """Whether each band held the accuracy at each step, and its width."""
    replay, rng = Replay(crowd, seed, model()), np.random.default_rng(seed)
    replay.reveal(POLICIES["round-robin"](replay, (start - 1) * crowd.labels.n_tasks))
    hidden = int((~replay.seen).sum())
    more = [round(hidden * share) for share in SHARES]
    chosen = {
        "votes alone": {"misled": None},
        "default": {"misled": misled},
        "gold": {"misled": misled, "gold": _gold(crowd, rng)},
    }
    told = {
        name: forecast(replay.result, more, draws=draws, seed=seed, **how) for name, how in chosen.items()
    }
    came = [replay.accuracy]
    for step, before in zip(more, [0, *more], strict=False):
        replay.reveal(POLICIES["round-robin"](replay, step - before))
        came.append(replay.accuracy)
    return {
        name: [
            (bool(low <= real <= high), high - low)
            for real, low, high in zip(came, f["low"], f["high"], strict=True)
        ]
        for name, f in told.items()
    }


def _gold(crowd: Crowd, rng: np.random.Generator) -> dict[Any, Any]:
    """The truth of some tasks."""
    classes = crowd.labels.classes
    assert classes is not None
    known = np.flatnonzero((crowd.truth >= 0) & (crowd.truth < len(classes)))
    return {
        crowd.labels.tasks[int(i)]: classes[int(crowd.truth[i])]
        for i in rng.choice(known, GOLD, replace=False)
    }


def _row(name: str, found: list[dict[str, list[tuple[bool, float]]]]) -> dict[str, Any]:
    row: dict[str, Any] = {"crowd": name, "points": sum(len(one["default"]) for one in found)}
    for how in ("votes alone", "default", "gold"):
        points = np.array([point for one in found for point in one[how]], dtype=float)
        row |= {how: points[:, 0].mean(), f"width: {how}": points[:, 1].mean()}
    return row


def run(seeds: int, draws: int, real: tuple[str, ...], **out: Any) -> None:
    """The table, a row a kind of crowd, and two rows for all."""
    rows, everything = [], {"all simulated": [], "all real": []}  # type: ignore[var-annotated]
    for name, crowds in simulated(seeds):
        print(name, file=sys.stderr, flush=True)
        found = [
            held(c, s, start, forecast_default(), draws) for s, c in enumerate(crowds) for start in STARTS
        ]
        rows.append(_row(name, found))
        everything["all simulated"] += found
    crowds = list(class_crowds(real))
    wrong = {c.name: 1 - score(model().fit(c.labels).result_.chances, c.truth)["accuracy"] for c in crowds}
    print(
        f"left wrong with all labels: {wrong}; Beta {moments(list(wrong.values()))}",
        file=sys.stderr,
        flush=True,
    )
    for c in crowds:
        print(c.name, file=sys.stderr, flush=True)
        others = moments([share for name, share in wrong.items() if name != c.name])
        found = [held(c, seed, start, others, draws) for seed in range(seeds) for start in STARTS]
        rows.append(_row(c.name, found))
        everything["all real"] += found
    rows += [_row(name, found) for name, found in everything.items() if found]
    publish(
        "forecast",
        "How often the band holds what came",
        rows,
        notes=f"{seeds} seeds, {draws} draws.{NOTES}",
        **out,
    )


def forecast_default() -> tuple[float, float]:
    """The prior of those who know nothing of their crowd."""
    from manyhands.assignment.misled import MISLED

    return MISLED


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--draws", type=int, default=100)
    parser.add_argument("--crowds", nargs="*", default=list(QUALIFYING))
    parser.add_argument("--dry", action="store_true", help="print only")
    asked = parser.parse_args()
    run(asked.seeds, asked.draws, tuple(asked.crowds), out=None if asked.dry else RESULTS)


if __name__ == "__main__":
    main()
