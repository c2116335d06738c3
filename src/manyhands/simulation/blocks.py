"""Crowds of any size: whole, or block after block."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .assemble import crowd_of
from .bounds import whole
from .crowd import Crowd
from .pieces import join
from .plan import Plan
from .request import plan_for
from .streams import CHUNK

__all__ = ["simulate", "simulate_blocks"]


def simulate(
    crowd: str = "confusion",
    *,
    n_tasks: int = 1000,
    n_annotators: int = 50,
    n_classes: int = 3,
    redundancy: int | float | tuple[int, int] = 5,
    seed: int = 0,
    activity: str = "uniform",
    abstain_rate: float = 0.0,
    gold: float = 0.0,
    prior: Any = None,
    truth: Any = None,
    n_features: int = 0,
    names: bool = True,
    **options: Any,
) -> Crowd:
    """A crowd with a known truth; the seed decides everything.

    Args:
        crowd: a name in `CROWDS`.
        n_tasks: how many tasks.
        n_annotators: how many annotators; some may happen to answer nothing.
        n_classes: classes; types of span for "tags", labels of a set for "sets", unused for
            "numbers".
        redundancy: answers a task; a range (low, high); or as a float their mean, each annotator
            being in with the same chance (some tasks then get no answer).
        seed: a whole number from 0 on.
        activity: "uniform", or "zipf": the n-th busiest annotator is drawn 1/n as often.
        abstain_rate: the share of answers that say "cannot say".
        gold: the share of tasks whose truth is attached to the labels.
        prior: how common each class is; by default all alike.
        truth: class codes to use as the truths, one a task, in place of n_tasks and prior.
        n_features: how many features a task gets, from one Gaussian a class; a set's about the sum of
            its labels' means.
        names: tasks "t0", "t1" ... and annotators "a0" ...; False: plain codes, which are faster.
        options: the crowd's own; `CROWDS[crowd].options` lists them.

    >>> crowd = simulate("groups", n_tasks=200, n_annotators=20, redundancy=4, seed=1)
    >>> crowd.labels
    Annotations(kind='class', 200 tasks, 20 annotators, 800 answers, classes=[0, 1, 2])
    >>> crowd.confusions.shape, crowd.parameters["group"].shape
    ((20, 3, 3), (20,))
    """
    settings = {key: value for key, value in locals().items() if key not in ("crowd", "options")}
    plan = plan_for(crowd, settings, options)
    return next(_blocks(plan, plan.n_tasks))


def simulate_blocks(crowd: str = "confusion", *, block: int = 100_000, **settings: Any) -> Iterator[Crowd]:
    """The crowd of `simulate` with the same arguments, so many tasks at a time.

    All blocks have the same annotators and parameters. Their concatenation does not depend on
    the size of the blocks; only one block and one chunk of 65 536 tasks is held at a time.

    >>> parts = simulate_blocks("one-coin", n_tasks=250, block=100)
    >>> [part.labels.n_tasks for part in parts]
    [100, 100, 50]
    """
    whole("block", block, 1)
    own = {name: settings.pop(name) for name in list(settings) if name not in _DEFAULTS}
    plan = plan_for(crowd, {**_DEFAULTS, **settings}, own)
    return _blocks(plan, block)


_DEFAULTS = {name: value for name, value in (simulate.__kwdefaults__ or {}).items() if name != "crowd"}


def _blocks(plan: Plan, block: int) -> Iterator[Crowd]:
    held, chunk = -1, None
    for start in range(0, plan.n_tasks, block):
        end = min(start + block, plan.n_tasks)
        pieces = []
        for number in range(start // CHUNK, -(-end // CHUNK)):
            if number != held or chunk is None:
                held, chunk = number, plan.chunk(number)
            first = number * CHUNK
            pieces.append(chunk.cut(max(start - first, 0), min(end - first, CHUNK, plan.n_tasks - first)))
        yield crowd_of(plan, join(pieces), start)
