"""Classes that nobody uses, that occur once, that are no answers, or that are really numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .oddity import Oddity, odd

if TYPE_CHECKING:
    from ...annotations import Annotations

__all__ = ["odd_classes"]

# What people and programs write where there is no answer.
NO_ANSWER = frozenset(
    "na n/a nan none null nil ? - -- unknown unsure undecided skip skipped idk missing blank empty -1".split()
) | {"don't know", "dont know", "do not know", "can't say", "cannot say", "not sure", "no answer"}
MANY = 20


def odd_classes(labels: Annotations) -> list[Oddity]:
    """By how often each was said, and by its name."""
    if labels.classes is None:
        return []
    used: dict[Any, int] = labels.summary().classes or {}
    found = _of_other_kind(labels, used)
    return found or [
        *_one_class(used),
        *_by_count(used),
        *_by_name(used),
    ]


def _by_count(used: dict[Any, int]) -> list[Oddity]:
    unused = [name for name, n in used.items() if n == 0]
    once = [name for name, n in used.items() if n == 1]
    return [
        *odd("unused-classes", "classes that nobody used", len(unused), map(repr, unused),
             "look for a slip in --classes; a class that may yet come is right to declare"),
        *odd("classes-used-once", "classes used once", len(once), map(repr, once),
             "look for slips of the pen; nothing can be learnt about a class from one answer"),
    ]  # fmt: skip


def _by_name(used: dict[Any, int]) -> list[Oddity]:
    blank = [name for name in used if str(name).strip().lower() in NO_ANSWER]
    return odd(
        "classes-that-say-nothing", "classes that look like no answer", len(blank), map(repr, blank),
        f"where they mean 'cannot say', count them as abstentions: --abstain {','.join(map(str, blank))}",
    )  # fmt: skip


def _one_class(used: dict[Any, int]) -> list[Oddity]:
    spoken = [name for name, n in used.items() if n]
    return odd(
        "one-class", "all answers are the same class", len(spoken) == 1, map(repr, spoken),
        "there is nothing to decide; declare the others with --classes if there are any",
    )  # fmt: skip


def _of_other_kind(labels: Annotations, used: dict[Any, int]) -> list[Oddity]:
    """So many numbers are a scale; names made of other names are sets."""
    if labels.kind != "class":
        return []
    numbers = [name for name in used if _is_number(name)]
    many = len(numbers) > MANY and len(numbers) >= len(used) - 1
    joined = [str(name) for name in used if "|" in str(name)]
    return [
        *odd("numbers-as-classes", "classes that are numbers", len(numbers) * many, numbers,
             "if they measure something, say so: --kind number, or --kind ordinal for grades"),
        *odd("sets-as-classes", "classes that are joined by '|'", len(joined) * (len(joined) > 1), map(repr, joined),
             "if an answer may hold several labels, say so: --kind set"),
    ]  # fmt: skip


def _is_number(name: Any) -> bool:
    try:
        float(name)
    except (TypeError, ValueError):
        return False
    return not isinstance(name, bool)
