"""Vectors of words, known before: GloVe's text form, or arrays with the words beside them."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

from ..errors import FileError, FormatError
from .formats import GZIP
from .source import read_start

if TYPE_CHECKING:
    import numpy as np

__all__ = ["read_vectors"]

WORDS = "words"  # the array inside an .npz, or words.txt beside it


def read_vectors(path: str | Path) -> tuple[list[str], np.ndarray]:
    r"""Words, and a row of float32 for each; of a word that comes twice the first counts.

    Args:
        path: a text with a word and its numbers a line (GloVe; word2vec's first line of two counts is passed
            over), gzipped or not; or an .npz with an array X, and the words in an array `words` or a line each in
            words.txt beside it.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "glove.txt"
    >>> _ = path.write_text("ada .5 1\nwrote 0 -2\n")
    >>> words, rows = read_vectors(path)
    >>> words, rows.tolist()
    (['ada', 'wrote'], [[0.5, 1.0], [0.0, -2.0]])
    """
    import numpy as np

    place = Path(path)
    words, rows = _of_arrays(place) if place.suffix.lower() == ".npz" else _of_text(place)
    if not words:
        raise FormatError("holds no word", place)
    if not np.isfinite(rows).all():
        row = int(np.argmin(np.isfinite(rows).all(axis=1)))
        raise FormatError(f"the vector of {words[row]!r} holds NaN or infinity", place)
    first = {word: row for row, word in reversed(list(enumerate(words)))}
    kept = sorted(first.values())
    return (words, rows) if len(kept) == len(words) else ([words[row] for row in kept], rows[kept])


def _of_arrays(path: Path) -> tuple[list[str], np.ndarray]:
    import numpy as np

    read_start(path)  # says what is wrong where it is not there
    try:
        with np.load(path, allow_pickle=False) as arrays:
            found = {name: arrays[name] for name in ("X", WORDS) if name in arrays.files}
    except (ValueError, OSError, EOFError, KeyError, zlib.error, NotImplementedError) as error:
        raise FormatError(f"is no .npz that can be read ({error})", path) from None
    beside = path.parent / f"{WORDS}.txt"
    if "X" not in found or found["X"].ndim != 2 or found["X"].dtype.kind not in "fiu":
        raise FormatError("has no array X of numbers, [words, dimensions]", path)
    if WORDS not in found and not beside.is_file():
        raise FormatError(
            f"has no array {WORDS!r}, and there is no {beside.name} beside it with a word a line", path
        )
    words = [str(word) for word in found[WORDS].ravel().tolist()] if WORDS in found else _words(beside)
    if len(words) != len(found["X"]):
        raise FormatError(f"has {len(found['X'])} vectors for {len(words)} words: give one a word", path)
    return words, found["X"].astype(np.float32)


def _words(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    except UnicodeDecodeError as error:
        raise FormatError(f"byte {error.start + 1} is not UTF-8", path) from None


def _of_text(path: Path) -> tuple[list[str], np.ndarray]:
    import numpy as np

    words: list[str] = []
    rows: list[np.ndarray] = []
    width = 0
    for line, raw in _lines(path):
        try:
            text = raw.decode("utf-8").rstrip(" \t\r\n").replace("\t", " ")
        except UnicodeDecodeError as error:
            raise FormatError(f"byte {error.start + 1} of the line is not UTF-8", path, line) from None
        if not text or (line == 1 and _is_counts(text)):
            continue
        width = width or text.count(" ")
        word, *numbers = text.rsplit(" ", width)  # a word may hold spaces
        if len(numbers) != width or not width:
            raise FormatError(
                f"{len(numbers)} numbers after a word where the lines before have {width}", path, line
            )
        try:
            rows.append(np.array(numbers, dtype=np.float32))
        except ValueError:
            raise FormatError(f"after {word[:40]!r} comes something that is no number", path, line) from None
        words.append(word)
    return words, np.stack(rows) if rows else np.empty((0, 0), dtype=np.float32)


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    zipped = read_start(path).startswith(GZIP)
    try:
        handle: IO[bytes]
        with gzip.open(path) if zipped else open(path, "rb") as handle:  # type: ignore[assignment]
            yield from enumerate(handle, start=1)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise FormatError(f"the gzip file is damaged ({error}): get it again", path) from None
    except OSError as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"cannot be read: {error.strerror or error}", path) from None


def _is_counts(text: str) -> bool:
    parts = text.split(" ")
    return len(parts) == 2 and all(part.isdigit() for part in parts)
