"""Runs that are done are kept, a line each, so that a killed command goes on where it was."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["Runs"]


class Runs:
    """A file of JSON lines: data, system, seed, metrics, seconds (CPU).

    >>> import tempfile
    >>> runs = Runs(Path(tempfile.mkdtemp()) / "t.jsonl")
    >>> runs.add("labelme", "MW", 0, {"accuracy": 0.8}, 1.5)
    >>> Runs(runs.path).of("labelme", "MW")[0]["accuracy"]
    0.8
    """

    def __init__(self, path: Path):
        self.path = path
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        whole = text[: text.rfind("\n") + 1]
        if whole != text:  # killed while it wrote the last line
            path.write_text(whole, encoding="utf-8")
        self.rows: list[dict[str, Any]] = [json.loads(line) for line in whole.splitlines()]

    def of(self, data: str, system: str) -> dict[int, dict[str, float]]:
        """Metrics (and seconds) by seed; of a run that was made again, the last."""
        return {
            row["seed"]: row["metrics"] | {"seconds": row["seconds"]}
            for row in self.rows
            if (row["data"], row["system"]) == (data, system)
        }

    def add(self, data: str, system: str, seed: int, metrics: Mapping[str, float], seconds: float) -> None:
        """Keep a run: whole on the disk before the next begins."""
        kept = {name: round(float(value), 6) for name, value in metrics.items()}
        row = {"data": data, "system": system, "seed": seed, "metrics": kept, "seconds": round(seconds, 2)}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with open(self.path, "a", encoding="utf-8") as handle:
            handle.write(json.dumps(row) + "\n")
            handle.flush()
            os.fsync(handle.fileno())
        self.rows.append(row)
