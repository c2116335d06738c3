"""How right tags are: of tokens, and of whole spans as conlleval and seqeval count them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import LabelError
from .matching import alike
from .train_scores import TOGETHER

if TYPE_CHECKING:
    import numpy as np

    from ..annotations import Annotations, Names
    from .matching import Matched

__all__ = ["read_tag_truths", "tag_figures", "tagger_scores", "tags_of_codes"]

Tags = Sequence[Any]


def tag_figures(said: Sequence[Tags], truth: Sequence[Tags | None]) -> dict[str, float]:
    """tasks, accuracy (of tokens) and, where tags are spans, span_precision, span_recall, span_f1.

    truth: None where it is not known, of a sentence or of a token: there nothing is counted.

    >>> tag_figures([["B-X", "O"], ["O"]], [["B-X", "B-X"], None])
    {'tasks': 1, 'accuracy': 0.5, 'span_precision': 1.0, 'span_recall': 0.5, 'span_f1': 0.6666666666666666}
    """
    from ..annotations.scheme import TAG
    from ..metrics import span_scores

    known = [
        (a, b) for a, b in zip(said, truth, strict=True) if b is not None and any(t is not None for t in b)
    ]
    pairs = [(str(x), str(y)) for a, b in known for x, y in zip(a, b, strict=True) if y is not None]
    right = sum(x == y for x, y in pairs) / len(pairs) if pairs else float("nan")
    found: dict[str, float] = {"tasks": len(known), "accuracy": right}
    if pairs and all(TAG.fullmatch(tag) for pair in pairs for tag in pair):
        ours = [["O" if y is None else str(x) for x, y in zip(a, b, strict=True)] for a, b in known]
        theirs = [["O" if y is None else str(y) for y in b] for _, b in known]
        scored = span_scores(ours, theirs)
        found |= {"span_precision": scored.precision, "span_recall": scored.recall, "span_f1": scored.f1}
    return found


def tags_of_codes(labels: Annotations, codes: np.ndarray) -> list[list[Any]]:
    """The tags of every task, None where the code is -1."""
    names = [*labels.unit_classes, None]
    starts = labels.unit_offsets.tolist()
    flat = [names[code] for code in codes.tolist()]
    return [flat[a:b] for a, b in itertools.pairwise(starts)]


def read_tag_truths(path: Path, ids: Names, X: Sequence[Tags], separator: str | None) -> list[Tags | None]:
    """The true tags of every row of sentences, None where they are unknown."""
    import polars as pl

    from ..annotations import Names as Many
    from ..io import read_truth
    from ..io.cells import split_labels

    found = read_truth(path)
    places = ids.codes(alike(Many(list(found), "tasks"), ids)).tolist()
    tags: list[Any] = list(found.values())
    if tags and all(isinstance(value, str) for value in tags):
        tags = split_labels(pl.Series("truth", tags, dtype=pl.String), "tags", separator).to_list()
    truth: list[Tags | None] = [None] * len(ids)
    for place, row in zip(places, tags, strict=True):
        if place < 0:
            continue
        if not isinstance(row, list) or len(row) != len(X[place]):
            shown = f"{len(row)} tags" if isinstance(row, list) else repr(row)
            raise LabelError(
                f"{path}: task {ids[place]!r} has {len(X[place])} words, but its truth is {shown}"
            )
        truth[place] = row
    if all(row is None for row in truth):
        raise LabelError(
            f"{path}: none of its {len(found)} truths is of a task with words: the first is of "
            f"{next(iter(found), None)!r}, where the words are of {ids[0]!r}; are the ids the same?"
        )
    return truth


def tagger_scores(
    model: Any, X: np.ndarray, truth: list[Tags | None], matched: Matched
) -> dict[str, dict[str, float]]:
    """Of the tagger alone in every group of tasks; and of tagger and labels on the labelled ones."""
    import numpy as np

    groups, labels = np.array(matched.groups), matched.labels
    known = [place for place, row in enumerate(truth) if row is not None]
    said = dict(zip(known, model.predict(X[known]), strict=True))
    found = {
        str(name): tag_figures(*zip(*((said[p], truth[p]) for p in known if groups[p] == name), strict=True))
        for name in dict.fromkeys(groups[known])
    }
    answered = np.bincount(labels.task, minlength=labels.n_tasks) > 0
    together = tags_of_codes(labels, model.result_.best)
    rows = [n for n, place in enumerate(matched.rows.tolist()) if answered[n] and truth[place] is not None]
    if rows:
        found[TOGETHER] = tag_figures([together[n] for n in rows], [truth[matched.rows[n]] for n in rows])
    return found
