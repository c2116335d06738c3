"""Tables that Ray Data reads and divides by task, where they lie."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..annotations.hashing import shard_of
from ..errors import ParameterError
from ..processes import rank

__all__ = ["own_frames", "parts_of"]

READERS = {"parquet": "read_parquet", "csv": "read_csv", "jsonl": "read_json", "json": "read_json"}
SHARD = "manyhands_shard"


def parts_of(source: Any, by: str, workers: int) -> list[Any]:
    """A dataset a worker, of the rows whose task is its own. The table is read once, into the cluster's memory."""
    whole = source if hasattr(source, "map_batches") else _read(source)
    if by not in whole.columns():
        raise ParameterError(f"by={by!r} is none of the columns {whole.columns()}")

    def marked(table: Any) -> Any:
        return table.append_column(SHARD, [shard_of(_names(table[by]), workers)])

    known = whole.map_batches(marked, batch_format="pyarrow", zero_copy_batch=True).materialize()
    return [
        known.map_batches(_of_shard, fn_args=[worker], batch_format="pyarrow", zero_copy_batch=True)
        for worker in range(workers)
    ]


def own_frames(names: Sequence[str]) -> dict[str, Any]:
    """In a worker: its part of each table, as a polars frame."""
    import polars as pl
    import pyarrow as pa
    from ray.train import get_dataset_shard

    found = {}
    for name in names:
        batches = get_dataset_shard(f"{name}-{rank()}").iter_batches(batch_size=None, batch_format="pyarrow")
        frame = pl.DataFrame(pl.from_arrow(pa.concat_tables(batches)))
        found[name] = frame.drop(SHARD)
    return found


def _of_shard(table: Any, worker: int) -> Any:
    import pyarrow.compute as pc

    return table.filter(pc.equal(table[SHARD], worker))


def _names(column: Any) -> Any:
    import polars as pl

    return pl.Series(pl.from_arrow(column))


def _read(source: Any) -> Any:
    import ray.data

    paths = [str(path) for path in ([source] if not isinstance(source, (list, tuple)) else source)]
    form = next((form for form in READERS if paths[0].removesuffix(".gz").endswith(f".{form}")), "parquet")
    return getattr(ray.data, READERS[form])(paths)
