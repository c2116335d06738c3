"""CMM, Table 4 and Figure 1: the groups that it finds in LabelMe."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial

import numpy as np

from manyhands.metrics import annotator_confusions, js_divergence

from .anonymous_labels import fitted
from .figures import keep
from .table import Cell, Table

__all__ = ["TABLE"]

CROWD = "labelme (individual)"
SHOWN = ("share", "likeness to the identity", "entropy")
PAPER = ((0.99, 0.91, 0.48), (0.01, 0.02, 2.08), (0.00, 0.03, 2.08))


@cache
def _groups(seed: int, quick: bool) -> tuple[np.ndarray, np.ndarray]:
    """Shares and matrices, the largest group first."""
    model, data = fitted(CROWD, "CMM", seed, quick)
    shares, matrices = model.channel_.group_shares().numpy(), model.channel_.group_confusions().numpy()
    order = np.argsort(-shares)
    if seed == 0 and not quick:
        real = annotator_confusions(data.labels, data.truth).sum(axis=0)
        drawn = {f"group {g + 1}": matrices[m] for g, m in enumerate(order)}
        drawn["crowd"] = model.channel_.overall_confusion().numpy()
        drawn["crowd, real"] = real / real.sum(axis=1, keepdims=True)
        keep(
            "cmm-figure-1",
            [
                {"annotator": name, "matrix": "CMM", "truth": k, "label": m, "value": matrix[k, m]}
                for name, matrix in drawn.items()
                for k, m in np.ndindex(matrix.shape)
            ],
        )
    return shares[order], matrices[order]


def _run(seed: int, quick: bool, *, group: int) -> Mapping[str, float]:
    shares, matrices = _groups(seed, quick)
    matrix = matrices[group]
    entropy = float(-(matrix * np.log(np.maximum(matrix, 1e-12))).sum(axis=1).mean())
    return {
        "share": shares[group],
        "likeness to the identity": 1 - js_divergence(np.eye(len(matrix)), matrix),
        "entropy": entropy,
    }


TABLE = Table(
    "cmm-4",
    "CMM, Table 4: its groups on LabelMe",
    tuple(
        Cell("labelme", f"group {g + 1}", partial(_run, group=g), dict(zip(SHOWN, PAPER[g], strict=True)), 10)
        for g in range(len(PAPER))
    ),
    SHOWN,
    "as Table 3. Only the shares' mean of the matrices is known from labels (`Groups`): which groups make it up is what k-means began "
    "with, so these figures are of the start. Likeness: 1 - Jensen-Shannon divergence; entropy: of rows, nats (2.08: ln 8).",
)
