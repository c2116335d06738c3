"""Models to be trained by one process and by several, without dropout, and the crowds that they learn from."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import manyhands as mh
from manyhands import channels, networks, processes
from manyhands.channels import sparse

Case = tuple[Callable[[], Any], str, bool]  # the model, its crowd, and whether tables have sparse gradients

MLP = networks.MLP((16,), dropout=0.0)
PLAIN = {"epochs": 6, "random_state": 1, "batch_size": 24}
FREE = {**PLAIN, "input_dropout": 0.0}
CLASSES = {"n_tasks": 180, "n_annotators": 9, "n_features": 4, "redundancy": (1, 5), "seed": 3}


def _case(
    make: Callable[..., Any], *args: Any, crowd: str = "classes", rows: bool = False, **options: Any
) -> Case:
    return partial(make, *args, **options), crowd, rows


CASES: dict[str, Case] = {
    "default": _case(mh.CrowdClassifier, networks.SkipMLP((16,), dropout=0.0), input_dropout=0.0, epochs=6),
    "speelfc": _case(mh.SpeeLFC, MLP, **PLAIN),
    "cmm": _case(mh.CMM, MLP, **PLAIN),
    "conal": _case(mh.CoNAL, MLP, apart=1e-3, **PLAIN),
    "cmm-annotators": _case(mh.CMM, MLP, per="annotator", **PLAIN),
    "cmm-gated": _case(mh.CMM, MLP, "marginal", gate="features", smoothing=1.0, **PLAIN),
    "conal-logit": _case(mh.CoNAL, MLP, mix="logit", n_groups=2, **PLAIN),
    "conal-sparse": _case(mh.CoNAL, MLP, apart=1e-3, rows=True, **PLAIN),
    "default-sparse": _case(mh.CrowdClassifier, MLP, majority_epochs=1, rows=True, **FREE),
    "deep-em": _case(mh.DeepEM, MLP, **PLAIN),
    "lia": _case(mh.LIA, MLP, hidden=(8,), rounds=2, steps=20, fine_tuning=10, random_state=1),
    "crowd-layer": _case(mh.CrowdLayer, MLP, majority_epochs=2, **PLAIN),
    "trace": _case(mh.TraceRegularised, MLP, **PLAIN),
    "two-stage": _case(mh.TwoStage, MLP, aggregator="majority", **PLAIN),
    "held-out": _case(mh.CrowdClassifier, MLP, channels.OneCoin(), validation_fraction=0.2, patience=2, **FREE),
    "ordinal": _case(mh.CrowdClassifier, MLP, channels.Ordinal(), "em", **FREE),
    "sets": _case(mh.CrowdClassifier, MLP, crowd="sets", **FREE),
    "numbers": _case(mh.CrowdRegressor, MLP, crowd="numbers", **FREE),
    "numbers-em": _case(mh.CrowdRegressor, MLP, None, "em", crowd="numbers", **FREE),
    "tags": _case(
        mh.CrowdTagger, networks.Tagger(dim=8, filters=8, hidden=6, dropout=0.0), crowd="tags", **PLAIN
    ),
}  # fmt: skip
ASKED = ("default", "speelfc", "cmm", "conal")


def crowd(kind: str) -> tuple[Any, Any]:
    """Features and labels."""
    if kind == "tags":
        made = mh.simulate("tags", n_tasks=60, n_annotators=6, n_classes=2, redundancy=3, seed=3)
        return [
            [f"w{3 * t + u % 7}" for u in range(n)] for t, n in enumerate(np.diff(made.labels.unit_offsets))
        ], made.labels
    if kind == "classes":
        made = mh.simulate("confusion", n_classes=3, **CLASSES)
    else:
        made = mh.simulate(kind, **{**CLASSES, "n_features": 0})
        rng = np.random.default_rng(0)
        return rng.normal(size=(made.labels.n_tasks, 4)).astype(np.float32), made.labels
    return made.features, made.labels


def shard_of(n: int, how: str) -> np.ndarray:
    """Which of n tasks this process has: blocks of uneven length, by turns, or with none at the last process."""
    size, rank = processes.size(), processes.rank()
    if how == "blocks":
        cuts = np.round(np.linspace(0, 1, size + 1) ** 2 * n).astype(int)
        return np.arange(cuts[rank], cuts[rank + 1])
    if how == "empty" and size > 1:
        size -= 1
    return np.arange(n)[np.arange(n) % size == rank]


def trained(name: str, how: str) -> dict[str, Any]:
    """What a model says that was fitted on this process's shard: of all tasks, and of its own."""
    make, kind, rows = CASES[name]
    sparse.SPARSE_FROM, before = 0 if rows else sparse.SPARSE_FROM, sparse.SPARSE_FROM
    X, labels = crowd(kind)
    mine = shard_of(labels.n_tasks, how)
    own = [X[i] for i in mine] if isinstance(X, list) else X[mine]
    model = make().fit(own, labels[mine], places=None if how == "blocks" else mine)
    sparse.SPARSE_FROM = before
    said = model.predict(X) if kind == "numbers" else model.predict_proba(X)
    return {
        "said": np.concatenate(said) if isinstance(said, list) else np.asarray(said), "mine": mine,
        "consensus": model.result_.consensus(), "losses": [entry["loss"] for entry in model.history_],
        "sparse": any(getattr(m, "sparse", False) for m in model.channel_.modules()),
    }  # fmt: skip


def all_trained(names: tuple[str, ...], how: str) -> dict[str, Any]:
    """Of these models, one after the other."""
    return {name: trained(name, how) for name in names}
