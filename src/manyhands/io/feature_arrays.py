"""Features in .npy and .npz: numbers only, never unpickled."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..annotations import Names
from ..errors import FileError, FormatError
from .source import read_start
from .task_rows import TaskRows, rows_of, tasks_beside

if TYPE_CHECKING:
    import numpy as np

__all__ = ["read_arrays"]

IDS = ("ids", "tasks", "task")


def read_arrays(path: Path) -> tuple[TaskRows, Any]:
    """The ids of the rows, and the matrix, sparse matrix or pictures."""
    read_start(path)  # says so where there is no such file
    arrays = _arrays(path)
    X = _matrix(arrays, path)
    inside = next((arrays[name] for name in IDS if name in arrays), None)
    beside = tasks_beside(path)
    if inside is not None:
        rows, source = TaskRows(Names(inside.tolist(), f"{path}: tasks"), None), path
        rows = _with_splits(rows, beside)
    elif beside is not None:
        rows, source = rows_of(beside), beside
    else:
        raise FormatError(
            "does not say which task each row is of: put a tasks.csv (a column task, one row a row) beside it, "
            "or save the ids with it, np.savez(path, X=X, ids=ids)",
            path,
        )
    if len(rows.ids) != X.shape[0]:
        raise FormatError(
            f"holds {X.shape[0]} rows of features, but {source.name} names {len(rows.ids)} tasks: they must "
            f"be one to one, in one order",
            path,
        )
    return rows, X


def _with_splits(rows: TaskRows, beside: Path | None) -> TaskRows:
    """Splits by id, where a table beside the file happens to have them."""
    if beside is None:
        return rows
    there = rows_of(beside)
    codes = there.ids.codes(rows.ids)
    if there.splits is None or (codes < 0).all():
        return rows
    return TaskRows(rows.ids, [there.splits[c] if c >= 0 else None for c in codes.tolist()])


def _arrays(path: Path) -> dict[str, np.ndarray]:
    import numpy as np

    try:
        with open(path, "rb") as handle:
            loaded: Any = np.load(handle, allow_pickle=False)
            if isinstance(loaded, np.ndarray):
                return {"X": loaded}
            with loaded:
                return {name: loaded[name] for name in loaded.files}
    except (ValueError, EOFError, zipfile.BadZipFile, KeyError) as error:
        objects = "Object arrays" in str(error)
        why = "holds Python objects, which are never unpickled" if objects else f"is no array file ({error})"
        raise FormatError(f"{why}: save plain arrays with np.save or np.savez", path) from None
    except OSError as error:
        raise FileError(f"cannot be read: {error.strerror or error}", path) from None


def _matrix(arrays: dict[str, np.ndarray], path: Path) -> Any:
    if {"data", "indices", "indptr", "shape"} <= set(arrays):  # scipy.sparse.save_npz
        return _sparse(arrays, path)
    if "X" not in arrays:
        raise FormatError(
            f"has no array X; it holds {', '.join(map(repr, arrays)) or 'none'}: save the features as X",
            path,
        )
    X = arrays["X"]
    if X.ndim < 2 or X.dtype.kind not in "fiub":
        raise FormatError(f"X is {X.dtype} of shape {X.shape}; it must hold numbers, one row a task", path)
    return _pictures(X) if X.ndim == 4 else X.astype("float32", copy=False)


def _pictures(X: np.ndarray) -> np.ndarray:
    """[tasks, channels, height, width]; bytes as shares of 255."""
    import numpy as np

    if X.shape[-1] in (1, 3, 4) and X.shape[1] not in (1, 3, 4):
        X = np.moveaxis(X, -1, 1)
    scale = 255 if X.dtype == np.uint8 else 1
    return np.ascontiguousarray(X, dtype=np.float32) / np.float32(scale)


def _sparse(arrays: dict[str, np.ndarray], path: Path) -> Any:
    from scipy.sparse import csr_matrix

    try:
        matrix = csr_matrix(
            (arrays["data"].astype("float32"), arrays["indices"], arrays["indptr"]),
            shape=tuple(int(n) for n in arrays["shape"]),
        )
        matrix.check_format(full_check=True)
    except (ValueError, TypeError) as error:
        raise FormatError(f"is no sparse matrix ({error}); save it as CSR with save_npz", path) from None
    if arrays.get("format") is not None and arrays["format"].item() not in (b"csr", "csr"):
        raise FormatError(f"is a sparse matrix in {arrays['format'].item()!r}: save it .tocsr()", path)
    return matrix
