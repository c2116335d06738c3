"""One entry of the list of crowds."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..errors import ParameterError
from .people import People
from .size import Size

__all__ = ["Recipe"]


class Recipe(NamedTuple):
    """How to draw the annotators of one sort of crowd.

    kind: of its labels. says: one line for people. build: (size, rng, **options) -> People.
    """

    name: str
    kind: str
    says: str
    build: Callable[..., People]
    least_classes: int = 1

    @property
    def options(self) -> dict[str, Any]:
        """The options of its own, with their defaults."""
        parameters = inspect.signature(self.build).parameters.values()
        return {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}

    @property
    def has_classes(self) -> bool:
        """Whether the truth of a task is one class, which may have a prior and features."""
        return self.kind in ("class", "ordinal", "soft")

    @property
    def has_features(self) -> bool:
        """Whether its tasks may have features: means that the truth picks, or adds up."""
        return self.has_classes or self.kind == "set"

    def people(self, size: Size, rng: np.random.Generator, options: Mapping[str, Any]) -> People:
        """Draw the annotators, after the options are known to be options."""
        unknown = [name for name in options if name not in self.options]
        if unknown:
            known = ", ".join(self.options) or "none"
            raise ParameterError(
                f"{unknown[0]}={options[unknown[0]]!r} is not an option of the {self.name!r} crowd; "
                f"it has {known}"
            )
        if size.n_classes < self.least_classes:
            raise ParameterError(
                f"n_classes={size.n_classes} is too few for the {self.name!r} crowd: its errors need "
                f"at least {self.least_classes}"
            )
        return self.build(size, rng, **options)
