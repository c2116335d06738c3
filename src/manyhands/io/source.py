"""A text file as bytes: whole blocks for a quick look, lines for a careful one."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from ..errors import FileError, FormatError
from .formats import BOM, GZIP, Format, check_content, check_gzip, format_of

__all__ = ["Inflated", "Source", "open_source", "read_start"]

BLOCK = 1 << 24


@dataclass(frozen=True, eq=False)
class Source:
    """A file whose content is what its name says.

    content: what was inflated from gzip; None where the file on the disk is the content, or is to be inflated
        while it is read.
    """

    path: Path
    format: Format
    content: bytes | None = None

    def blocks(self) -> Iterator[bytes]:
        """Long pieces that end where a line ends; the byte order mark is left out."""
        with self._open() as handle:
            if handle.read(len(BOM)) != BOM:
                handle.seek(0)
            rest = b""
            while block := handle.read(BLOCK):
                cut = block.rfind(b"\n") + 1
                if cut:
                    yield rest + block[:cut]
                    rest = block[cut:]
                else:
                    rest += block
            if rest:
                yield rest

    def lines(self) -> Iterator[bytes]:
        """Lines as they stand, with their ends; the byte order mark is left out."""
        with self._open() as handle:
            first = handle.readline().removeprefix(BOM)
            if first:
                yield first
            yield from handle

    def pieces(self, size: int) -> Iterator[bytes]:
        """Pieces of one length, wherever they end; the byte order mark is left out."""
        with self._open() as handle:
            piece = handle.read(size).removeprefix(BOM)
            while piece:
                yield piece
                piece = handle.read(size)

    def _open(self) -> io.BufferedIOBase:
        if self.content is not None:
            return io.BytesIO(self.content)
        return Inflated(self.path) if self.format.gzipped else open(self.path, "rb")


class Inflated(gzip.GzipFile):
    """A gzip file that is inflated while it is read, and says in our words what is wrong with it."""

    def read(self, size: int | None = -1) -> bytes:
        """So many bytes."""
        with _gzip_faults(Path(self.name)):
            return super().read(size)

    def readline(self, size: int | None = -1) -> bytes:
        """The next line."""
        with _gzip_faults(Path(self.name)):
            return super().readline(size)


def open_source(path: Path, given: str | None = None) -> Source:
    """The file, after a look at its first bytes."""
    start = read_start(path)
    gzipped = start.startswith(GZIP) if given is not None and path.suffix.lower() != ".gz" else None
    form = format_of(path, given, gzipped)
    check_gzip(path, start, form.gzipped)
    content = _inflate(path) if form.gzipped else None
    check_content(path, form.name, start if content is None else content[:4096])
    return Source(path, form, content)


def read_start(path: Path) -> bytes:
    """The first bytes of a file that must be there."""
    try:
        with open(path, "rb") as handle:
            return handle.read(4096)
    except FileNotFoundError:
        raise FileError(f"there is no such file{_similar(path)}", path) from None
    except OSError as error:
        raise FileError(f"cannot be read: {error.strerror or error}", path) from None


def _similar(path: Path) -> str:
    try:
        names = [entry.name for entry in path.parent.iterdir()]
    except OSError:
        return f", and no folder {str(path.parent)!r}"
    close = get_close_matches(path.name, names, n=1)
    return f"; there is {close[0]!r}" if close else ""


def _inflate(path: Path) -> bytes:
    pieces: list[bytes] = []
    try:
        with gzip.open(path) as handle, _gzip_faults(path, pieces):
            while piece := handle.read1(1 << 16):
                pieces.append(piece)
    except FormatError:  # which is an OSError too
        raise
    except OSError as error:
        raise FileError(f"cannot be read: {error.strerror or error}", path) from None
    return b"".join(pieces)


@contextmanager
def _gzip_faults(path: Path, pieces: list[bytes] | None = None) -> Iterator[None]:
    """Say what is wrong with a gzip file; pieces: what came out of it before, which tells the line."""
    try:
        yield
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        line = None if pieces is None else sum(piece.count(b"\n") for piece in pieces) + 1
        what = "cut off" if isinstance(error, EOFError) else f"damaged ({error})"
        where = "" if pieces is None else " here or soon after"
        raise FormatError(
            f"the gzip file is {what}{where}: get it again (gzip -t FILE tests it)", path, line
        ) from None
