"""Every table once: its name, and the file that makes it."""

from __future__ import annotations

from importlib import import_module

from .table import Table

__all__ = ["TABLES", "table"]

TABLES = {
    "crowd-layer-3": "named_entities",
    "lia-2": "lia",
    "lia-oracles": "lia_oracles",
    "lia-f2": "lia_map",
    "lia-penalty": "lia_penalty",
    "default": "default",
    "default-recipe": "recipe",
}


def table(name: str) -> Table:
    """The table of that name."""
    return import_module(f".{TABLES[name]}", __package__).TABLE  # type: ignore[no-any-return]
