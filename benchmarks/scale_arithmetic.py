"""From what was measured on one machine to 10^10 labels on 32 hosts: bytes read, sent and held, and seconds."""

from __future__ import annotations

from typing import Any

__all__ = ["forecast", "notes"]

LABELS, HOSTS, ANNOTATORS = 10**10, 32, 10**6
NETWORK = 1.25e9  # bytes a second: 10 Gbit
COPIES = 8  # of the counts at the worst moment of the M-step: counts, rows, logs, and the sums on their way
CORES, MEMORY = 16, 64e9  # of a host
DISK = 0.5e9  # bytes a second, where the scratch files no longer fit into the page cache


def forecast(runs: list[dict[str, Any]], read_bytes: int, classes: int) -> list[dict[str, Any]]:
    """One row a quantity, of one host in one iteration unless it says otherwise."""
    one, two = runs[0]["everybody"][0], runs[-1]["everybody"]
    labels, each = one["labels"], LABELS / HOSTS
    stored = 8 * each + 4 * each * one["tasks"] / labels  # cells, units by cell; starts
    table = 8 * classes * classes  # bytes of one annotator's counts
    sent = 2 * (HOSTS - 1) / HOSTS * table * ANNOTATORS
    seconds = max(own["iteration_s"] for own in two) / max(
        own["labels"] for own in two
    )  # a label, of one core
    held = one["peak_mb"] * 1e6 + max(ANNOTATORS - one["annotators"], 0) * table * COPIES
    most = (MEMORY / CORES - one["peak_mb"] * 1e6) / (table * COPIES)
    rows = [
        ("labels a host", _many(each), f"{LABELS:.0e} / {HOSTS}"),
        ("part files, read once", _size(read_bytes / labels * each), f"{read_bytes / labels:.1f} bytes a label, as measured"),
        ("scratch on the disk", _size(one["scratch"] / labels * each), f"{one['scratch'] / labels:.1f} bytes a label, as measured"),
        ("read from scratch", _size(stored), "8 bytes a label, 4 a task"),
        ("sent, and received", _size(sent), f"2 (n - 1) / n of the counts: {_many(ANNOTATORS)} annotators x {classes} x {classes} x 8 bytes"),
        ("held by a process", _size(held), f"the peak measured, and {COPIES} copies of the counts of so many annotators"),
        (f"held by {CORES} processes", _size(held * CORES), "one a core"),
        ("seconds of sums, one core", f"{seconds * each:.0f}", f"{seconds * 1e9:.1f} ns a label, the slower of 2 processes as measured"),
        (f"seconds of sums, {CORES} cores", f"{seconds * each / CORES:.1f}", "were memory as fast for all of them"),
        ("seconds of reading", f"{stored / DISK:.0f}", f"{DISK / 1e9:g} GB a second from the disk; next to none where {_size(stored)} stay in the page cache"),
        ("seconds of the network", f"{sent / NETWORK:.1f}", f"{NETWORK / 1e9:g} GB a second"),
        (f"annotators that fill {_size(MEMORY)}", _many(most), f"{CORES} processes, {COPIES} copies of the counts in each: the first wall"),
    ]  # fmt: skip
    return [dict(zip(("quantity", "value", "from"), row, strict=True)) for row in rows]


def notes(runs: list[dict[str, Any]]) -> str:
    """What it rests on, and where it breaks."""
    one = runs[0]["everybody"][0]
    return f"""
Of one host in one iteration, from what was measured above on {one["labels"]:,} labels of {one["annotators"]:,} annotators, by the
arithmetic beside each figure. It breaks first where the counts of annotators, which every process holds whole, no longer
fit; fewer processes of more threads hold them fewer times. Then where sending them takes longer than the sums. Labels
themselves only take longer, from the page cache and then from the disk.
"""


def _size(n: float) -> str:
    for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if n >= size:
            return f"{n / size:.1f} {unit}"
    return f"{n:.0f} bytes"


def _many(n: float) -> str:
    return f"{n / 1e6:.4g}M"
