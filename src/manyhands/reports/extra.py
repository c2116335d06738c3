"""The packages that only a report needs, and what to do where they are not there."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from ..errors import UnsupportedError

__all__ = ["check_packages", "needed"]

PACKAGES = {"jinja2": "jinja2", "altair": "altair", "vl_convert": "vl-convert-python"}


def needed(name: str) -> ModuleType:
    """The module, or an error that says how to get it.

    >>> needed("jinja2").__name__
    'jinja2'
    """
    try:
        return import_module(name)
    except ImportError:
        raise UnsupportedError(
            f"a report needs the package {PACKAGES.get(name, name)}, which is not installed: "
            f"pip install 'manyhands[report]'"
        ) from None


def check_packages() -> None:
    """All of them, before any work is done."""
    for name in PACKAGES:
        needed(name)
