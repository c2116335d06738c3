"""A table of spans in another scheme of tags."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..errors import UnsupportedError
from .encode import sorted_names
from .kinds.answers import smallest_codes
from .names import Names
from .scheme import Scheme

if TYPE_CHECKING:
    from .table import Annotations

__all__ = ["n_spans", "respelled", "scheme_of"]


def respelled(labels: Annotations, name: str) -> Annotations:
    """The same spans, answers and truths, in BIO, BIOES, BILOU or IO; IO joins neighbours of one type.

    >>> from manyhands import Annotations
    >>> labels = Annotations.from_dict({"s": {"ann": ["B-PER", "I-PER"], "bob": ["B-PER", "O"]}})
    >>> respelled(labels, "BIOES").to_frame()["label"].to_list()
    [['B-PER', 'E-PER'], ['S-PER', 'O']]
    """
    scheme, starts = scheme_of(labels), labels.answers.starts
    assert starts is not None
    tags, codes = scheme.respelled(labels.answers.values, starts, name)
    if labels.truth is None:
        classes = sorted_names(Names(tags))
        return _with(labels, classes, _recoded(codes, tags, classes), None)
    true_tags, true_codes = scheme.respelled(labels.truth, labels.unit_offsets, name)
    classes = sorted_names(Names(list(dict.fromkeys([*tags, *true_tags]))))
    return _with(labels, classes, _recoded(codes, tags, classes), _recoded(true_codes, true_tags, classes))


def scheme_of(labels: Annotations) -> Scheme:
    """The scheme of a table's tags; an error where they are no spans."""
    scheme = Scheme.of(labels.classes or ()) if labels.kind == "tags" else None
    if scheme is None:
        named = labels.classes.to_list() if labels.classes else None
        raise UnsupportedError(
            f"there are no spans in labels of kind {labels.kind!r} with classes {named}: spans need kind='tags' and tags "
            f"such as O, B-PER, I-PER"
        )
    return scheme


def n_spans(labels: Annotations) -> int:
    """How many spans all answers hold."""
    assert labels.answers.starts is not None
    return len(scheme_of(labels).spans(labels.answers.values, labels.answers.starts).start)


def _recoded(codes: np.ndarray, tags: list[str], classes: Names) -> np.ndarray:
    return smallest_codes(np.append(classes.codes(tags), -1)[codes], len(classes))


def _with(labels: Annotations, classes: Names, codes: np.ndarray, truth: np.ndarray | None) -> Annotations:
    return replace(labels, answers=replace(labels.answers, values=codes, classes=classes), truth=truth)
