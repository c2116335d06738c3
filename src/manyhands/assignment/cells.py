"""A ceiling on what any answer adds, without asking about every pair: tasks alike are judged together."""

from __future__ import annotations

import numpy as np

from .information import TINY, blocks, information

__all__ = ["cell_ceiling"]

MOST_CELLS = 20_000


def cell_ceiling(chances: np.ndarray, table: np.ndarray, cost: np.ndarray) -> np.ndarray:
    r"""$\max_j I(q_i; T_j) / c_j$ from above, [units].

    I is concave in q, so at any centre c its tangent is above it: $I(q) \le \sum_k q_k D(T_k \| cT)$,
    and $I(q) \le I(c) + r (\max_k D_k - \min_k D_k)$ where q is within r of c in total variation.
    Units are put in cells by rounding q; the cell's mean is c.

    >>> table = np.array([[[0.9, 0.1], [0.2, 0.8]]])
    >>> chances = np.array([[0.5, 0.5], [0.5, 0.5], [0.9, 0.1]])
    >>> bool((cell_ceiling(chances, table, np.ones(1)) >= information(chances, table)[:, 0] - 1e-12).all())
    True
    """
    cell, sizes = _cells(chances)
    if len(sizes) > MOST_CELLS:
        return np.full(len(chances), np.inf)
    centre = np.stack([np.bincount(cell, chances[:, k], len(sizes)) for k in range(chances.shape[1])], axis=1)
    centre = centre / sizes[:, None]
    radius = np.zeros(len(sizes))
    np.maximum.at(radius, cell, 0.5 * np.abs(chances - centre[cell]).sum(axis=1))
    return _of_cells(centre, radius, table, cost)[cell]


def _cells(chances: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The cell of each unit, and the sizes of the cells; fewer grains for more classes."""
    n_classes = chances.shape[1]
    grains = {1: 1, 2: 1024, 3: 64, 4: 24, 5: 16}.get(n_classes, 8)
    rounded = np.rint(chances[:, :-1] * grains).astype(np.int64)
    code = np.zeros(len(chances), dtype=np.int64)
    for k in range(n_classes - 1):
        code = code * (grains + 1) + rounded[:, k]  # beyond 2^63 it wraps: cells are then larger, not wrong
    _, cell, sizes = np.unique(code, return_inverse=True, return_counts=True)
    return cell.reshape(-1), sizes


def _of_cells(centre: np.ndarray, radius: np.ndarray, table: np.ndarray, cost: np.ndarray) -> np.ndarray:
    best = np.empty(len(centre))
    noise = (table * np.log(np.maximum(table, TINY))).sum(axis=2)  # [annotators, classes]
    for part in blocks(len(centre), table.size):
        label = np.einsum("ck,jkl->cjl", centre[part], table)
        far = noise - np.einsum("jkl,cjl->cjk", table, np.log(np.maximum(label, TINY)))
        slope = far.max(axis=2) - far.min(axis=2)
        found = information(centre[part], table) + radius[part, None] * slope
        best[part] = (found / cost).max(axis=1, initial=0.0)
    return best
