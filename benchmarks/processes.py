"""A measurement in a process of its own: a job as JSON goes in, one JSON line comes out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

__all__ = ["ROOT", "fresh", "thread_settings"]

ROOT = Path(__file__).resolve().parents[1]
THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS")


def fresh(
    module: str,
    job: dict[str, Any],
    *,
    python: str | Path = sys.executable,
    threads: int = 1,
    timeout: float | None = None,
) -> dict[str, Any]:
    """What `python -m module JOB` prints last, read as JSON.

    An error of the process comes back as {"error": its last line}; a time-out likewise.
    """
    try:
        done = subprocess.run(
            [str(python), "-m", module, json.dumps(job)],
            cwd=ROOT,
            env=os.environ | thread_settings(threads) | {"PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            timeout=timeout,
        )
    except subprocess.TimeoutExpired:
        return {"error": f"not done in {timeout:.0f} s"}
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["no message"]
        return {"error": f"exit code {done.returncode}: {lines[-1][:300]}"}
    answer: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return answer


def thread_settings(threads: int) -> dict[str, str]:
    """The environment that holds numeric libraries to so many threads."""
    return dict.fromkeys(THREADS, str(threads))
