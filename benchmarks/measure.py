"""What a process spent: CPU seconds, and the most memory that it held. Standard library only."""

from __future__ import annotations

import resource
import sys
import time
from pathlib import Path

__all__ = ["Laps", "peak_mb"]


class Laps:
    """CPU and wall seconds between calls, as taken by a callback of a fit.

    >>> laps = Laps()
    >>> laps.take(), laps.take(), len(laps.cpu)
    (None, None, 1)
    """

    def __init__(self) -> None:
        self._stamps: list[tuple[float, float]] = []

    def take(self, *_: object) -> None:
        """A lap ends here; whatever a callback is given is not looked at."""
        self._stamps.append((time.process_time(), time.perf_counter()))

    @property
    def cpu(self) -> list[float]:
        """CPU seconds of each lap, of all threads together."""
        return [b[0] - a[0] for a, b in zip(self._stamps, self._stamps[1:], strict=False)]

    @property
    def wall(self) -> list[float]:
        """Wall seconds of each lap."""
        return [b[1] - a[1] for a, b in zip(self._stamps, self._stamps[1:], strict=False)]


def peak_mb() -> float:
    """The most memory this process has held since it began, in MB (10^6 bytes).

    Linux carries the maximum of getrusage over from the process that started this one, so there
    the high-water mark of the own memory map is read.
    """
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024 / 1e6
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / 1e6 if sys.platform == "darwin" else most * 1024 / 1e6
