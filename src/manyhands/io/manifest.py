"""The manifest of a saved folder: which files belong to it, and how long they are."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from ..errors import FileError, FormatError
from .atomic import atomic_write

__all__ = ["MANIFEST", "OTHER", "STAGING", "VERSION", "is_ours", "read_manifest", "write_manifest"]

MANIFEST = "manifest.json"
FORMAT = "manyhands folder"
VERSION = 1
PARTS = ("arrays", "texts", "meta")
STAGING = ".saving-"
OTHER = "part-"  # and a number: what other processes have written
_OURS = re.compile(r"(arrays|texts|meta)-[0-9a-f]{12}\.(safetensors|json)|\.saving-[0-9a-f]{12}")


def is_ours(name: str) -> bool:
    """Whether a file name is one that only this room gives.

    >>> is_ours("arrays-0123456789ab.safetensors"), is_ours("consensus.csv")
    (True, False)
    """
    return _OURS.fullmatch(name) is not None


def write_manifest(folder: Path, files: dict[str, Path]) -> None:
    """Name the files of the folder: from this rename on, they are what a reader sees."""
    entries = {part: {"name": file.name, "size": file.stat().st_size} for part, file in files.items()}
    content = {"format": FORMAT, "format_version": VERSION, "files": entries}
    with atomic_write(folder / MANIFEST) as temporary:
        temporary.write_text(json.dumps(content, indent=1), encoding="utf-8")


def read_manifest(folder: Path) -> dict[str, tuple[Path, int]]:
    """The path and the size of every part."""
    path = folder / MANIFEST
    if not folder.is_dir():
        raise FileError("there is no such folder", path=folder)
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise FormatError(
            f"there is no {MANIFEST}: this is not a folder that manyhands saved, or its first save was "
            f"interrupted; save again",
            path=folder,
        ) from None
    except OSError as error:
        raise FileError(f"cannot be read: {error.strerror or error}", path=path) from None
    except (ValueError, RecursionError) as error:
        raise FormatError(f"is not JSON ({error}); save the folder again", path=path) from None
    _check_head(content, path)
    others = [part for part in content["files"] if part.startswith(OTHER)]
    return {part: _entry(content["files"].get(part), part, folder) for part in (*PARTS, *others)}


def _check_head(content: Any, path: Path) -> None:
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise FormatError(f"does not say format {FORMAT!r}: manyhands did not save this folder", path=path)
    version = content.get("format_version")
    if not isinstance(version, int) or version < 1:
        raise FormatError(f"has format_version {version!r}, which is not a version", path=path)
    if version > VERSION:
        raise FormatError(
            f"has format_version {version}, but this manyhands reads up to {VERSION}: it was saved by a "
            f"newer one; upgrade with pip install -U manyhands",
            path=path,
        )
    if not isinstance(content.get("files"), dict):
        raise FormatError("names no files; save the folder again", path=path)


def _entry(entry: Any, part: str, folder: Path) -> tuple[Path, int]:
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
        raise FormatError(f"names no file for {part!r}; save the folder again", path=folder / MANIFEST)
    name, size = entry["name"], entry.get("size")
    file = folder / name
    # A stranger's manifest must not lead elsewhere, be it by "..", a full path or a link.
    if not is_ours(name) or name.startswith(STAGING) or file.resolve().parent != folder.resolve():
        raise FormatError(
            f"names {name!r} for {part!r}, which is not a file that manyhands makes in this folder; "
            f"do not trust it",
            path=folder / MANIFEST,
        )
    if not isinstance(size, int):
        raise FormatError(f"gives no size for {name!r}; save the folder again", path=folder / MANIFEST)
    return file, size
