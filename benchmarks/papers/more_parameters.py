"""CoNAL, Table 3: a crowd layer with twice the parameters, against CoNAL with hardly more than one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from torch import Tensor

from manyhands.channels import CrowdLayer, Sizes
from manyhands.channels.batch import Batch
from manyhands.channels.crowd_layer import CrowdLayerModule

from .common_confusions import CONAL, LABELME, MUSIC, trained
from .crowds import accuracy
from .table import Cell, Table

__all__ = ["TABLE", "TwoLayers"]


@dataclass(frozen=True)
class TwoLayers:
    """The crowd layer (MW) twice, both of every annotator's own; between: a softmax after the first as well."""

    between: bool = True

    def build(self, sizes: Sizes) -> TwoLayersModule:
        """The torch module to train."""
        return TwoLayersModule(self.between, sizes)


class TwoLayersModule(CrowdLayerModule):
    """What the first layer makes of the network's chances goes to the second."""

    def __init__(self, between: bool, sizes: Sizes):
        super().__init__(CrowdLayer(), sizes)
        self.between, self.second = between, CrowdLayerModule(CrowdLayer(), sizes)

    def log_label(self, log_truth: Tensor, batch: Batch) -> Tensor:
        """Of the second layer."""
        first = self._map(log_truth.exp()[batch.unit], batch.annotator)
        if self.between:
            first = first.softmax(dim=1)
        said = self.second._map(first, batch.annotator).log_softmax(dim=1)
        return said.gather(1, batch.label[:, None]).squeeze(1)


SYSTEMS: dict[str, tuple[str, dict[str, Any], tuple[float, float]]] = {
    "crowd layer": ("crowd-layer", {}, (0.8327, 0.8146)),
    "crowd layer twice": ("crowd-classifier", {"channel": TwoLayers(between=False)}, (0.8234, 0.8047)),
    "crowd layer twice (two softmaxes)": ("crowd-classifier", {"channel": TwoLayers()}, (0.8234, 0.8047)),
    "CoNAL": ("conal", {}, (0.8712, 0.8406)),
}
# What `CrowdLayer` sets, for the general estimator with the doubled channel.
TWICE = {
    "objective": "marginal", "channel_learning_rate": None, "batch_size": 64,
    "weight_decay": 0.0, "optimizer": "adam", "average": 0, "input_dropout": 0.0,
}  # fmt: skip


def _run(seed: int, quick: bool, *, crowd: str, system: str) -> Mapping[str, float]:
    method, options, _ = SYSTEMS[system]
    options = options | (CONAL[crowd] if method == "conal" else {})
    options = options | (TWICE if method == "crowd-classifier" else {})
    model, data, seen = trained(crowd, method, options, seed, quick)
    n = sum(weight.numel() for name, weight in model.channel_.named_parameters() if "gate" not in name)
    return {"accuracy": accuracy(model, data), "best epoch": seen.best, "parameters": n}


TABLE = Table(
    "conal-3",
    "CoNAL, Table 3: more parameters",
    tuple(
        Cell(crowd, name, partial(_run, crowd=crowd, system=name), {"accuracy": SYSTEMS[name][2][place]}, 10)
        for place, crowd in enumerate((LABELME, MUSIC))
        for name in SYSTEMS
    ),
    ("accuracy", "best epoch", "parameters"),
    "as Table 1. Parameters: of the matrices. The paper adds `another softmax layer`: read as W V f under one softmax, and as a softmax "
    "after each, which from the identity starts so flat that little is learnt.",
)
