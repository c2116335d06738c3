"""A folder of arrays, texts and plain data, replaced as one; nothing in it is ever unpickled."""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import FileError, FormatError, ParameterError
from .atomic import sync_file, sync_folder
from .manifest import MANIFEST, OTHER, STAGING, is_ours, read_manifest, write_manifest
from .strings import pack, unpack

if TYPE_CHECKING:
    import numpy as np

__all__ = ["read_folder", "read_part", "write_folder", "write_part"]


def write_folder(
    path: str | Path,
    arrays: Mapping[str, np.ndarray],
    texts: Mapping[str, Sequence[str]],
    meta: Mapping[str, Any],
    parts: Sequence[str] = (),
) -> None:
    """Save named arrays, named lists of text, and JSON data as one folder.

    The files get new names, `manifest.json` is renamed last, and the files that the old manifest
    named are removed after that: a reader sees the old content or the new, whole.

    parts: names of what other processes have just written here by `write_part`.

    >>> import numpy as np, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> write_folder(folder, {"prior": np.array([.25, .75])}, {"classes": ["no", "yes"]}, {"kind": "class"})
    >>> arrays, texts, meta = read_folder(folder)
    >>> arrays["prior"].tolist(), texts["classes"], meta["kind"]
    ([0.25, 0.75], ['no', 'yes'], 'class')
    """
    folder = Path(path)
    content = _json(meta)
    tensors = {name: _plain(name, array) for name, array in arrays.items()}
    packed = pack(texts)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _alone(folder), _new_files(folder) as (staged, files):
            _save_arrays(staged["arrays"], tensors)
            _save_arrays(staged["texts"], packed)
            staged["meta"].write_bytes(content)
            for part, file in staged.items():
                sync_file(file)
                os.replace(file, files[part])
            sync_folder(folder)
            files |= {f"{OTHER}{n}": folder / name for n, name in enumerate(parts)}
            write_manifest(folder, files)
            _sweep(folder, keep={file.name for file in files.values()})
    except OSError as error:
        raise _unsaved(folder, error) from error


def write_part(path: str | Path, arrays: Mapping[str, np.ndarray]) -> str:
    """Save arrays under a new name, which is given back; they count when another process names it in `write_folder`."""
    folder = Path(path)
    tensors = {name: _plain(name, array) for name, array in arrays.items()}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _new_files(folder) as (staged, files):
            _save_arrays(staged["arrays"], tensors)
            sync_file(staged["arrays"])
            os.replace(staged["arrays"], files["arrays"])
            sync_folder(folder)
            return files["arrays"].name
    except OSError as error:
        raise _unsaved(folder, error) from error


def read_part(path: str | Path, number: int) -> dict[str, np.ndarray]:
    """The arrays of one of the parts that the folder names."""
    return _load_arrays(read_manifest(Path(path))[f"{OTHER}{number}"][0])


def _unsaved(folder: Path, error: OSError) -> FileError:
    if isinstance(error, FileError):
        return error
    return FileError(
        f"cannot be saved: {error.strerror or error}. What stood there is as it was", path=folder
    )


def read_folder(path: str | Path) -> tuple[dict[str, np.ndarray], dict[str, list[str]], dict[str, Any]]:
    """The arrays, the texts and the data that `write_folder` saved."""
    folder = Path(path)
    while True:
        files = read_manifest(folder)
        try:
            return _read(files)
        except FileNotFoundError:  # replaced since we read the manifest: then there is a new one
            if read_manifest(folder) == files:
                raise FormatError(
                    f"{MANIFEST} names a file that is not there; the folder was copied in part: "
                    f"copy or save it again",
                    path=folder,
                ) from None
        except OSError as error:
            if isinstance(error, FileError):
                raise
            raise FileError(f"cannot be read: {error.strerror or error}", path=folder) from None


def _read(
    files: dict[str, tuple[Path, int]],
) -> tuple[dict[str, np.ndarray], dict[str, list[str]], dict[str, Any]]:
    for file, size in files.values():
        if file.stat().st_size != size:
            raise FormatError(
                f"has {file.stat().st_size} bytes where {MANIFEST} says {size}: it is cut off or was changed; "
                f"copy or save the folder again",
                path=file,
            )
    meta_file = files["meta"][0]
    try:
        meta = json.loads(meta_file.read_bytes())
    except (ValueError, RecursionError) as error:
        raise FormatError(f"is not JSON ({error}); save the folder again", path=meta_file) from None
    texts_file = files["texts"][0]
    return _load_arrays(files["arrays"][0]), unpack(_load_arrays(texts_file), texts_file), meta


def _save_arrays(file: Path, arrays: Mapping[str, np.ndarray]) -> None:
    from safetensors import SafetensorError
    from safetensors.numpy import save_file

    try:
        save_file(dict(arrays), file)
    except SafetensorError as error:  # a full disk, say
        raise OSError(str(error)) from None


def _load_arrays(file: Path) -> dict[str, np.ndarray]:
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        return dict(load_file(file))
    except (SafetensorError, KeyError, ValueError) as error:
        raise FormatError(f"is not a safetensors file ({error}); save the folder again", path=file) from None


def _plain(name: str, array: Any) -> np.ndarray:
    import numpy as np

    values = np.asarray(array, order="C")
    if values.dtype.kind not in "fiub":
        raise ParameterError(
            f"arrays[{name!r}] is of type {values.dtype}, but only numbers and booleans are saved as arrays; "
            f"put text into texts= and the rest into meta="
        )
    return values.astype(values.dtype.newbyteorder("<"), copy=False)


def _json(meta: Mapping[str, Any]) -> bytes:
    try:
        return json.dumps(dict(meta), indent=1).encode("utf-8")
    except (TypeError, ValueError) as error:
        raise ParameterError(f"meta= holds what JSON cannot: {error}") from None


@contextmanager
def _new_files(folder: Path) -> Iterator[tuple[dict[str, Path], dict[str, Path]]]:
    """Where to write the files, and where they go; safetensors leaves temporaries of its own when killed."""
    token = secrets.token_hex(6)
    suffixes = {"arrays": "safetensors", "texts": "safetensors", "meta": "json"}
    names = {part: f"{part}-{token}.{suffix}" for part, suffix in suffixes.items()}
    files = {part: folder / name for part, name in names.items()}
    staging = folder / f"{STAGING}{token}"
    staging.mkdir()
    try:
        yield {part: staging / name for part, name in names.items()}, files
    except BaseException:
        if not _named(folder, token):
            for file in files.values():
                with suppress(OSError):
                    file.unlink()
        raise
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _named(folder: Path, token: str) -> bool:
    """Whether the manifest names the new files already, and only what came after went wrong."""
    try:
        return token in (folder / MANIFEST).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return False


def _sweep(folder: Path, keep: set[str]) -> None:
    """Remove what the old manifest named, and what killed writers left; never a file of the user's."""
    for name in os.listdir(folder):
        if is_ours(name) and name not in keep:
            if name.startswith(STAGING):
                shutil.rmtree(folder / name, ignore_errors=True)
                continue
            with suppress(OSError):
                (folder / name).unlink()


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """One writer at a time, so that nobody sweeps away what another is about to name."""
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # some network disks have no locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
