"""Parameters as scikit-learn has them, without scikit-learn: importing it costs .13 GB and half a second.

Aggregation needs nothing else of it; `clone` asks for no more than this.
"""

from __future__ import annotations

from inspect import Parameter, signature
from typing import Any, Self

from ..errors import ParameterError

__all__ = ["Parameters"]


class Parameters:
    """get_params, set_params and a repr that shows what differs from the default.

    >>> from manyhands import GLAD
    >>> GLAD(tol=1e-3)
    GLAD(tol=0.001)
    >>> GLAD().set_params(max_iter=7).get_params()["max_iter"]
    7
    """

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        given = signature(cls.__init__).parameters.values()
        return {p.name: p.default for p in given if p.kind is Parameter.KEYWORD_ONLY}

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name."""
        return {name: getattr(self, name) for name in sorted(self._defaults())}

    def set_params(self, **parameters: Any) -> Self:
        """Other values for some of them."""
        known = self._defaults()
        for name in parameters:
            if name not in known:
                raise ParameterError(
                    f"Invalid parameter {name!r} for {type(self).__name__}: its parameters are {', '.join(sorted(known))}"
                )
        for name, value in parameters.items():
            setattr(self, name, value)
        return self

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import Tags, TargetTags

        return Tags(estimator_type=None, target_tags=TargetTags(required=False))

    def __repr__(self) -> str:
        changed = {
            n: getattr(self, n) for n, default in self._defaults().items() if getattr(self, n) is not default
        }
        shown = ", ".join(f"{n}={v!r}" for n, v in changed.items() if v != self._defaults()[n])
        return f"{type(self).__name__}({shown})"
