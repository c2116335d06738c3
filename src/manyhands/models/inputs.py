"""Features and labels at the door of an estimator: what fits, and what to do when it does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from ..annotations import Annotations
from ..errors import LabelError, ParameterError, UnsupportedError, users_line
from ..processes import size
from ..training.features import Features, features_of

__all__ = ["check_ids", "features_for", "labels_for", "numbers_for", "refuse_silence"]


def features_for(owner: Any, X: Any, n_tasks: int | None, reset: bool) -> Features:
    """Features checked as scikit-learn does; pictures and Datasets by their own shape."""
    if isinstance(X, Features):
        features = X
    elif _is_table(X):
        least = 0 if n_tasks == 0 else 1
        try:
            checked = validate_data(
                owner, X, reset=reset, accept_sparse="csr", dtype=np.float32, ensure_min_samples=least
            )
        except ValueError as error:  # in scikit-learn's words, which its checks look for
            raise LabelError(_place_of_gap(X) or str(error)) from None
        features = features_of(checked, owner.device)
    else:
        features = features_of(X, owner.device)
    if n_tasks is not None and len(features) != n_tasks:
        raise LabelError(
            f"there are {len(features)} rows of features but {n_tasks} tasks: put the tasks in the order of the "
            f"rows with labels.align(ids)"
        )
    return features


def check_ids(X: Any, labels: Annotations) -> None:
    """Rows that have names of their own must be the tasks of those names."""
    index: Any = getattr(X, "index", None)
    if not hasattr(index, "tolist") or labels.tasks.are_codes or len(index) != labels.n_tasks:
        return
    ids, tasks = index.tolist(), labels.tasks.to_list()
    if ids == tasks or not set(ids) & set(tasks):
        return
    row = next(i for i, (a, b) in enumerate(zip(ids, tasks, strict=True)) if a != b)
    raise LabelError(
        f"row {row} of the features is {ids[row]!r} by its index, but task {row} of the labels is {tasks[row]!r}: "
        f"put the tasks in the order of the rows with labels.align(X.index)"
    )


def _place_of_gap(X: Any) -> str:
    """Where the first NaN or infinity stands, if that is what is wrong."""
    values = X.tocoo().data if hasattr(X, "tocsr") else np.asarray(X)
    if values.dtype.kind != "f" or values.ndim > 2 or np.isfinite(values).all():
        return ""
    first = np.argwhere(~np.isfinite(values))[0].tolist()
    places = [X.tocoo().row[first[0]], X.tocoo().col[first[0]]] if hasattr(X, "tocsr") else first
    where = ", ".join(f"{name} {place}" for name, place in zip(("row", "column"), places, strict=False))
    return f"Input X contains NaN or infinity, first in {where}: fill them in, for example with SimpleImputer"


def labels_for(y: Any, kinds: tuple[str, ...], classes: Any = None) -> Annotations:
    """The table of labels behind y."""
    return _table_of(y, kinds, check_classification_targets, classes=classes)


def numbers_for(y: Any) -> Annotations:
    """The table of numbers behind y."""
    return _table_of(y, ("number",), _check_numbers, kind="number")


def _table_of(
    y: Any, kinds: tuple[str, ...], check: Callable[[np.ndarray], Any], **options: Any
) -> Annotations:
    if y is None:
        raise ParameterError("requires y to be passed, but the target y is None: give Annotations or labels")
    if isinstance(y, Annotations):
        labels = y
    else:
        values = np.asarray(y) if not hasattr(y, "to_numpy") else np.asarray(y.to_numpy())
        if values.ndim == 2 and values.shape[1] == 1:
            values = _as_column(values)
        if values.ndim == 1:
            _refuse_gaps(values)
            check(values)
        labels = Annotations.from_y(values, **options)
    if labels.kind not in kinds:
        raise UnsupportedError(f"labels are of kind {labels.kind!r}; this takes {' or '.join(kinds)}")
    if size() == 1:
        refuse_silence(labels.n_answers)
    return labels


def refuse_silence(n_labels: int) -> None:
    """Refuse a table, or tables of all processes, without any label."""
    if not n_labels:
        raise LabelError("there is not one label to learn from: all answers are missing")


def _check_numbers(values: np.ndarray) -> None:
    if values.dtype.kind not in "iufO":
        odd = "Complex data not supported: " if values.dtype.kind == "c" else ""
        raise LabelError(f"{odd}y is of type {values.dtype}: give numbers")


def _refuse_gaps(values: np.ndarray) -> None:
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise LabelError(
            "Input y contains NaN or infinity: leave those tasks out, or give them no label in Annotations"
        )


def _as_column(values: np.ndarray) -> np.ndarray:
    import warnings

    from sklearn.exceptions import DataConversionWarning

    warnings.warn(
        "A column-vector y was passed when a 1d array was expected. Please change the shape of y to "
        "(n_samples,), for example using ravel().",
        DataConversionWarning,
        stacklevel=users_line(),
    )
    return values.ravel()


def _is_table(X: Any) -> bool:
    """Whether X is what scikit-learn would check: a matrix, a frame, lists of rows."""
    if hasattr(X, "tocsr") or hasattr(X, "to_numpy") or isinstance(X, (list, tuple)):
        return True
    if hasattr(X, "__array__") and not hasattr(X, "__getitems__"):
        return np.asarray(X).ndim <= 2
    return not (hasattr(X, "__len__") and hasattr(X, "__getitem__"))
