"""Every table once: its name, and the file that makes it."""

from __future__ import annotations

from importlib import import_module

from .table import Table

__all__ = ["TABLES", "table"]

TABLES = {
    "cmm-2": "growing_crowds",
    "cmm-3": "anonymous_labels",
    "cmm-4": "groups_found",
    "cmm-figure-3": "cost_of_annotators",
    "conal-1": "common_confusions",
    "conal-2": "apartness",
    "conal-3": "more_parameters",
    "conal-6": "common_noise",
    "crowd-layer-1": "crowd_layer_classes",
    "crowd-layer-2": "film_reviews",
    "crowd-layer-3": "named_entities",
    "default": "default",
    "default-recipe": "recipe",
    "lia-2": "lia",
    "lia-f2": "lia_map",
    "lia-oracles": "lia_oracles",
    "lia-penalty": "lia_penalty",
    "speelfc-1": "sentence_polarity",
    "speelfc-2": "music_genres",
}


def table(name: str) -> Table:
    """The table of that name."""
    return import_module(f".{TABLES[name]}", __package__).TABLE  # type: ignore[no-any-return]
