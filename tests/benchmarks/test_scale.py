"""The arithmetic beyond what was measured, and measurements that are kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.scale import Kept, block_rows, race_rows
from benchmarks.scale_arithmetic import forecast


def _run(processes: int, labels: int, seconds: float) -> dict[str, Any]:
    own = {
        "labels": labels // processes, "tasks": labels // processes // 5, "annotators": 1000, "iteration_s": seconds,
        "mean_s": seconds * 2, "crossing_s": seconds / 10, "blocks": 2, "read_s": 1.0, "write_s": 1.0, "peak_mb": 500.0,
        "scratch": 20 * labels // processes,
    }  # fmt: skip
    return {"processes": processes, "threads": 1, "everybody": [own] * processes}


def test_rows_add_up_over_processes() -> None:
    runs = [_run(1, 1000, 0.4), _run(2, 1000, 0.2)]
    one, two = race_rows(runs)
    assert (one["labels"], two["labels"], one["all-reduce"], two["all-reduce"]) == (1000, 1000, "-", "5.0 %")
    assert two["times"] == 2.0
    assert [row["scratch GB"] for row in block_rows(runs, "2G")] == [20e-6, 20e-6]


def test_the_forecast_follows_from_what_was_measured() -> None:
    runs = [_run(1, 1000, 0.4), _run(2, 1000, 0.2)]
    value = {row["quantity"]: row["value"] for row in forecast(runs, 3000, 5)}
    assert value["labels a host"] == "312.5M"  # 10^10 / 32
    assert value["read from scratch"] == "2.8 GB"  # 312.5M x 8, and 4 for each fifth
    assert value["sent, and received"] == "387.5 MB"  # 2 x 31/32 of 10^6 x 25 x 8
    assert value["seconds of sums, one core"] == "125000"  # .2 s for 500 labels
    assert value["scratch on the disk"] == "6.2 GB"


def test_what_was_measured_is_not_measured_again(tmp_path: Path) -> None:
    assert Kept(tmp_path, again=False)("one", lambda: {"s": 1})["s"] == 1
    assert Kept(tmp_path, again=False)("one", lambda: {"s": 2})["s"] == 1
    assert Kept(tmp_path, again=True)("one", lambda: {"s": 3})["s"] == 3
