"""Fitting a method of the catalogue, with its progress shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..catalog import Method
from .progress import Step, Work
from .settings import parse_settings

if TYPE_CHECKING:
    from ..annotations import Annotations
    from ..results import Result

__all__ = ["fit", "parameters"]

# Set by the command itself, or without meaning in one.
NOT_SET = ("callback", "random_state", "warm_start")


def parameters(method: Method, given: Sequence[str] | None) -> dict[str, Any]:
    """The parameters of a method that --set names, in their types."""
    if not given:
        return {}
    known = {key: value for key, value in method.make().get_params().items() if key not in NOT_SET}
    return parse_settings(given, known, method.name)


def fit(method: Method, labels: Annotations, given: Sequence[str] | None, seed: int, work: Work) -> Result:
    """The result of a method on a table."""
    model = method.make(**parameters(method, given))
    settable = model.get_params()
    if "random_state" in settable:
        model.set_params(random_state=seed)
    with work.bar(method.name, settable.get("max_iter", 1)) as step:
        if "callback" in settable:
            model.set_params(callback=_teller(step))
        result: Result = model.fit(labels).result_
    return replace(result, method=method.name)


def _teller(step: Step) -> Any:
    def tell(iteration: int, objective: float) -> None:
        step(iteration, f"log-likelihood {objective:,.1f}")

    return tell
