"""CoNAL, Table 2: how strongly common and individual matrices are kept apart."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from .common_confusions import CONAL, LABELME, MUSIC, trained
from .crowds import accuracy
from .table import Cell, Table

__all__ = ["TABLE"]

PAPER = {
    LABELME: {0.0: 0.8568, 1e-4: 0.8661, 1e-5: 0.8712, 1e-6: 0.8626},
    MUSIC: {0.0: 0.8214, 1e-4: 0.8352, 1e-5: 0.8406, 1e-6: 0.8298},
}


def _run(seed: int, quick: bool, *, crowd: str, apart: float) -> Mapping[str, float]:
    model, data, seen = trained(crowd, "conal", CONAL[crowd] | {"apart": apart}, seed, quick)
    common, own = model.channel_.common_confusions(), model.channel_.individual_confusions()
    return {
        "accuracy": accuracy(model, data),
        "best epoch": seen.best,
        "apart": float((own - common).abs().mean()),
    }


TABLE = Table(
    "conal-2",
    "CoNAL, Table 2: lambda",
    tuple(
        Cell(crowd, f"lambda {apart:g}", partial(_run, crowd=crowd, apart=apart), {"accuracy": paper}, 10)
        for crowd, row in PAPER.items()
        for apart, paper in row.items()
    ),
    ("accuracy", "best epoch", "apart"),
    "as Table 1. Apart: the mean absolute difference of the annotators' matrices and the common one.",
)
