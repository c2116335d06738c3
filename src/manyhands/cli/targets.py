"""The files that `aggregate` writes: all of them or none, and never over what it reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import FileError, UnsupportedError
from .tag_files import in_scheme, write_columns

if TYPE_CHECKING:
    import polars as pl

    from ..results import Result

__all__ = ["Targets", "in_cells", "refuse_overwriting"]


def _file(name: str, text: str) -> Any:
    return typer.Option(name, metavar="FILE", help=text, show_default=False)


@dataclass(frozen=True)
class Targets:
    """Where the parts of a result go; None: nowhere."""

    consensus: Annotated[
        Path | None,
        _file(
            "--out",
            "Write the consensus: task, label, confidence, n; of tags also as CoNLL columns (.conll).",
        ),
    ] = None
    annotators: Annotated[Path | None, _file("--annotators", "Write how good each annotator is.")] = None
    tasks: Annotated[Path | None, _file("--tasks-out", "Write how disputed each task is.")] = None
    spans: Annotated[Path | None, _file("--spans", "Of tags: write the spans that are believed.")] = None
    disputed: Annotated[
        Path | None,
        _file("--disputed-spans", "Of tags: write the spans that some marked and others did not, and who."),
    ] = None
    result: Annotated[
        Path | None,
        typer.Option(
            "--save", metavar="FOLDER", show_default=False,
            help="Save the whole result, for `manyhands explain` and manyhands.load.",
        ),
    ] = None  # fmt: skip

    @property
    def shows_tasks(self) -> bool:
        """Whether the words of the tasks are written too."""
        from ..io.tools.registry import named_for

        return self.consensus is not None and named_for(self.consensus) is not None

    def check(self, inputs: list[Path]) -> None:
        """Refuse what cannot be written before hours are spent on it."""
        from ..io.frames import format_to_write
        from ..io.tools.registry import named_for

        for what, path in self._tables().items():
            if what != "consensus" or named_for(path) is None:
                format_to_write(path)
            if not path.parent.is_dir():
                raise FileError(f"there is no folder {str(path.parent)!r} to write into; make it first", path)
        if self.result is not None and self.result.exists() and not self.result.is_dir():
            raise FileError("is a file; a result is saved as a folder: give another name", self.result)
        given = [*self._tables().values(), *([self.result] if self.result else [])]
        twice = next((path for place, path in enumerate(given) if path in given[:place]), None)
        if twice is not None:
            raise FileError("is named twice; give each output a name of its own", twice)
        refuse_overwriting(inputs, given)

    def write(
        self,
        result: Result,
        cost: str | None = None,
        scheme: str | None = None,
        shown: Mapping[str, Any] | None = None,
    ) -> dict[str, str]:
        """Write what is asked for; names take the place of old files when all is on the disk.

        scheme: of the tags. shown: what the tasks show, for CoNLL columns.
        """
        from ..io import atomic_write

        makers: dict[str, Callable[[], Any]] = {
            "consensus": lambda: in_scheme(result.consensus(cost), scheme),
            "annotators": result.annotators,
            "tasks": lambda: in_scheme(result.tasks(cost), scheme),
            "spans": result.spans,
            "disputed": result.disputed_spans,
        }
        with ExitStack() as stack:
            for what, path in self._tables().items():
                temporary = stack.enter_context(atomic_write(path))
                _write_one(makers[what](), result, path, temporary, shown or {})
            if self.result is not None:
                result.save(self.result)
        named = {**self._tables(), **({"result": self.result} if self.result else {})}
        return {what: str(path) for what, path in named.items()}

    def _tables(self) -> dict[str, Path]:
        tables = {
            "consensus": self.consensus, "annotators": self.annotators, "tasks": self.tasks,
            "spans": self.spans, "disputed": self.disputed,
        }  # fmt: skip
        return {what: path for what, path in tables.items() if path is not None}


def _write_one(
    frame: pl.DataFrame, result: Result, path: Path, temporary: Path, shown: Mapping[str, Any]
) -> None:
    from ..io import write_frame
    from ..io.tools.registry import named_for

    if named_for(path) is None:
        write_frame(in_cells(frame, result.labels.kind, path), temporary)
    elif result.labels.kind == "tags":
        write_columns(temporary, frame["task"].to_list(), frame["label"].to_list(), result.method, shown)
    else:
        raise UnsupportedError(
            f"{path}: CoNLL columns hold tags, and these labels are of kind {result.labels.kind!r}"
        )


def refuse_overwriting(inputs: list[Path], outputs: list[Path]) -> None:
    """An output that is an input, or lies in a folder that is one, would destroy what it came from."""
    for source in (path.resolve() for path in inputs):
        for path in outputs:
            target = path.resolve()
            if target == source or (source.is_dir() and source in target.parents):
                raise FileError("would overwrite the input; give another name", path)


def in_cells(frame: pl.DataFrame, kind: str, path: Path) -> pl.DataFrame:
    """Tags and sets as text that `read` takes back, where the format has no lists."""
    import polars as pl

    from ..io.cells import join_labels
    from ..io.frames import format_to_write

    lists = [name for name, dtype in frame.schema.items() if isinstance(dtype, pl.List)]
    if kind not in ("tags", "set") or not format_to_write(path).is_text:
        return frame
    joined = {name: join_labels(frame[name].to_list(), kind, None) for name in lists}
    return frame.with_columns(pl.Series(name, cells, dtype=pl.String) for name, cells in joined.items())
