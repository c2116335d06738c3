"""One fit of many labels in this process, or as one of several under torchrun: a job as JSON in, one JSON line out."""

from __future__ import annotations

import json
import os
import resource
import sys
import time
import warnings
from pathlib import Path
from typing import Any

from benchmarks.measure import Laps, peak_mb


class Crossing:
    """Seconds that sums take on their way between processes, waiting for the slower one included."""

    def __init__(self) -> None:
        from manyhands import processes

        self.seconds, self.bytes, self._add_up = 0.0, 0, processes.add_up
        processes.add_up = self

    def __call__(self, *tensors: Any) -> None:
        """As `processes.add_up`, and the clock is read."""
        start = time.perf_counter()
        self._add_up(*tensors)
        self.seconds += time.perf_counter() - start
        self.bytes += sum(tensor.nbytes for tensor in tensors)


def fit(folder: str, memory: str | None, iterations: int, threads: int, out: str | None) -> dict[str, Any]:
    """Read, fit Dawid-Skene, write; what each step cost, and what it held."""
    import torch

    from manyhands import DawidSkene
    from manyhands.errors import ConvergenceWarning
    from manyhands.processes import gathered, joined, rank, size

    warnings.simplefilter("ignore", ConvergenceWarning)
    torch.set_num_threads(threads)
    bare = peak_mb()
    with joined():
        crossing, start = Crossing(), time.perf_counter()
        table = _whole(folder) if memory is None else _blocks(folder, memory, out)
        read = time.perf_counter() - start
        laps, start = Laps(), time.perf_counter()
        marks: list[tuple[float, int]] = []

        def lap(step: int, objective: float) -> None:
            laps.take(step, objective)
            marks.append((crossing.seconds, crossing.bytes))

        result = DawidSkene(max_iter=iterations, tol=0.0, callback=lap).fit(table).result_
        fitted, start = time.perf_counter() - start, time.perf_counter()
        scratch = _size(table.scratch) if memory is not None else 0
        if out is not None and memory is not None:
            result.write(out)
        written = time.perf_counter() - start
        own = {
            "labels": table.n_answers, "tasks": table.n_tasks, "blocks": getattr(table, "n_blocks", 1), "read_s": read,
            "fit_s": fitted, "write_s": written, "iteration_s": min(laps.wall), "iteration_cpu": min(laps.cpu),
            "mean_s": sum(laps.wall) / len(laps.wall), "bare_mb": bare, "peak_mb": peak_mb(), "scratch": scratch,
            "crossing_s": (marks[-1][0] - marks[0][0]) / max(len(marks) - 1, 1),
            "crossing_bytes": (marks[-1][1] - marks[0][1]) // max(len(marks) - 1, 1),
            "annotators": table.n_annotators, "objective": result.history[-1]["objective"],
            "major_faults": resource.getrusage(resource.RUSAGE_SELF).ru_majflt,
        }  # fmt: skip
        everybody = gathered(own)
        return {"rank": rank(), "processes": size(), "threads": threads, "everybody": everybody}


def _whole(folder: str) -> Any:
    """The share of the part files of this process, which are by task, in memory."""
    from manyhands import Annotations, read
    from manyhands.processes import rank, size

    files = sorted(Path(folder).glob("*.parquet"))[rank() :: size()]
    return Annotations.concat([read(file) for file in files]) if len(files) > 1 else read(files[0])


def _blocks(folder: str, memory: str, out: str | None) -> Any:
    from manyhands import Blocks

    if out is not None:
        Path(out).mkdir(parents=True, exist_ok=True)
    return Blocks(folder, memory=memory, sharded=True, scratch=out)


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def main() -> None:
    answer = fit(**json.loads(os.environ.get("SCALE_JOB") or sys.argv[1]))
    if answer["rank"] == 0:
        print(json.dumps(answer))


if __name__ == "__main__":
    main()
