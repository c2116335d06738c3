"""How fast memory lets any EM over confusion matrices be: its two sums alone, its reads alone.

The sums: both calls of embedding_bag, as in an iteration, and nothing else. The reads: the rows of
both sums, in the order of the units and in that of the cells, summed into one row a thread, so that
nothing is written. The sums may be the quicker of the two: they read the posterior a block of units
at a time, which stays in a cache.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import embedding_bag

import manyhands as mh
from manyhands.channels import Incidence, votes_of

__all__ = ["bound"]

REPEATS = 10


def bound(labels: str, threads: int) -> dict[str, float]:
    """CPU and wall seconds of the sums and of the reads, the least of ten."""
    torch.set_num_threads(threads)
    table = mh.read(labels)
    votes = votes_of(table)
    incidence = Incidence(votes)
    generator = torch.Generator().manual_seed(0)
    rows = torch.rand(incidence.n_cells, votes.n_classes, generator=generator)
    posterior = torch.rand(votes.n_units, votes.n_classes, generator=generator)

    def sums() -> None:
        for _ in incidence.to_units(rows):
            pass
        incidence.to_cells(posterior)

    edges = torch.linspace(0, len(votes.unit), threads + 1).to(torch.int32)
    units_by_cell = torch.from_numpy(votes.unit)[torch.argsort(incidence.cells, stable=True)].to(torch.int32)

    def reads() -> None:
        for index, source in ((incidence.cells, rows), (units_by_cell, posterior)):
            _one_row_each(index, source, edges)

    return {
        f"{name}_{kind}": s for name, f in (("sums", sums), ("reads", reads)) for kind, s in _least(f).items()
    }


def _one_row_each(index: Tensor, source: Tensor, edges: Tensor) -> Tensor:
    return embedding_bag(index, source, edges, mode="sum", include_last_offset=True)


def _least(work: Callable[[], None]) -> dict[str, float]:
    cpu, wall = [], []
    for _ in range(REPEATS):
        a, b = time.process_time(), time.perf_counter()
        work()
        cpu.append(time.process_time() - a)
        wall.append(time.perf_counter() - b)
    return {"cpu": min(cpu), "wall": min(wall)}


def main() -> None:
    job: dict[str, Any] = json.loads(sys.argv[1])
    print(json.dumps(bound(**job)))


if __name__ == "__main__":
    main()
