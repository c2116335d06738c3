"""Where the features of a batch come from: a matrix, a sparse matrix, or a Dataset larger than memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..errors import LabelError, ParameterError

__all__ = ["Features", "features_of"]


class Features:
    """Rows of features by unit; dense rows are made a batch at a time.

    >>> features_of(np.eye(3)).rows(torch.tensor([2])).tolist()
    [[0.0, 0.0, 1.0]]
    """

    def __init__(self, source: Any, size: int, device: torch.device | str = "cpu"):
        self.source, self.size, self.device = source, size, torch.device(device)

    def __len__(self) -> int:
        return self.size

    def rows(self, units: Tensor) -> Tensor:
        """The features of these units."""
        if isinstance(self.source, Tensor):
            return self.source[units]
        if hasattr(self.source, "tocsr"):
            return torch.from_numpy(self.source[units.cpu().numpy()].toarray()).float().to(self.device)
        items = [self.source[int(i)] for i in units]
        return (
            torch.stack([torch.as_tensor(x[0] if isinstance(x, tuple) else x) for x in items])
            .float()
            .to(self.device)
        )

    def all(self, size: int = 4096) -> Iterator[tuple[slice, Tensor]]:
        """All rows in order, `size` at a time."""
        for start in range(0, self.size, size):
            stop = min(start + size, self.size)
            yield slice(start, stop), self.rows(torch.arange(start, stop, device=self.device))

    def sample(self, most: int = 20_000) -> Tensor:
        """Some rows, enough for their mean and deviation: all when there are few."""
        step = max(1, self.size // most)
        return self.rows(torch.arange(0, self.size, step, device=self.device))


def features_of(x: Any, device: torch.device | str = "cpu") -> Features:
    """Features from an array, a sparse matrix, a tensor or a Dataset, checked for NaN."""
    if isinstance(x, Features):
        return x
    if hasattr(x, "tocsr"):
        _refuse_gaps(x.data, None)
        return Features(x.tocsr(), x.shape[0], device)
    if hasattr(x, "__getitem__") and hasattr(x, "__len__") and not isinstance(x, (list, tuple, np.ndarray, Tensor)) \
            and not hasattr(x, "to_numpy"):  # fmt: skip
        return Features(x, len(x), device)
    array = x.detach().cpu().numpy() if isinstance(x, Tensor) else np.asarray(x)
    if array.ndim < 2:
        raise ParameterError(
            f"features have shape {array.shape}; give one row a task, such as X.reshape(-1, 1)"
        )
    if array.dtype.kind not in "iufb":
        raise ParameterError(f"features are of type {array.dtype}; give numbers")
    array = np.ascontiguousarray(array, dtype=np.float32)
    if not array.flags.writeable:  # torch would warn, and could be made to write
        array = array.copy()
    _refuse_gaps(array, array)
    return Features(torch.from_numpy(array).to(device), len(array), device)


def _refuse_gaps(values: np.ndarray, array: np.ndarray | None) -> None:
    if np.isfinite(values).all():
        return
    place = (
        ""
        if array is None
        else f" in row {int(np.flatnonzero(~np.isfinite(array).reshape(len(array), -1).all(1))[0])}"
    )
    raise LabelError(
        f"features hold NaN or infinity{place}: fill them in, for example with sklearn's SimpleImputer"
    )
