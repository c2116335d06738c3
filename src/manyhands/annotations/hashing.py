"""A number for every id that is the same in every process, on every machine and in every version."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from zlib import crc32

import numpy as np
import polars as pl

from .names import Names

__all__ = ["id_hash", "mixed", "shard_of"]


def id_hash(ids: Names | pl.Series | Iterable[Any]) -> np.ndarray:
    """A 64-bit hash of each id, as uint64; Python's and polars' own differ from run to run or host to host.

    Integers by their value, anything else by its text (a CRC, so about 32 bits of it).

    >>> id_hash(["t1", "t2"]).tolist() == id_hash(Names(["t1", "t2"])).tolist()
    True
    >>> id_hash([1, 2]).tolist()
    [10451216379200822465, 10905525725756348110]
    """
    series = (
        ids.to_series() if isinstance(ids, Names) else ids if isinstance(ids, pl.Series) else pl.Series(ids)
    )
    if series.dtype.is_integer():
        return mixed(series.cast(pl.Int64).to_numpy().view(np.uint64))
    texts = series.cast(pl.String).cast(pl.Binary).to_list()
    return mixed(np.fromiter(map(crc32, texts), np.uint64, len(texts)))


def shard_of(ids: Names | pl.Series | Iterable[Any], n_shards: int) -> np.ndarray:
    """Which of so many shards each task belongs to.

    >>> shard_of(["t1", "t2", "t3"], 2).tolist()
    [1, 0, 0]
    """
    return ((id_hash(ids) >> np.uint64(33)) % np.uint64(max(n_shards, 1))).astype(np.int64)


def mixed(values: np.ndarray) -> np.ndarray:
    """Splitmix64's last step: numbers near each other come out far apart."""
    with np.errstate(over="ignore"):
        x = values + np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return x ^ (x >> np.uint64(31))
