"""What to know before anything else, in a few sentences that the figures make by themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .comparison import TAKE
from .standing import ABOVE, BELOW, UNSURE
from .words import listed, number, percent

if TYPE_CHECKING:
    from .contents import Contents

__all__ = ["Finding", "findings"]

RELIABLE, TENTATIVE = 0.8, 0.667  # Krippendorff's own marks for alpha
SURE = 0.8


@dataclass(frozen=True)
class Finding:
    """A sentence, and the section that has the details."""

    says: str
    section: str


def findings(found: Contents) -> tuple[Finding, ...]:
    """In the order in which a reader would ask."""
    told = (
        _agreement(found),
        _certainty(found),
        _people(found),
        _few(found),
        _mistake(found),
        _method(found),
        _choice(found),
        _pairs(found),
        _changes(found),
        _gaps(found),
    )
    return tuple(finding for finding in told if finding is not None)


def _agreement(found: Contents) -> Finding | None:
    row = found.headline
    if row is None or row.value is None:
        return Finding("No task has two labels, so nothing can be said of agreement.", "agreement")
    if row.title == "observed agreement":
        return Finding(f"Two labels of one task are the same {percent(row.value)} of the time.", "agreement")
    digits = 2 if row.low is None or row.high is None or row.high - row.low >= 0.02 else 3
    between = "" if row.low is None else f" ({number(row.low, digits)} to {number(row.high, digits)})"
    word = (
        "high" if row.value >= RELIABLE
        else "fair, enough for tentative conclusions" if row.value >= TENTATIVE
        else "low: one label alone cannot be relied on"
    )  # fmt: skip
    return Finding(
        f"Agreement is {word}: {row.title.split(',')[0]} {number(row.value, digits)}{between}.", "agreement"
    )


def _certainty(found: Contents) -> Finding | None:
    sure = found.certainty
    if sure.wrong is None or not sure.units:
        return None
    unit = f"{found.overview.unit}s" if found.overview.unit != "task and label" else "labels of tasks"
    passed = next((t for t in sure.thresholds if t.level == SURE), None)
    below = f"{percent(1 - passed.share)} of {unit} are below {SURE} confidence. " if passed else ""
    account = (
        f"By the method's own account about {number(round(sure.wrong))} of {number(sure.units)} consensus labels are wrong."
        if sure.is_probability else "Confidence is the share of votes here, not a chance of being right."
    )  # fmt: skip
    return Finding(below + account, "consensus")


def _people(found: Contents) -> Finding | None:
    people = found.annotators
    counts = people.column("n")
    total = sum(int(n or 0) for n in counts) or 1
    marked = (ABOVE, BELOW) if people.main == "bias" else (BELOW,)
    chosen = [j for j, code in enumerate(people.standing) if code in marked]
    if not chosen:
        if people.main == "bias":
            return Finding("Nobody has a bias that is beyond doubt.", "annotators")
        return Finding("Nobody is beyond doubt less accurate than the crowd.", "annotators")
    chosen.sort(key=lambda j: -int(counts[j] or 0))
    share = percent(sum(int(counts[j] or 0) for j in chosen) / total)
    what = "have a bias" if people.main == "bias" else "are less accurate than the crowd"
    if len(chosen) == 1:
        what = what.replace("have", "has", 1).replace("are", "is", 1)
    names = listed([people.names[j] for j in chosen])
    said = f"{_people_word(len(chosen))} ({names}) {what}, with the whole interval, and gave {share} of the labels."
    return Finding(said, "annotators")


def _few(found: Contents) -> Finding | None:
    few = sum(code == UNSURE for code in found.annotators.standing)
    if not few:
        return None
    return Finding(f"{_people_word(few)} gave too few labels to say.", "annotators")


def _people_word(n: int) -> str:
    return f"{number(n)} annotator{'s' if n != 1 else ''}"


def _mistake(found: Contents) -> Finding | None:
    if not found.mistakes or found.overview.kind == "set":
        return None
    worst = found.mistakes[0]
    times = f"{percent(worst.share)} of the labels that {worst.truth} got"
    return Finding(
        f"The commonest mistake is to say {worst.said} where {worst.truth} is believed: {times}.",
        "confusions",
    )


def _method(found: Contents) -> Finding | None:
    if found.overview.converged:
        return None
    return Finding(
        f"{found.overview.method} stopped after {found.overview.steps} steps without settling: raise max_iter.",
        "training",
    )


def _choice(found: Contents) -> Finding | None:
    notes = dict(found.comparison.notes) if found.comparison else {}
    return Finding(f"Of the methods compared, take {notes[TAKE]}", "comparison") if TAKE in notes else None


def _pairs(found: Contents) -> Finding | None:
    if found.pairs is None or not found.pairs.pairs:
        return None
    n = len(found.pairs.pairs) + found.pairs.left_out
    verb = "pairs of annotators agree" if n > 1 else "pair of annotators agrees"
    return Finding(f"{number(n)} {verb} more than their accuracy explains.", "pairs")


def _changes(found: Contents) -> Finding | None:
    if found.drift is None or not found.drift.changed:
        return None
    n = len(found.drift.changed) + found.drift.left_out
    names = listed([change.name for change in found.drift.changed])
    return Finding(f"{_people_word(n)} ({names}) changed over time.", "drift")


def _gaps(found: Contents) -> Finding | None:
    gaps = found.overview.unanswered
    if not gaps:
        return None
    return Finding(f"{number(gaps)} task{'s have' if gaps != 1 else ' has'} no label at all.", "overview")
