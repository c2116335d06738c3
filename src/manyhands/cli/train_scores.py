"""How right a network is, split by split, against truths that it never saw."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import LabelError
from .matching import alike

if TYPE_CHECKING:
    import numpy as np

    from ..annotations import Annotations, Names
    from .matching import Matched

__all__ = ["network_scores", "read_truths"]

TOGETHER = "network and labels"


def read_truths(path: Path, ids: Names, labels: Annotations) -> np.ndarray:
    """The truth of every row of features: codes, -1 where unknown, one that nobody used beyond all; or numbers."""
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
    codes = _codes if labels.truth_is_categorical else _numbers
    return codes(list(found.values()), places, len(ids), labels, path)


def _codes(values: list[Any], places: np.ndarray, n: int, labels: Annotations, path: Path) -> np.ndarray:
    import numpy as np

    from ..annotations import Names

    classes = labels.unit_classes
    said = Names(list(dict.fromkeys(values)), "classes")
    codes = dict(zip(said, classes.codes(alike(said, classes)).tolist(), strict=True))
    truth = np.full(n, -1)
    for place, value in zip(places.tolist(), values, strict=True):
        if place >= 0:
            truth[place] = codes[value] if codes[value] >= 0 else len(classes)
    return truth


def _numbers(values: list[Any], places: np.ndarray, n: int, labels: Annotations, path: Path) -> np.ndarray:
    import numpy as np

    truth = np.full(n, np.nan)
    for place, value in zip(places.tolist(), values, strict=True):
        if place >= 0:
            try:
                truth[place] = float(value)
            except ValueError:
                raise LabelError(f"{path}: the truth {value!r} is no number, but the labels are") from None
    return truth


def network_scores(model: Any, X: Any, truth: np.ndarray, matched: Matched) -> dict[str, dict[str, float]]:
    """Of the network alone in every group of tasks; and of network and labels on the labelled ones."""
    import numpy as np

    groups, labels = np.array(matched.groups), matched.labels
    score: Callable[[np.ndarray, np.ndarray], dict[str, float]] = _closeness
    if labels.truth_is_categorical:
        said, together = model.predict_proba(X), model.result_.chances
        score = partial(_scores, labels.is_ordered)
    else:
        said, together = model.predict(X), model.result_.numbers.mean
    scored = {name: score(said[groups == name], truth[groups == name]) for name in dict.fromkeys(groups)}
    answered = np.bincount(labels.task, minlength=labels.n_tasks) > 0
    own = score(together[answered], truth[matched.rows][answered])
    found = {str(name): figures for name, figures in scored.items() if figures["tasks"]}
    return found | ({TOGETHER: own} if own["tasks"] else {})


def _closeness(said: np.ndarray, truth: np.ndarray) -> dict[str, float]:
    from ..metrics import regression

    close = regression(said, truth)
    return {"tasks": close.n, "mae": close.mae, "rmse": close.rmse, "r2": close.r2}


def _scores(ordered: bool, chances: np.ndarray, truth: np.ndarray) -> dict[str, float]:
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
