"""Pictures of tasks as data addresses, so that the page needs nothing but itself."""

from __future__ import annotations

import base64
import os
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import FileError, ParameterError

__all__ = ["data_uri"]

SIDE = 160  # pixels of a thumbnail's longer side
LARGEST = 200_000  # bytes of a picture taken as it is
KINDS = ((b"\x89PNG\r\n\x1a\n", "png"), (b"\xff\xd8\xff", "jpeg"), (b"GIF8", "gif"), (b"RIFF", "webp"))


def data_uri(picture: Any, task: Any = None) -> str | None:
    """A file, its bytes, or an array [height, width] or [height, width, 3]; None where it is too large.

    Arrays are thinned to a thumbnail; floats are taken to lie between 0 and 1. Large files are made
    smaller where Pillow is installed.

    >>> data_uri(np.zeros((2, 2), dtype=np.uint8))[:22]
    'data:image/png;base64,'
    """
    if isinstance(picture, np.ndarray) or hasattr(picture, "__array__"):
        return _address("png", _png(_thumbnail(np.asarray(picture), task)))
    if isinstance(picture, (str, os.PathLike)):
        try:
            picture = Path(picture).read_bytes()
        except OSError as error:
            raise FileError(f"cannot be read: {error.strerror or error}", picture) from None
    if not isinstance(picture, (bytes, bytearray)):
        raise ParameterError(
            f"the picture of task {task!r} is a {type(picture).__name__}: give a path, bytes or an array"
        )
    kind = next((name for magic, name in KINDS if picture[: len(magic)] == magic), None)
    if kind is None:
        raise ParameterError(f"the picture of task {task!r} is no png, jpeg, gif or webp")
    return _address(kind, bytes(picture)) if len(picture) <= LARGEST else _smaller(bytes(picture))


def _address(kind: str, content: bytes) -> str:
    return f"data:image/{kind};base64,{base64.b64encode(content).decode()}"


def _smaller(content: bytes) -> str | None:
    try:
        from io import BytesIO

        from PIL import Image
    except ImportError:
        return None
    picture = Image.open(BytesIO(content)).convert("RGB")
    picture.thumbnail((SIDE * 2, SIDE * 2))
    out = BytesIO()
    picture.save(out, "JPEG", quality=80)
    return _address("jpeg", out.getvalue())


def _thumbnail(array: np.ndarray, task: Any) -> np.ndarray:
    """Bytes, [height, width, 1 or 3]; channels may come first."""
    if array.ndim == 3 and array.shape[2] not in (1, 3) and array.shape[0] in (1, 3):
        array = array.transpose(1, 2, 0)
    if array.ndim == 2:
        array = array[:, :, None]
    if array.ndim != 3 or array.shape[2] not in (1, 3) or not array.size:
        raise ParameterError(
            f"the picture of task {task!r} has shape {array.shape}: give height x width, with 3 colours or none"
        )
    step = -(-max(array.shape[:2]) // SIDE)
    array = array[::step, ::step]
    if array.dtype.kind == "f":
        array = np.clip(array, 0, 1) * 255
    return np.clip(array, 0, 255).astype(np.uint8)


def _png(pixels: np.ndarray) -> bytes:
    """The least that is a PNG: header, one block of pixels, end."""
    height, width, colours = pixels.shape
    rows = np.concatenate([np.zeros((height, 1), np.uint8), pixels.reshape(height, -1)], axis=1)
    header = struct.pack(">IIBBBBB", width, height, 8, 2 if colours == 3 else 0, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 9)), (b"IEND", b""))
    return KINDS[0][0] + b"".join(_chunk(kind, content) for kind, content in parts)


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
