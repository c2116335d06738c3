"""How right a network is about sets of labels, split by split, against truths that it never saw."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import LabelError
from .matching import alike
from .train_scores import TOGETHER, network_scores, read_truths

if TYPE_CHECKING:
    import numpy as np

    from ..annotations import Names
    from .matching import Matched

__all__ = ["known_truths", "read_set_truths", "score_sets", "scores_of", "set_network_scores"]


def known_truths(path: Path, matched: Matched, separator: str | None) -> np.ndarray:
    """The truths of the rows of features, of sets or of anything else."""
    labels = matched.labels
    if labels.kind != "set" or labels.classes is None:
        return read_truths(path, matched.ids, labels)
    return read_set_truths(path, matched.ids, labels.classes, separator)


def scores_of(model: Any, X: Any, truth: np.ndarray, matched: Matched) -> dict[str, dict[str, float]]:
    """How right the network is, in the figures of the kind of label."""
    score = set_network_scores if matched.labels.kind == "set" else network_scores
    return score(model, X, truth, matched)


def read_set_truths(path: Path, ids: Names, classes: Names, separator: str | None) -> np.ndarray:
    """The true sets of the rows of features as 0 and 1, [rows, labels]; -1 where unknown."""
    import numpy as np
    import polars as pl

    from ..annotations import Annotations
    from ..annotations import Names as Many
    from ..io import read_truth
    from ..io.cells import split_labels

    found = read_truth(path)
    places = ids.codes(alike(Many(list(found), "tasks"), ids))
    kept = [(int(place), value) for place, value in zip(places, found.values(), strict=True) if place >= 0]
    if not kept:
        raise LabelError(
            f"{path}: none of its {len(found)} truths is of a task with features: the first is of "
            f"{next(iter(found), None)!r}, where the features have {ids[0]!r}; are the ids the same?"
        )
    sets: list[Any] = [value for _, value in kept]
    if all(isinstance(value, str) for value in sets):
        sets = split_labels(pl.Series("truth", sets, dtype=pl.String), "set", separator).to_list()
    rows = Annotations.from_arrays([place for place, _ in kept], [0] * len(kept), sets, kind="set", classes=classes,
                                   tasks=range(len(ids)), annotators=range(1))  # fmt: skip
    truth = np.full((len(ids), len(classes)), -1)
    truth[rows.task] = np.maximum(rows.answers.values, -1)
    return truth


def set_network_scores(
    model: Any, X: Any, truth: np.ndarray, matched: Matched
) -> dict[str, dict[str, float]]:
    """Of the network alone in every group of tasks; and of network and labels on the labelled ones."""
    import numpy as np

    groups, chances = np.array(matched.groups), model.predict_proba(X)
    parts = {str(name): (chances[groups == name], truth[groups == name]) for name in dict.fromkeys(groups)}
    labels = matched.labels
    answered = np.bincount(labels.task, minlength=labels.n_tasks) > 0
    own = model.result_.chances[:, 1].reshape(labels.n_tasks, -1)
    parts[TOGETHER] = (own[answered], truth[matched.rows][answered])
    scored = {name: score_sets(*part) for name, part in parts.items()}
    return {name: figures for name, figures in scored.items() if figures["tasks"]}


def score_sets(chances: np.ndarray, truth: np.ndarray) -> dict[str, float]:
    """Accuracy and log-loss a (task, label) pair, F1 averaged both ways, and the share of sets wholly right."""
    import numpy as np

    from ..metrics import log_loss, set_scores

    found = set_scores((chances > 0.5).astype(int), truth)
    flat = chances.ravel()
    return {
        "tasks": int((truth >= 0).any(axis=1).sum()),
        "accuracy": found.mean_accuracy,
        "log_loss": log_loss(np.column_stack([1 - flat, flat]), truth.ravel()),
        "f1_macro": found.macro_f1,
        "f1_micro": found.micro_f1,
        "exact": found.exact,
    }
