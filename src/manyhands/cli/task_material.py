"""Texts and pictures of tasks, from files, by the name of the task."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import FileError, FormatError, ParameterError

__all__ = ["read_pictures", "read_texts"]

TEXTS = ("text", "tokens", "sentence", "words")
PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp")


def read_texts(path: Path, column: str | None = None) -> Mapping[str, Any]:
    r"""{task: text, or list of tokens} of a table.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "texts.csv"
    >>> _ = path.write_text("task,text\nt1,good film\n")
    >>> read_texts(path)
    {'t1': 'good film'}
    """
    from ..io import read_sentences
    from ..io.roles import find_roles
    from ..io.tables import open_table
    from ..io.tools.registry import named_for

    if named_for(path) is not None:
        return {task: data["tokens"] for task, data in read_sentences(path).contents().items()}
    table = open_table(path)
    task = find_roles(table, {}, ("task",))["task"]
    have = ", ".join(map(repr, table.names[:20]))
    if column is not None and column not in table.names:
        raise ParameterError(f"{path} has no column {column!r} (--text-column); there are {have}")
    lowered = {name.strip().lower(): name for name in reversed(table.names)}
    chosen = column or next((lowered[name] for name in TEXTS if name in lowered), None)
    if chosen is None:
        raise FormatError(
            f"has no column named {' or '.join(TEXTS)}; name it with --text-column: there are {have}", path
        )
    frame = table.frame([task, chosen])
    texts = zip(frame[task].to_list(), frame[chosen].to_list(), strict=True)
    return {str(name): text for name, text in texts if name is not None and text is not None}


def read_pictures(path: Path) -> Mapping[str, Any]:
    """{task: path of a picture} of a folder, by file name with or without the suffix; or {task: array} of an .npz."""
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if file.suffix.lower() in PICTURES)
        if not files:
            raise FileError(f"holds no picture ({', '.join(PICTURES)})", path)
        return {file.stem: file for file in files} | {file.name: file for file in files}
    from ..io import read_features

    table = read_features(path)
    if getattr(table.X, "ndim", 0) != 4:
        raise FormatError(
            "holds no pictures: give X of four dimensions, height x width x channels a task", path
        )
    return {str(name): picture for name, picture in zip(table.ids, table.X, strict=True)}
