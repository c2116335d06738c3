"""The same answers in the codes of more classes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..errors import LabelError
from .encode import sorted_names
from .kinds import ABSTAINED, NOT_ASKED, Answers
from .kinds.answers import smallest_codes
from .names import Names

__all__ = ["joint_classes", "recode_answers", "recode_values"]


def joint_classes(parts: list[Names], kind: str) -> Names:
    """The classes of all parts: in the order of values where each part is, else as they come.

    Ordered classes must agree on their order.

    >>> joint_classes([Names(["a", "c"]), Names(["b", "c"])], "class").to_list()
    ['a', 'b', 'c']
    """
    whole = parts[0]
    for part in parts[1:]:
        whole = whole.union(part)
    if len(whole) == len(parts[0]) and kind != "ordinal":
        return parts[0]
    by_value = sorted_names(whole)
    if all(part == sorted_names(part) for part in parts):
        return by_value
    if kind == "ordinal":
        whole = max(parts, key=len) if len(max(parts, key=len)) == len(whole) else whole
        _refuse_disorder(whole, parts)
    return whole


def _refuse_disorder(whole: Names, parts: list[Names]) -> None:
    longest = max(len(part) for part in parts)
    for part in parts:
        if longest < len(whole) or (np.diff(whole.codes(part)) < 0).any():
            raise LabelError(
                f"the order of classes {part.to_list()} does not settle that of {whole.to_list()}; "
                f"build both tables with the same classes="
            )


def recode_answers(answers: Answers, classes: Names | None, kind: str) -> Answers:
    """The answers in the codes of these classes, among which all of theirs are."""
    if classes is None or answers.classes is None or answers.classes == classes:
        return answers
    return replace(
        answers, values=recode_values(answers.values, answers.classes, classes, kind), classes=classes
    )


def recode_values(values: np.ndarray, old: Names, new: Names, kind: str) -> np.ndarray:
    """Codes, or columns, of old classes as those of new ones; an abstention stays one."""
    codes = new.codes(old)
    if kind not in ("set", "soft"):
        return smallest_codes(np.append(codes, ABSTAINED)[values], len(new))
    # A new column was answered no, or given no chance; where others were not asked, nor was it.
    wide = np.zeros((len(values), len(new)), dtype=values.dtype)
    if kind == "soft":
        wide[np.isnan(values).any(axis=1)] = np.nan
    else:
        wide[(values == NOT_ASKED).any(axis=1)] = NOT_ASKED
        wide[(values == ABSTAINED).all(axis=1)] = ABSTAINED
    wide[:, codes] = values
    return wide
