"""CMM, Table 3 and Figures 1 and 2: LabelMe with its annotators known, and every label its own annotator's."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial
from typing import Any

import numpy as np

import manyhands as mh
from manyhands import Annotations
from manyhands.metrics import annotator_confusions, js_divergence
from manyhands.networks import MLP

from .crowds import Featured, accuracy, featured
from .restarts import likeliest
from .table import Cell, Share, Table

__all__ = ["CROWDS", "TABLE", "fitted", "known", "pooled", "unnamed"]

KNOWN, NAMELESS = "labelme (individual)", "labelme (global)"
QUICK = 100
RESTARTS = 3
NETWORK = MLP((128,), standardize=False)

# Method, options, restarts, and how many rounds the paper has (its column "Iters"): known annotators, then not.
METHODS: dict[str, tuple[str, dict[str, Any], int, tuple[int, int]]] = {
    "CMM": ("cmm", {}, RESTARTS, (7, 7)),
    "CMM (50 rounds)": ("cmm", {}, RESTARTS, (50, 50)),
    "DL-EM": ("deep-em", {}, RESTARTS, (4, 3)),
    "DL-EM (soft start)": ("deep-em", {"start": "soft"}, RESTARTS, (4, 3)),
    "DL-EM (50 rounds)": ("deep-em", {}, RESTARTS, (50, 50)),
    "DL-DS": ("two-stage:dawid-skene", {}, 1, (11, 4)),
    "soft majority": ("two-stage", {}, 1, (9, 9)),
    "majority": ("two-stage", {"soft": False}, 1, (12, 12)),
    "ours": ("crowd-classifier", {}, 1, (50, 50)),
    "truth": ("two-stage", {}, 1, (8, 8)),
}
SHOWN = ("train", "test", "I-JS", "G-JS")
PAPER: dict[str, dict[str, tuple[float, ...]]] = {
    KNOWN: {
        "soft majority": (0.8332, 0.8169, 0.216, 0.024), "majority": (0.8034, 0.7995, 0.225, 0.035),
        "DL-DS": (0.8430, 0.8357, 0.153, 0.036), "DL-EM": (0.8518, 0.8307, 0.295, 0.259),
        "CMM": (0.8458, 0.8310, 0.234, 0.054), "truth": (0.9790, 0.9209),
    },
    NAMELESS: {"CMM": (0.8458, 0.8310), "DL-EM": (0.7802, 0.7592), "DL-DS": (0.1263, 0.1408)},
}  # fmt: skip


@cache
def known() -> Featured:
    """The averages of VGG's last block; the test split alone, as in the paper."""
    data = featured("labelme", tested="test")
    return data._replace(x=data.x[:, :512], test_x=data.test_x[:, :512])


@cache
def nameless() -> Featured:
    """The same, every label by an annotator of its own."""
    data = known()
    return data._replace(labels=unnamed(data.labels))


def unnamed(labels: Annotations) -> Annotations:
    """Who said what is not known: every label has an annotator of its own."""
    task, _, said = labels.rows
    assert labels.classes is not None
    return Annotations.from_arrays(task, np.arange(len(task)), said, classes=list(labels.classes))


CROWDS = {KNOWN: known, NAMELESS: nameless}


def fitted(crowd: str, system: str, seed: int, quick: bool) -> tuple[Any, Featured]:
    """The system on that crowd, and what it was fitted to."""
    data = CROWDS[crowd]().first(QUICK) if quick else CROWDS[crowd]()
    method, options, restarts, rounds = METHODS[system]
    options = options | {"epochs": rounds[crowd == NAMELESS]}
    if system != "ours":
        options["network"] = NETWORK
    if quick:
        options, restarts = options | {"epochs": 2}, 1
    one = partial(mh.method(method).make, **options)
    labels = data.told() if system == "truth" else data.labels
    return likeliest(lambda s: one(random_state=s), data.x, labels, seed, restarts), data


def _run(seed: int, quick: bool, *, crowd: str, system: str) -> Mapping[str, float]:
    model, data = fitted(crowd, system, seed, quick)
    right = model.predict_proba(data.x).argmax(axis=1) == data.truth
    found = {"train": float(right.mean()), "test": accuracy(model, data)}
    if system == "truth":
        return found
    real, learnt = annotator_confusions(data.labels, data.truth), model.channel_.confusions().numpy()
    if crowd == KNOWN:
        found["I-JS"] = float(np.nanmean([js_divergence(r, t) for r, t in zip(real, learnt, strict=True)]))
    return found | {"G-JS": js_divergence(real.sum(axis=0), pooled(model.channel_, data.labels))}


def pooled(channel: Any, labels: Annotations) -> np.ndarray:
    """The crowd's matrix as a system has it: the annotators', each by their labels."""
    if hasattr(channel, "overall_confusion"):
        overall: np.ndarray = channel.overall_confusion().numpy()
        return overall
    said = np.bincount(labels.annotator, minlength=labels.n_annotators)
    return np.asarray(np.einsum("j,jkl->kl", said / said.sum(), channel.confusions().numpy()))


def _cells(crowd: str) -> tuple[Cell, ...]:
    return tuple(
        Cell(
            crowd,
            name,
            partial(_run, crowd=crowd, system=name),
            dict(zip(SHOWN, PAPER[crowd].get(name, ()), strict=False)),
        )
        for name in METHODS
    )


TABLE = Table(
    "cmm-3",
    "CMM, Table 3: LabelMe, annotators known and not",
    _cells(KNOWN) + _cells(NAMELESS),
    SHOWN,
    "features are VGG-16's last block averaged over the picture (512), as they are. 128 ReLU, dropout .5, Adam 1e-3, batches of 64, M = 3, "
    f"rounds of one epoch, as many as the paper's column `Iters` has, and 50, its limit. {RESTARTS} restarts of CMM and DL-EM (the "
    "paper: 20), the likeliest kept. I-JS: real matrices of annotators against learnt ones, over rows that they met; G-JS: all labels "
    "pooled; bits a row, on training tasks. DL-EM as AggNet's code has it, and from the soft majority as this paper says. `ours` is "
    "`CrowdClassifier` as it comes.",
    share=Share("test"),
)
