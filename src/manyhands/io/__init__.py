"""Files in and out: one file a format. polars is loaded when a table is first read or written."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .atomic import atomic_write as atomic_write
    from .blocks import Blocks as Blocks
    from .features import FeatureTable as FeatureTable
    from .features import read_features as read_features
    from .folder import read_folder as read_folder
    from .folder import write_folder as write_folder
    from .frames import read_frame as read_frame
    from .frames import write_frame as write_frame
    from .judges import read_verdicts as read_verdicts
    from .judges import verdicts as verdicts
    from .reading import read as read
    from .sentences import SentenceTable as SentenceTable
    from .sentences import read_sentences as read_sentences
    from .tools.label_studio_predictions import read_predictions as read_predictions
    from .truths import read_truth as read_truth
    from .word_vectors import read_vectors as read_vectors
    from .writing import write as write

# Where each public name lives; a file never has the name of something public.
_HOMES = {
    "Blocks": "blocks",
    "FeatureTable": "features",
    "SentenceTable": "sentences",
    "atomic_write": "atomic",
    "read": "reading",
    "read_features": "features",
    "read_folder": "folder",
    "read_frame": "frames",
    "read_predictions": "tools.label_studio_predictions",
    "read_sentences": "sentences",
    "read_truth": "truths",
    "read_vectors": "word_vectors",
    "read_verdicts": "judges",
    "verdicts": "judges",
    "write": "writing",
    "write_folder": "folder",
    "write_frame": "frames",
}

__all__ = [
    "Blocks",
    "FeatureTable",
    "SentenceTable",
    "atomic_write",
    "read",
    "read_features",
    "read_folder",
    "read_frame",
    "read_predictions",
    "read_sentences",
    "read_truth",
    "read_vectors",
    "read_verdicts",
    "verdicts",
    "write",
    "write_folder",
    "write_frame",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)


def __dir__() -> list[str]:
    return __all__
