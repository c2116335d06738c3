"""One fit of ours in a fresh process: a job as JSON in, one JSON line out."""

from __future__ import annotations

import json
import sys
import time
import warnings
from typing import Any

from benchmarks.measure import Laps, peak_mb


def fit(
    labels: str, truth: str | None, method: str, iterations: int, threads: int, settings: dict[str, Any]
) -> dict[str, Any]:
    """Read a table, fit, and say what each step cost."""
    import numpy as np
    import torch

    from manyhands import method as named
    from manyhands import models, read  # noqa: F401  # what models stand on counts as bare
    from manyhands.errors import ConvergenceWarning

    warnings.simplefilter("ignore", ConvergenceWarning)
    torch.set_num_threads(threads)
    bare, start = peak_mb(), time.process_time()
    table = read(labels)
    read_cpu, loaded = time.process_time() - start, peak_mb()
    laps = Laps()
    model = named(method).make(max_iter=iterations, tol=0.0, callback=laps.take, **settings)
    start = time.process_time()
    model.fit(table)
    spent = time.process_time() - start
    answer = {
        "iteration_cpu": min(laps.cpu), "iteration_wall": min(laps.wall), "iterations": len(laps.cpu) + 2,
        "read_cpu": read_cpu, "fit_cpu": spent, "bare_mb": bare, "loaded_mb": loaded, "peak_mb": peak_mb(),
        "labels": table.n_answers,
    }  # fmt: skip
    if truth is not None:
        known = np.load(truth)[np.array(table.tasks.to_list(), dtype=np.int64)]
        answer["accuracy"] = float((model.predict().astype(np.int64) == known).mean())
    return answer


def main() -> None:
    print(json.dumps(fit(**json.loads(sys.argv[1]))))


if __name__ == "__main__":
    main()
