"""A folder with annotations, tasks and truth in files of their own, as `simulate --out` writes it."""

from __future__ import annotations

from pathlib import Path

__all__ = ["labels_file"]

ENDS = ("csv", "csv.gz", "parquet", "jsonl", "jsonl.gz", "tsv", "tsv.gz")


def labels_file(path: Path) -> Path:
    """The annotations of such a folder; any other path as it is.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "annotations.csv").write_text("task,annotator,label")
    >>> labels_file(folder).name
    'annotations.csv'
    """
    return next(
        (path / f"annotations.{end}" for end in ENDS if (path / f"annotations.{end}").is_file()), path
    )
