"""What follows from a comparison, in words: which method, why, and whether to trust one at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .judged import Judged

__all__ = ["LEADING", "Verdict", "verdict"]

LEADING = 0.95  # of the stack: the methods that make up so much of it have a say
NEAR = 0.02  # of the tasks: methods that differ on no more are as good as one
FAR = 0.1  # of the tasks, whatever methods say of themselves; of numbers, in deviations of the consensus


@dataclass(frozen=True)
class Verdict:
    """trust: whether any one method is to be trusted unseen. rival: the leading method that speaks most
    against the pick; disagreement: how far it differs from it.
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
    leaders = _leaders(rows, chosen)
    others = [row for row in leaders if row is not chosen]
    rival = max(others, key=lambda row: (_too_far(chosen, row, is_number), row.differs), default=None)
    trust = tellable and not (rival and _too_far(chosen, rival, is_number))
    return Verdict(
        pick, _why(rows, chosen), trust, rival.differs if rival else 0.0, rival.name if rival else None,
        tuple(row.name for row in leaders), _advice(chosen, rival, trust, is_number, tellable),
    )  # fmt: skip


def _leaders(rows: Sequence[Judged], chosen: Judged) -> list[Judged]:
    """The pick, those of most weight that together make up the stack, and those as likely as the likeliest."""
    ahead, leading = 0.0, {chosen.name}
    for row in sorted(rows, key=lambda row: -row.weight):
        if ahead < LEADING:
            leading.add(row.name)
        ahead += row.weight
    return [row for row in rows if row.name in leading or row.behind <= 2 * row.behind_se]


def _too_far(chosen: Judged, rival: Judged, is_number: bool) -> bool:
    return rival.differs > FAR or (not is_number and _beyond_doubt(chosen, rival))


def _beyond_doubt(chosen: Judged, rival: Judged) -> bool:
    """p(A decides otherwise than B) <= p(A wrong) + p(B wrong): beyond that, one is wrong about itself."""
    return rival.differs > max(NEAR, chosen.doubt + rival.doubt)


def _why(rows: Sequence[Judged], chosen: Judged) -> str:
    """Likelihoods are per hidden answer."""
    best = rows[0]
    if len(rows) == 1:
        return "there was nothing to compare it with"
    if best is chosen:
        second = rows[1]
        gap = f"by {second.name}, the next, {second.behind:.4f} less likely (s.e. {second.behind_se:.4f})"
        return f"hidden answers are likeliest by it ({gap}), and it is nearest to the stack of all methods"
    return (
        f"it is nearest to the stack, the mixture of methods that makes hidden answers likeliest; of single methods "
        f"{best.name} does, by {chosen.behind:.4f} an answer (s.e. {chosen.behind_se:.4f})"
    )


def _advice(chosen: Judged, rival: Judged | None, trust: bool, is_number: bool, tellable: bool) -> str:
    if not tellable:
        return (
            "No task has two answers, so no hidden answer can be predicted from others: nothing here tells the "
            "methods apart. Ask a second person about some tasks."
        )
    if rival is None:
        return "No other method has a say beside it."
    if is_number:
        far = f"Its truths and those of {rival.name} lie {rival.differs:.2f} standard deviations apart"
        return (
            f"{far}." if trust else f"{far}: too far to trust one unseen; find out the truth of some tasks."
        )
    far = f"On {rival.differs:.1%} of the tasks {rival.name} decides otherwise"
    own = f"by their own accounts {chosen.doubt:.1%} and {rival.doubt:.1%} of their decisions are wrong"
    if trust and rival.differs <= NEAR:
        return f"{far}: it hardly matters which you take."
    if trust:
        return f"{far}, which their doubts allow for: {own}."
    wrong = f", but {own}: at least one is wrong about itself" if _beyond_doubt(chosen, rival) else ""
    return (
        f"{far}{wrong}. That is too much to trust one unseen: hidden answers do not say which is right. Find out "
        f"the truth of some tasks in dispute, and give it as gold."
    )
