"""Part files of one table as one file, without holding the table."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

__all__ = ["join_parts"]


def join_parts(parts: Sequence[Path], path: Path) -> Path:
    r"""Join csv, jsonl or parquet parts, which are used up.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> for n in (1, 2):
    ...     _ = (folder / f"{n}.csv").write_text(f"task\nt{n}\n")
    >>> join_parts([folder / "1.csv", folder / "2.csv"], folder / "all.csv").read_text()
    'task\nt1\nt2\n'
    """
    if len(parts) == 1:
        return parts[0].rename(path)
    if path.suffix == ".parquet":
        import polars as pl

        pl.scan_parquet(list(parts)).sink_parquet(path)
    else:
        _append(parts, path, header=path.suffix == ".csv")
    for part in parts:
        part.unlink()
    return path


def _append(parts: Sequence[Path], path: Path, header: bool) -> None:
    with open(path, "wb") as whole:
        for place, part in enumerate(parts):
            with open(part, "rb") as handle:
                if header and place:
                    handle.readline()
                shutil.copyfileobj(handle, whole, 1 << 20)
