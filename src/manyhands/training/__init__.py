"""The loops: EM is written once, for aggregation; the gradient loop once, for networks."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .em import EMRun, Problem, run_em, run_restarts

if TYPE_CHECKING:
    from .checkpoint import Checkpoint as Checkpoint
    from .crowd_loss import CrowdLoss as CrowdLoss

__all__ = ["Checkpoint", "CrowdLoss", "EMRun", "Problem", "run_em", "run_restarts"]

_HOMES = {"Checkpoint": "checkpoint", "CrowdLoss": "crowd_loss"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)
