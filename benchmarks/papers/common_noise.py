"""CoNAL, Figures 6 and 7: a crowd with common noise, simulated as there; all systems on one network."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import manyhands as mh
from manyhands import Crowd
from manyhands.channels import Common
from manyhands.networks import MLP

from .crowds import Featured, accuracy
from .figures import keep
from .table import Cell, Share, Table
from .validation import ByEpoch

__all__ = ["TABLE", "curves"]

TASKS, TRAINED, TESTED = 10_000, 8_000, 9_000  # the last thousand is the test, the one before it validation
QUICK = 400
NETWORK = MLP((128,))
SETTINGS = {"epochs": 50, "batch_size": 1024, "learning_rate": 1e-2, "network": NETWORK}
JOINT = {
    "channel": Common(), "objective": "joint", "channel_learning_rate": None, "weight_decay": 0.0, "optimizer": "adam",
    "average": 0, "input_dropout": 0.0,
}  # fmt: skip
SYSTEMS: dict[str, tuple[str, dict[str, Any]]] = {
    "majority": ("two-stage", {"soft": False}),
    "crowd layer": ("crowd-layer", {}),
    "anno-reg": ("trace-regularised", {}),
    "GLAD": ("two-stage:glad", {}),
    "WC": ("two-stage:clustered-annotators", {}),
    "aggnet": ("deep-em", {}),
    "CoNAL": ("conal", {"epochs": 100}),
    "CoNAL (logit)": ("conal", {"mix": "logit", "epochs": 100}),
    "CoNAL (EM)": ("two-stage:common-noise", {}),
    "CoNAL (joint)": ("crowd-classifier", JOINT),
    "truth": ("two-stage", {}),
    "max-mig": ("max-mig", {}),
    "doctor-net": ("weighted-doctor-net", {"averaging_epochs": 2}),
}


class Noise(NamedTuple):
    """A point of the paper's sweeps; individual: the chance of the annotators' own wrong class."""

    pattern: str
    strength: float
    share: float
    individual: float = 0.3
    n_annotators: int = 30

    def __str__(self) -> str:
        name = f"{self.pattern} strength {self.strength:g} share {self.share:g}"
        own = "" if self.individual == 0.3 else f" own {self.individual:g}"
        return name + own + ("" if self.n_annotators == 30 else f" of {self.n_annotators}")


PATTERNS = ("asymmetric", "symmetric")
STRENGTHS = [(strength, 0.5) for strength in (0.6, 0.8, 0.4, 0.7, 0.5)]
SHARES = [(0.4, share) for share in (0.7, 0.0, 0.3, 0.6)]
SWEEPS = [Noise(pattern, *point) for point in STRENGTHS + SHARES for pattern in PATTERNS]
DRAWN = [Noise(pattern, 0.7, 0.5) for pattern in PATTERNS]
PRINTED = [Noise("asymmetric", strength, 0.5, 0.7) for strength in (0.4, 0.5, 0.6)]
MANY = [Noise(pattern, 0.6, 0.5, n_annotators=1000) for pattern in PATTERNS]


def _crowd(noise: Noise, seed: int, quick: bool) -> Crowd:
    return mh.simulate(
        "common", n_tasks=QUICK if quick else TASKS, n_annotators=noise.n_annotators, n_classes=6, redundancy=3,
        strength=noise.strength, share=noise.share, individual=noise.individual, pattern=noise.pattern, seed=seed,
    )  # fmt: skip


def _parts(crowd: Crowd) -> tuple[Featured, tuple[np.ndarray, np.ndarray]]:
    """What is trained on and tested, and what is for validation."""
    x, truth, n = crowd.features, crowd.truth, len(crowd.truth)
    assert x is not None
    first, last = n * TRAINED // TASKS, n * TESTED // TASKS
    data = Featured(x[:first], crowd.labels[:first], truth[:first], x[last:], truth[last:])
    return data, (x[first:last], truth[first:last])


def _run(seed: int, quick: bool, *, noise: Noise, system: str) -> Mapping[str, float]:
    crowd = _crowd(noise, seed, quick)
    data, valid = _parts(crowd)
    method, options = SYSTEMS[system]
    seen = ByEpoch(valid, (data.test_x, data.test_truth))
    settings = SETTINGS | options | ({"epochs": 2} if quick else {})
    model = mh.method(method).make(random_state=seed, callbacks=[seen], **settings)
    model.fit(data.x, data.told() if system == "truth" else data.labels)
    found = {"accuracy": seen.best, "last epoch": accuracy(model, data)}
    if method != "conal":
        return found
    if system == "CoNAL" and noise in DRAWN and seed == 0 and not quick:
        _picture(model, crowd, noise)
    return found | _recovered(model, crowd)


def _picture(model: Any, crowd: Crowd, noise: Noise) -> None:
    """The numbers of Figure 7: the common matrix and three annotators' own, learnt and real."""
    channel, real = model.channel_, crowd.parameters
    pairs = {"common": (channel.common_confusions()[0].numpy(), real["common"])}
    own = channel.individual_confusions().numpy()
    pairs |= {f"annotator {j + 1}": (own[j], real["individual"][j]) for j in range(3)}
    keep(
        f"conal-figure-7-{noise.pattern}",
        [
            {"annotator": name, "matrix": which, "truth": k, "label": m, "value": matrix[k, m]}
            for name, pair in pairs.items()
            for which, matrix in zip(("learnt", "real"), pair, strict=True)
            for k, m in np.ndindex(matrix.shape)
        ],
    )


def curves(rows: Iterable[Mapping[str, str]]) -> list[dict[str, Any]]:
    """Figure 6 from the table's rows: a point a system and a place of either sweep."""
    places = {str(noise): noise for noise in SWEEPS}
    found = []
    for row in rows:
        noise = places.get(row["data"])
        if noise is None or row["metric"] != "accuracy":
            continue
        point = {"system": row["system"], "pattern": noise.pattern, "accuracy": float(row["ours"])}
        if noise.share == 0.5:
            found.append(point | {"sweep": "strength", "value": noise.strength})
        if noise.strength == 0.4:
            found.append(point | {"sweep": "share", "value": noise.share})
    return found


def _recovered(model: Any, crowd: Crowd) -> dict[str, float]:
    """Figure 7: how far the matrices are from those that the labels were drawn from (mean absolute difference)."""
    channel, real = model.channel_, crowd.parameters
    learnt = {
        "common": channel.common_confusions()[0],
        "individual": channel.individual_confusions(),
        "confusions": channel.confusions(),
    }
    true = {"common": real["common"], "individual": real["individual"], "confusions": crowd.confusions}
    return {
        f"error of {name}": float(np.abs(found.numpy() - true[name]).mean()) for name, found in learnt.items()
    }


TABLE = Table(
    "conal-6",
    "CoNAL, Figure 6: common noise, simulated",
    tuple(
        Cell(str(noise), name, partial(_run, noise=noise, system=name), seeds=5)
        for noise in SWEEPS + PRINTED + MANY
        for name in SYSTEMS
    ),
    ("accuracy", "last epoch", "error of common", "error of confusions"),
    "the paper has curves and no numbers, and says neither means nor width of its Gaussians: here ten features, means standard normal, "
    "width one. Strength: the chance of the wrong class by common noise; share: the mean chance that a label is of it. An annotator's "
    "own noise is printed as of strength 0.7, and its annotators are called of high quality: here 0.7 is their chance of being right (own "
    "0.3), and as printed where `own 0.7` stands. 8000 tasks, three labels each, of 30 annotators; 1000 annotators is ours. One network, "
    "Adam at .01 (the paper searches .02, .01, .005), batches of 1024 (CoNAL's code) for all, 50 epochs, CoNAL 100 as in its code, "
    "length 20, lambda 1e-5. `accuracy` is of the epoch that 1000 validation truths prefer, as in the paper; `last epoch` knows "
    "no truth. CoNAL (logit) is its code's mixture; (EM) its appendix: labels by EM, then the network; (joint), ours, its channel with one "
    "truth a task.",
    share=Share("accuracy"),
    across="accuracy",
)
