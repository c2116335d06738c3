"""Lists of text as arrays: utf-8 bytes end to end, and where each text starts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import FormatError, ParameterError

if TYPE_CHECKING:
    import numpy as np

__all__ = ["pack", "unpack"]

BYTES, STARTS = ".bytes", ".starts"


def pack(texts: Mapping[str, Sequence[str]]) -> dict[str, np.ndarray]:
    """Two arrays a list.

    >>> {name: array.tolist() for name, array in pack({"classes": ["no", "yes"]}).items()}
    {'classes.bytes': [110, 111, 121, 101, 115], 'classes.starts': [0, 2, 5]}
    """
    import numpy as np

    arrays: dict[str, np.ndarray] = {}
    for name, values in texts.items():
        wrong = next((row for row, value in enumerate(values) if not isinstance(value, str)), None)
        if wrong is not None:
            raise ParameterError(f"texts[{name!r}][{wrong}] is {values[wrong]!r}, which is not text")
        # Half a surrogate pair is no character, but Python allows it in a name.
        encoded = [value.encode("utf-8", "surrogatepass") for value in values]
        starts = np.zeros(len(encoded) + 1, dtype=np.int64)
        np.cumsum([len(value) for value in encoded], out=starts[1:])
        arrays[name + BYTES] = np.frombuffer(b"".join(encoded), dtype=np.uint8)
        arrays[name + STARTS] = starts
    return arrays


def unpack(arrays: Mapping[str, np.ndarray], path: Path) -> dict[str, list[str]]:
    """The lists that `pack` packed; `path` is where they were read from, for errors.

    >>> unpack(pack({"classes": ["no", "", "yes"]}), Path("texts"))
    {'classes': ['no', '', 'yes']}
    """
    names = [key.removesuffix(STARTS) for key in arrays if key.endswith(STARTS)]
    return {name: _unpack(name, arrays, path) for name in names}


def _unpack(name: str, arrays: Mapping[str, np.ndarray], path: Path) -> list[str]:
    import numpy as np

    starts, content = arrays[name + STARTS], arrays.get(name + BYTES)
    sound = (
        content is not None and content.dtype == np.uint8 and starts.dtype == np.int64
        and len(starts) and starts[0] == 0 and starts[-1] == len(content) and (np.diff(starts) >= 0).all()
    )  # fmt: skip
    try:
        if not sound or content is None:
            raise ValueError("the starts do not fit the bytes")
        flat, ends = content.tobytes(), starts.tolist()
        return [flat[a:b].decode("utf-8", "surrogatepass") for a, b in pairwise(ends)]
    except ValueError as error:  # of which UnicodeDecodeError is one
        raise FormatError(f"holds a damaged list {name!r} ({error}); save the folder again", path) from None
