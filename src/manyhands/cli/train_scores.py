"""How right a network is, split by split, against truths that it never saw."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import LabelError
from .matching import alike

if TYPE_CHECKING:
    import numpy as np

    from ..annotations import Names
    from .matching import Matched

__all__ = ["network_scores", "read_truths"]

TOGETHER = "network and labels"


def read_truths(path: Path, ids: Names, classes: Names) -> np.ndarray:
    """The true class of every row of features, -1 where unknown; one that nobody used is beyond all."""
    import numpy as np

    from ..annotations import Names as Many
    from ..io import read_truth

    found = read_truth(path)
    there = alike(Many(list(found), "tasks"), ids)
    places = ids.codes(there)
    if (places < 0).all():
        raise LabelError(
            f"{path}: none of its {len(found)} truths is of a task with features: the first is of "
            f"{next(iter(found), None)!r}, where the features have {ids[0]!r}; are the ids the same?"
        )
    said = Many(list(dict.fromkeys(found.values())), "classes")
    codes = dict(zip(said, classes.codes(alike(said, classes)).tolist(), strict=True))
    truth = np.full(len(ids), -1)
    for place, value in zip(places.tolist(), found.values(), strict=True):
        if place >= 0:
            truth[place] = codes[value] if codes[value] >= 0 else len(classes)
    return truth


def network_scores(model: Any, X: Any, truth: np.ndarray, matched: Matched) -> dict[str, dict[str, float]]:
    """Of the network alone in every group of tasks; and of network and labels on the labelled ones."""
    import numpy as np

    groups, ordered = np.array(matched.groups), matched.labels.is_ordered
    chances = model.predict_proba(X)
    scored = {
        name: _scores(chances[groups == name], truth[groups == name], ordered)
        for name in dict.fromkeys(groups)
    }
    labels = matched.labels
    answered = np.bincount(labels.task, minlength=labels.n_tasks) > 0
    own = _scores(model.result_.chances[answered], truth[matched.rows][answered], ordered)
    found = {str(name): figures for name, figures in scored.items() if figures["tasks"]}
    return found | ({TOGETHER: own} if own["tasks"] else {})


def _scores(chances: np.ndarray, truth: np.ndarray, ordered: bool) -> dict[str, float]:
    import numpy as np

    from ..metrics import accuracy, distance, log_loss

    wide = np.pad(chances, ((0, 0), (0, 1)))  # a column for classes that nobody used
    best = chances.argmax(axis=1)
    placed = np.where(truth < chances.shape[1], truth, -1)
    far = {"distance": distance(best, placed)} if ordered else {}
    return {
        "tasks": int((truth >= 0).sum()),
        "accuracy": accuracy(best, truth),
        "log_loss": log_loss(wide, truth),
        **far,
    }
