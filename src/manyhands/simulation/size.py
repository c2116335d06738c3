"""What every crowd is told before its annotators are drawn."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .gaussians import Gaussians

__all__ = ["Size"]


class Size(NamedTuple):
    """How many annotators and classes, how common each class is, and how its features lie."""

    n_annotators: int
    n_classes: int
    prior: np.ndarray  # [K]
    gaussians: Gaussians | None = None
