"""A file is written whole or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..errors import FileError

__all__ = ["atomic_write", "sync_file", "sync_folder"]


@contextmanager
def atomic_write(path: str | Path) -> Iterator[Path]:
    """Give a temporary path in the same folder; when the block ends well, it becomes `path`.

    The content is on the disk before the name changes, so a reader, a crash or a SIGKILL sees
    the old file or the new one, whole. When the block fails nothing is left behind; a killed
    process leaves a hidden `.tmp-...` file that nothing reads.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> with atomic_write(f"{folder}/votes.csv") as temporary:
    ...     _ = temporary.write_text("task,annotator,label")
    >>> os.listdir(folder)
    ['votes.csv']
    """
    target = Path(os.path.realpath(path))  # a link stays a link: what it leads to is replaced
    if _is_special(target, path):
        yield from _through(target)
        return
    temporary = target.parent / f".tmp-{secrets.token_hex(6)}{''.join(target.suffixes)[-60:]}"
    try:
        yield temporary
        _settle(temporary, target)
    except OSError as error:
        _discard(temporary)
        if isinstance(error, FileError):
            raise
        raise _unwritable(path, error) from error
    except BaseException:
        _discard(temporary)
        raise


def _settle(temporary: Path, target: Path) -> None:
    if not temporary.exists():  # an empty file is written by writing nothing
        temporary.touch()
    with suppress(FileNotFoundError):
        os.chmod(temporary, stat.S_IMODE(os.stat(target).st_mode))
    sync_file(temporary)
    os.replace(temporary, target)
    sync_folder(target.parent)


def _discard(temporary: Path) -> None:
    with suppress(OSError):
        temporary.unlink()


def _is_special(target: Path, path: str | Path) -> bool:
    """Whether the target is a pipe or a device, which must be written to and not replaced."""
    try:
        mode = os.stat(target).st_mode
    except OSError:
        return False
    if stat.S_ISDIR(mode):
        raise FileError("is a folder; give the name of a file in it", path=path)
    return not stat.S_ISREG(mode)


def _through(target: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        temporary = Path(folder) / "content"
        yield temporary
        with open(temporary, "rb") as source, open(target, "wb") as sink:
            shutil.copyfileobj(source, sink)


def _unwritable(path: str | Path, error: OSError) -> FileError:
    parent = Path(path).parent
    if not parent.is_dir():
        return FileError(f"there is no folder {str(parent)!r} to write into; make it first", path=path)
    reason = error.strerror or str(error)
    return FileError(f"cannot be written: {reason}. What stood there is as it was", path=path)


def sync_file(path: Path) -> None:
    """Wait until the content of a file is on the disk."""
    with open(path, "rb") as handle:
        os.fsync(handle.fileno())


def sync_folder(path: Path) -> None:
    """Wait until the names in a folder are on the disk (Windows has no such call)."""
    if os.name == "nt":
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
