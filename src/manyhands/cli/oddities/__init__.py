"""What may be odd in a table of labels, one file a sort; each says how much, where, and the cure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .oddity import Oddity

if TYPE_CHECKING:
    from ...annotations import Annotations

__all__ = ["Oddity", "find_oddities"]


def find_oddities(labels: Annotations, seed: int = 0) -> list[Oddity]:
    """Everything odd that is found.

    >>> from manyhands import Annotations
    >>> labels = Annotations.from_dict({"t": {"ann": "cat", "bob": "Cat"}, "u": {"ann": "cat"}})
    >>> [odd.name for odd in find_oddities(labels)]
    ['similar-classes', 'annotators-with-one-answer', 'tasks-with-one-answer', 'classes-used-once']
    """
    from .believed import believed
    from .classes import odd_classes
    from .copying import copying_pairs
    from .counts import odd_counts
    from .drifting import drifting_annotators
    from .habits import odd_habits
    from .names import similar_names
    from .numbers import odd_numbers
    from .times import odd_times

    searches = (similar_names, odd_counts, odd_classes, odd_habits, odd_numbers, odd_times)
    found = [odd for search in searches for odd in search(labels)]
    result = believed(labels)
    if result is None:
        return found
    return [*found, *copying_pairs(result, seed), *drifting_annotators(result)]
