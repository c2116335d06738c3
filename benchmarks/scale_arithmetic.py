"""From what was measured on one machine to 10^10 labels on 32 hosts: bytes read, sent and held, and seconds."""

from __future__ import annotations

from typing import Any

__all__ = ["forecast", "notes"]

LABELS, HOSTS, ANNOTATORS = 10**10, 32, 10**6
NETWORK = 1.25e9  # bytes a second: 10 Gbit
DISK = 0.5e9  # bytes a second, where the scratch files no longer fit into the page cache


def forecast(runs: list[dict[str, Any]], read_bytes: int, classes: int) -> list[dict[str, Any]]:
    """One row a quantity, of one host in one iteration unless it says otherwise."""
    one, two = runs[0]["everybody"][0], runs[-1]["everybody"]
    labels, annotators = one["labels"], one["annotators"]
    each = LABELS / HOSTS
    stored = 8 * each + 4 * each * one["tasks"] / labels  # cells, units by cell, starts
    counts = 8 * ANNOTATORS * classes * classes
    sent = 2 * (HOSTS - 1) / HOSTS * counts
    seconds = min(own["iteration_s"] for own in two) / max(
        own["labels"] for own in two
    )  # a label, of one core
    busy = one["peak_mb"] * 1e6 + max(ANNOTATORS - annotators, 0) * classes * classes * 8 * COPIES
    return [
        {"quantity": "labels a host", "value": _many(each), "from": f"{LABELS:.0e} / {HOSTS}"},
        {"quantity": "part files read once", "value": _size(read_bytes / labels * each), "from": f"{read_bytes / labels:.1f} bytes a label, as measured"},
        {"quantity": "scratch on the disk", "value": _size(one["scratch"] / labels * each), "from": f"{one['scratch'] / labels:.1f} bytes a label, as measured"},
        {"quantity": "read from scratch", "value": _size(stored), "from": "8 bytes a label, 4 a task"},
        {"quantity": "sent and received", "value": _size(sent), "from": f"2 (n - 1) / n of {_size(counts)}: counts of {_many(ANNOTATORS)} annotators x {classes} x {classes} in float64"},
        {"quantity": "held", "value": _size(busy), "from": f"the peak measured, and {COPIES} copies of the counts for more annotators"},
        {"quantity": "seconds of sums on one core", "value": f"{seconds * each:.0f}", "from": f"{seconds * 1e9:.1f} ns a label, as measured with 2 processes"},
        {"quantity": "seconds of sums on 16 cores, 16 processes a host", "value": f"{seconds * each / 16:.1f}", "from": "as many processes as cores, were memory as fast for all"},
        {"quantity": "seconds of reading from a disk", "value": f"{stored / DISK:.0f}", "from": f"{DISK / 1e9:g} GB a second; none where it stays in the page cache ({_size(stored)})"},
        {"quantity": "seconds of the network", "value": f"{sent / NETWORK:.1f}", "from": f"{NETWORK / 1e9:g} GB a second"},
    ]  # fmt: skip


COPIES = 8  # of the counts, at the worst moment of the M-step: counts, rows, logs and the sums on their way


def notes(runs: list[dict[str, Any]]) -> str:
    """Where it breaks."""
    one = runs[0]["everybody"][0]
    return f"""
Every figure follows from those measured above by the arithmetic beside it ({one["labels"]:,} labels, {one["annotators"]:,}
annotators). It breaks, in this order: where a host's annotators' counts no longer fit ({COPIES} x 8 x annotators x classes^2
bytes in every process: with 16 processes a host that is the first wall; fewer processes of more threads hold it once each);
where the counts take longer on the network than the sums take; and where the scratch files leave the page cache,
from when an iteration reads them from the disk.
"""


def _size(n: float) -> str:
    for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if n >= size:
            return f"{n / size:.1f} {unit}"
    return f"{n:.0f} bytes"


def _many(n: float) -> str:
    return f"{n / 1e6:g}M"
