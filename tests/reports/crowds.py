"""Crowds whose reports are looked at."""

from __future__ import annotations

import numpy as np
from benchmarks.worth import drifting_crowd

import manyhands as mh
from manyhands import Annotations

EVIL = '</script><script>window.hacked = 1</script><img src=x onerror="window.hacked = 2">'


def classes(seed: int = 0, n_tasks: int = 300, **options: object) -> mh.Result:
    """A crowd of classes, aggregated."""
    crowd = mh.simulate("confusion", n_tasks=n_tasks, n_annotators=30, n_classes=3, seed=seed, **options)
    return mh.DawidSkene(shared=10.0).fit(crowd.labels).result_


def numbers() -> mh.Result:
    """Ten people who rate; the first squeezes the scale to half, the second adds one."""
    rng = np.random.default_rng(0)
    truth = rng.normal(0, 2, 200)
    said = truth[:, None] + rng.normal(0, 0.3, (200, 10))
    said[:, 0] = truth * 0.5 + rng.normal(0, 0.1, 200)
    said[:, 1] += 1
    return mh.PrecisionWeighted().fit(Annotations.from_matrix(said, kind="number")).result_


def tags() -> mh.Result:
    """Two sentences; of the first one name is disputed, of the second nothing."""
    labels = Annotations.from_dict(
        {
            "s1": {"ann": ["O", "B-PER", "I-PER", "O"], "bob": ["O", "B-PER", "O", "O"], "cid": ["O", "B-PER", "I-PER", "O"]},
            "s2": {"ann": ["B-LOC", "O"], "bob": ["B-LOC", "O"]},
        }
    )  # fmt: skip
    return mh.MajorityVote().fit(labels).result_


def sets() -> mh.Result:
    """Subsets of two labels."""
    answers = {f"t{i}": {"ann": ["red"], "bob": ["red", "big"][: 1 + i % 2], "cid": []} for i in range(12)}
    return mh.MajorityVote().fit(Annotations.from_dict(answers, kind="set")).result_


def evil() -> mh.Result:
    """Names that would run as code if a page took them as they are."""
    answers = {
        f"task {i} {EVIL}": {f"{EVIL} & \"ann\" '{j}'": (EVIL, "plain")[(i + j) % 2] for j in range(4)}
        for i in range(6)
    }
    return mh.DawidSkene(shared=1.0).fit(Annotations.from_dict(answers)).result_


def suspects() -> mh.Result:
    """Ten of forty fall, two are one person, and every name would run as code."""
    labels, _ = drifting_crowd(300, 0.4, 0)
    said, by = labels.answers.values.astype(int).copy(), {}
    for row, (task, who) in enumerate(zip(labels.task.tolist(), labels.annotator.tolist(), strict=True)):
        by[task, who] = row
    for (task, who), row in by.items():
        if who == 20 and (task, 21) in by:
            said[by[task, 21]] = said[row]
    names = [f"{EVIL} {j}" for j in labels.annotator]
    table = Annotations.from_arrays(labels.task, names, said, columns=dict(labels.columns))
    return mh.DawidSkene(shared=10.0).fit(table).result_
