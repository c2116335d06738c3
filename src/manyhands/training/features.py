"""Where the features of a batch come from: a matrix, a sparse matrix, or a Dataset larger than memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..errors import LabelError, ParameterError
from ..processes import gathered
from ..shard import Shard
from .vote_data import VoteData

__all__ = ["Features", "features_of"]

AT_ONCE = 2**23  # numbers of a chunk of rows, 32 MB: of pictures a few, of vectors thousands


class Features:
    """Rows of features by unit; dense rows are made a batch at a time.

    >>> features_of(np.eye(3)).rows(torch.tensor([2])).tolist()
    [[0.0, 0.0, 1.0]]
    """

    def __init__(self, source: Any, size: int, device: torch.device | str = "cpu"):
        self.source, self.size, self.device = source, size, torch.device(device)
        self.shard: Shard | None = None  # which of the tasks of all processes these are
        self.turn: Tensor | None = None  # of each unit in its batch, among the units of all processes

    _shape: tuple[int, ...] = ()  # of an item, where there is none to look at
    n_describing = 0  # how many of the last columns say which of a task's units a row is

    def __len__(self) -> int:
        return self.size

    def rows(self, units: Tensor) -> Tensor:
        """The features of these units."""
        if isinstance(self.source, Tensor):
            return self.source[units]
        if hasattr(self.source, "tocsr"):
            return torch.from_numpy(self.source[units.cpu().numpy()].toarray()).float().to(self.device)
        items = [_item(self.source, int(i)) for i in units]
        rows = torch.stack(items) if items else torch.zeros(0, *self.shape)
        if not torch.isfinite(rows).all():
            bad = int(units[int((~torch.isfinite(rows)).flatten(1).any(dim=1).nonzero()[0])])
            raise LabelError(f"features hold NaN or infinity in item {bad}: fill them in, or leave it out")
        return rows.to(self.device)

    def place(self, shard: Shard) -> None:
        """These are so many of the tasks of all processes: batches and samples are drawn from all. All take part."""
        self.shard = shard
        shapes = gathered(self.shape if self.size else None)
        self._shape = next((shape for shape in shapes if shape is not None), ())

    @property
    def units(self) -> Shard:
        """Where the units stand among all."""
        return Shard.whole(self.size) if self.shard is None else self.shard

    def batches(self, data: VoteData, size: int, generator: torch.Generator) -> Iterator[Tensor]:
        """Units in random order, `size` at a time; of the batches of all processes, the units that are here."""
        self.turn = torch.zeros(len(self), dtype=torch.int64)
        order = torch.randperm(self.units.total, generator=generator).numpy()
        for own, turn in self.units.cut(order, size):
            self.turn[own] = torch.from_numpy(turn)
            yield torch.from_numpy(own).to(self.device)

    @property
    def shape(self) -> tuple[int, ...]:
        """Of one row."""
        if isinstance(self.source, Tensor) or hasattr(self.source, "tocsr"):
            return tuple(self.source.shape[1:])
        return tuple(_item(self.source, 0).shape) if self.size else self._shape

    @property
    def of_task(self) -> tuple[int, ...]:
        """The shape of a task's own features, without what says which unit a row is."""
        return self.shape

    def at_once(self, most: int) -> int:
        """How many rows to hold at a time."""
        return max(1, min(most, AT_ONCE // max(int(np.prod(self.shape)), 1)))

    def all(self, size: int | None = None) -> Iterator[tuple[slice, Tensor]]:
        """All rows in order, `size` at a time: by default as many as fit in a little memory."""
        size = self.at_once(4096) if size is None else size
        for start in range(0, self.size, size):
            stop = min(start + size, self.size)
            yield slice(start, stop), self.rows(torch.arange(start, stop, device=self.device))

    def sample(self, most: int = 20_000) -> Tensor:
        """Some rows of all processes, enough for their mean and deviation: all when there are few."""
        if not isinstance(self.source, Tensor):
            most = self.at_once(most)
        units = self.units
        own = units.every(max(1, -(-units.total // most)))
        rows = self.rows(torch.from_numpy(own).to(self.device))
        if self.shard is None:
            return rows
        return torch.from_numpy(units.in_order(rows.cpu().numpy(), own)).to(self.device)


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


def _item(source: Any, i: int) -> Tensor:
    """One item of a Dataset, as numbers; of a pair (features, anything) the first."""
    item = source[i]
    return torch.as_tensor(item[0] if isinstance(item, (tuple, list)) else item).float()


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
