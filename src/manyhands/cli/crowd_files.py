"""A simulated crowd as a folder: written block after block, and moved into place when whole."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from ..errors import FileError
from .output import plain

if TYPE_CHECKING:
    import numpy as np

    from ..simulation import Crowd

__all__ = ["CrowdFiles"]


class CrowdFiles:
    """annotations, truth and tasks as tables; features.npz, confusions.npz where there are any.

    Nothing is seen in the folder before `finish`; on leaving without it, nothing stays.
    """

    def __init__(self, folder: Path, format: str):
        self.folder, self.format = folder, format
        self.n_tasks = self.n_answers = self.n_blocks = 0
        self._features: list[np.ndarray] = []
        self._first: Crowd | None = None

    def __enter__(self) -> Self:
        if self.folder.exists() and not self.folder.is_dir():
            raise FileError("is a file; name a folder", self.folder)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._parts = Path(tempfile.mkdtemp(prefix=".tmp-", dir=self.folder))
        except OSError as error:
            raise FileError(f"cannot be written: {error.strerror or error}", self.folder) from None
        return self

    def __exit__(self, *error: object) -> None:
        shutil.rmtree(self._parts, ignore_errors=True)
        if error[0] is not None and not any(self.folder.iterdir()):
            self.folder.rmdir()

    def add(self, block: Crowd) -> None:
        """Write the next tasks aside."""
        from ..io import write, write_frame

        write(block.labels, self._part("annotations"))
        truth = block.truth_frame()
        write_frame(_in_cells(truth, block, self.format), self._part("truth"))
        write_frame(truth.select("task"), self._part("tasks"))
        if block.features is not None:
            self._features.append(block.features)
        self._first = self._first or block
        self.n_tasks += block.labels.n_tasks
        self.n_answers += block.labels.n_answers
        self.n_blocks += 1

    def finish(self, settings: Mapping[str, Any]) -> list[str]:
        """Join the parts, and give every file its name."""
        tables = [self._join(name) for name in ("annotations", "truth", "tasks")]
        arrays = [self._save(name, content) for name, content in self._arrays().items()]
        about = self._parts / "simulation.json"
        about.write_text(json.dumps(plain(dict(settings)), indent=1) + "\n", encoding="utf-8")
        done = [*tables, *arrays, about]
        for file in done:
            os.replace(file, self.folder / file.name)
        return [file.name for file in done]

    def _part(self, name: str) -> Path:
        return self._parts / f"{name}-{self.n_blocks:06d}.{self.format}"

    def _join(self, name: str) -> Path:
        from .joining import join_parts

        parts = sorted(self._parts.glob(f"{name}-*"))
        return join_parts(parts, self._parts / f"{name}.{self.format}")

    def _arrays(self) -> dict[str, dict[str, np.ndarray]]:
        """What else is known, by file: of the tasks, and of the annotators."""
        import numpy as np

        crowd = self._first
        assert crowd is not None
        found = {"features": {"X": np.concatenate(self._features)}} if self._features else {}
        hidden = {"confusions": crowd.confusions, "accuracy": crowd.accuracy}
        people, varying = crowd.labels.n_annotators, (crowd.labels.n_tasks, crowd.labels.n_answers)
        drawn = {
            name: values
            for name, values in crowd.parameters.items()
            if values.ndim == 0 or len(values) == people or len(values) not in varying
        }
        names = {"annotators": np.array([str(name) for name in crowd.labels.annotators])}
        return found | {"confusions": names | drawn | {k: v for k, v in hidden.items() if v is not None}}

    def _save(self, name: str, content: Mapping[str, np.ndarray]) -> Path:
        import numpy as np

        path = self._parts / f"{name}.npz"
        np.savez_compressed(path, **content)  # type: ignore[arg-type]
        return path


def _in_cells(truth: Any, block: Crowd, format: str) -> Any:
    """Tags and sets as text, where the format has no lists."""
    import polars as pl

    from ..io.cells import join_labels

    if format != "csv" or block.labels.kind not in ("tags", "set"):
        return truth
    joined = join_labels(truth["label"].to_list(), block.labels.kind, None)
    return truth.with_columns(pl.Series("label", joined, dtype=pl.String))
