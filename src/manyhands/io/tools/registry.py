"""The tools whose exports are known: a file each, and a line here."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from ...errors import ParameterError
from .records import Sample
from .tool import Tool

__all__ = ["TOOLS", "named_for", "recognised", "tool"]

# The name that a user gives, and the file. In the order in which a file is tried against them.
TOOLS = {
    "label-studio": "label_studio",
    "label-studio-min": "label_studio_min",
    "label-studio-predictions": "label_studio_predictions",
    "argilla": "argilla",
    "prodigy": "prodigy",
    "doccano": "doccano",
    "mturk": "mturk",
    "toloka": "toloka",
    "appen": "appen",
    "zooniverse": "zooniverse",
    "sagemaker": "sagemaker",
    "conll": "conll",
}
# Those whose files are known by their name.
SUFFIXES = {".conll": "conll", ".bio": "conll", ".iob": "conll", ".iob2": "conll", ".bioes": "conll"}


def tool(name: str) -> Tool:
    """The tool of a name.

    >>> tool("prodigy").suffix
    '.jsonl'
    """
    if name not in TOOLS:
        raise ParameterError(f"format={name!r} is no tool; there are {', '.join(TOOLS)}")
    found: Tool = import_module(f".{TOOLS[name]}", __package__).TOOL
    return found


def named_for(path: Path) -> str | None:
    """The tool that a file is named for, .gz or not.

    >>> named_for(Path("crowd.conll.gz"))
    'conll'
    """
    inner = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    return SUFFIXES.get(inner.suffix.lower())


def recognised(sample: Sample) -> Tool | None:
    """The tool whose export a file looks like."""
    return next((one for one in map(tool, TOOLS) if one.recognises(sample)), None)
