"""What follows from a comparison, in words: which method, why, and whether to trust one at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .judged import Judged

__all__ = ["LEADING", "Verdict", "verdict"]

LEADING = 0.1  # of the stack: such a method has a say of its own
NEAR = 0.02  # of the tasks: methods that differ on no more are as good as one
FAR = 0.25  # of numbers, in deviations: a quarter of what tasks differ by


@dataclass(frozen=True)
class Verdict:
    """trust: whether any one method is to be trusted unseen. disagreement: the most that a leading method
    differs from the pick, and which it is.
    """

    pick: str
    why: str
    trust: bool
    disagreement: float
    rival: str | None
    leaders: tuple[str, ...]
    advice: str


def verdict(rows: Sequence[Judged], pick: str, is_number: bool, tellable: bool) -> Verdict:
    """rows: the methods, likeliest first. tellable: whether hidden votes tell methods apart at all."""
    chosen = next(row for row in rows if row.name == pick)
    leaders = [
        row for row in rows if row.weight >= LEADING or row.behind <= 2 * row.behind_se or row is chosen
    ]
    rival = max((row for row in leaders if row is not chosen), key=lambda row: row.differs, default=None)
    far = 0.0 if rival is None else rival.differs
    trust = tellable and not _too_far(chosen, rival, is_number)
    return Verdict(
        pick, _why(rows, chosen), trust, far, rival.name if rival else None,
        tuple(row.name for row in leaders), _advice(chosen, rival, trust, is_number, tellable),
    )  # fmt: skip


def _too_far(chosen: Judged, rival: Judged | None, is_number: bool) -> bool:
    """p(A decides otherwise than B) <= p(A wrong) + p(B wrong): beyond that, one is wrong about itself."""
    if rival is None:
        return False
    if is_number:
        return rival.differs > FAR
    return rival.differs > max(NEAR, chosen.doubt + rival.doubt)


def _why(rows: Sequence[Judged], chosen: Judged) -> str:
    best = rows[0]
    said = f"hidden votes have a log-likelihood of {chosen.heldout_log_likelihood:.4f} each by {chosen.name}"
    if best is chosen:
        second = next(iter(rows[1:]), None)
        if second is None:
            return f"{said}; there was nothing to compare it with"
        gap = f"{second.name}, the next, is {second.behind:.4f} below (standard error {second.behind_se:.4f})"
        return f"{said}, the most of all: {gap}; and it is nearest to the stack of all methods"
    gap = f"{chosen.behind:.4f} below {best.name} (standard error {chosen.behind_se:.4f})"
    return (
        f"{said}, {gap}; but it is nearest to the stack, the mixture of methods by which they are likeliest"
    )


def _advice(chosen: Judged, rival: Judged | None, trust: bool, is_number: bool, tellable: bool) -> str:
    if not tellable:
        return (
            "no task has two answers, so no hidden answer can be predicted from others: nothing here tells the "
            "methods apart. Ask a second person about some tasks."
        )
    if rival is None:
        return f"no other method has a say beside {chosen.name}."
    if is_number:
        far = f"{rival.name} lies {rival.differs:.2f} deviations of the consensus from {chosen.name}"
        return (
            f"{far}: too far to trust one unseen; know the truth of some tasks." if not trust else f"{far}."
        )
    far = f"{chosen.name} and {rival.name} decide {rival.differs:.1%} of the tasks differently"
    if trust and rival.differs <= NEAR:
        return f"{far}: it hardly matters which you take."
    own = f"by their own accounts {chosen.doubt:.1%} and {rival.doubt:.1%} of their decisions are wrong"
    if trust:
        return f"{far}; {own}, which allows for that."
    return (
        f"{far}, but {own}: at least one is wrong about itself, and hidden votes do not say which. Do not trust "
        f"one unseen: find out the truth of some of the tasks in dispute, and give it as gold."
    )
