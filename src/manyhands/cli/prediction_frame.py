"""What a network says of tasks, as a table: classes with their chances, numbers with an interval, sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

__all__ = ["prediction_frame"]

FIXED = ("task", "label", "confidence")


def prediction_frame(model: Any, ids: Any, X: Any, cost: str | None) -> pl.DataFrame:
    """One row a task."""
    if model.labels_.truth_is_categorical:
        return _of_classes(model, ids, X, cost)
    from ..results.decision import cost_matrix

    if cost is not None:
        cost_matrix(cost, model.labels_)  # refuses
    return _of_numbers(model, ids, X)


def _of_numbers(model: Any, ids: Any, X: Any) -> pl.DataFrame:
    """The number, the deviation of its truth, and an interval that holds 95 in 100."""
    import polars as pl

    from ..results.posterior import NumberPosterior

    said = NumberPosterior(*model.predict(X, return_std=True))
    low, high = said.interval()
    columns = {"label": said.mean, "sd": said.sd, "low": low, "high": high}
    return pl.DataFrame([ids.to_series("task"), *(pl.Series(name, v) for name, v in columns.items())])


def _of_classes(model: Any, ids: Any, X: Any, cost: str | None) -> pl.DataFrame:
    """One column a class; a class named as another column gets p(...) about it."""
    import numpy as np
    import polars as pl

    from ..results.decision import cheapest, cost_matrix

    chances, known = model.predict_proba(X), model.result_.labels
    if known.kind == "set":
        return _of_sets(model, ids, chances)
    best = chances.argmax(axis=1) if cost is None else cheapest(chances, cost_matrix(cost, known))[0]
    classes = known.unit_classes
    labels = classes.to_series("label").gather(best)
    confidence = pl.Series("confidence", chances[np.arange(len(best)), best])
    columns = [
        pl.Series(f"p({name})" if str(name) in FIXED else str(name), chances[:, k])
        for k, name in enumerate(classes)
    ]
    return pl.DataFrame([ids.to_series("task"), labels, confidence, *columns])


def _of_sets(model: Any, ids: Any, chances: Any) -> pl.DataFrame:
    """The list of labels, the mean confidence over all labels, and a column of chances of yes a label."""
    import numpy as np
    import polars as pl

    names = model.classes_.tolist()
    lists = [[name for name, p in zip(names, row, strict=True) if p > 0.5] for row in chances.tolist()]
    columns = [
        pl.Series(f"p({name})" if str(name) in FIXED else str(name), chances[:, k])
        for k, name in enumerate(names)
    ]
    sure = pl.Series("confidence", np.maximum(chances, 1 - chances).mean(axis=1))
    return pl.DataFrame([ids.to_series("task"), pl.Series("label", lists, strict=False), sure, *columns])
