"""Network training with very many annotators: memory and step time, sparse against dense channel tables.

    python -m benchmarks.many_annotators                     # 10^4, 10^5, 10^6 annotators, 10 classes
    python -m benchmarks.many_annotators --annotators 1000000 --steps 10

Each row is a process of its own: a matrix of 10 x 10 an annotator (channel Confusion), a linear network on 20
features, batches of 1024 tasks with 5 answers each; AdamW, on sparse tables SparseAdam. The time is
CPU time of the median step; the memory is the most that was held, less that before the model was made.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time

from .measure import peak_mb
from .tables import publish

CLASSES, FEATURES, TASKS, BATCH, ANSWERS = 10, 20, 20_480, 1024, 5
NOTES = """
A dense table asks the optimiser for every annotator at every step, a sparse one for those in the batch. The moments
of Adam are as large as the table in both. manyhands takes sparse tables above 10^6 numbers (`channels/sparse.py`).
Several processes sum dense gradients of the whole table (so many MB a step), sparse ones of the rows in the batch.
"""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--annotators", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--one", nargs=2, metavar=("N", "TABLE"), help="measure this and print JSON")
    given = parser.parse_args()
    if given.one:
        print(json.dumps(measured(int(given.one[0]), given.one[1] == "sparse", given.steps)))
        return
    rows = [row(n, table, given.steps) for n in given.annotators for table in ("dense", "sparse")]
    publish("many-annotators", "Training with many annotators, 10 classes", rows, notes=NOTES)


def row(n: int, table: str, steps: int) -> dict[str, object]:
    """One measurement, in a process of its own."""
    command = [
        sys.executable,
        "-m",
        "benchmarks.many_annotators",
        "--one",
        str(n),
        table,
        "--steps",
        str(steps),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    return {"annotators": n, "table": table, **found}


def measured(n_annotators: int, is_sparse: bool, steps: int) -> dict[str, float]:
    """Median CPU time of a step, peak memory, and what a step of several processes sends."""
    import numpy as np
    import torch

    from manyhands.channels import Confusion, Sizes, Votes, sparse
    from manyhands.networks import Linear, build_network
    from manyhands.objectives.objective import objective_named
    from manyhands.training.features import features_of
    from manyhands.training.learner import Learner
    from manyhands.training.settings import Settings

    torch.set_num_threads(1)
    torch.manual_seed(0)
    sparse.SPARSE_FROM = 0 if is_sparse else sys.maxsize
    rng = np.random.default_rng(0)
    X = rng.normal(size=(TASKS, FEATURES)).astype(np.float32)
    unit = np.repeat(np.arange(TASKS), ANSWERS)
    who = rng.integers(0, n_annotators, len(unit)).astype(np.int32)
    label = rng.integers(0, CLASSES, len(unit)).astype(np.int32)
    votes = Votes(unit, who, label, None, TASKS, n_annotators, CLASSES, CLASSES)
    before = peak_mb()
    network = build_network(Linear(), torch.from_numpy(X), CLASSES)
    channel = Confusion().build(Sizes(n_annotators, CLASSES, CLASSES))
    learner = Learner(
        network, channel, objective_named("joint"), features_of(X), votes,
        Settings(batch_size=BATCH, channel_rate=1e-2, optimizer="adamw"),
    )  # fmt: skip
    phase = learner.objective
    cpu, sent = [], 0
    for units in (torch.arange(TASKS).split(BATCH) * steps)[: steps + 2]:
        begun = time.process_time()
        learner.train_step(units, phase)
        cpu.append(time.process_time() - begun)
        grad = channel.logits.weight.grad
        sent = grad._nnz() * (CLASSES**2 * 4 + 8) if grad.is_sparse else grad.numel() * 4
    cpu = sorted(cpu[2:])
    return {
        "CPU ms a step": 1e3 * cpu[len(cpu) // 2],
        "peak MB": peak_mb() - before,
        "gradient MB a step": sent / 1e6,
    }


if __name__ == "__main__":
    main()
