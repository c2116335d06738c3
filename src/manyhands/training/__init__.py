"""The loops: EM is written once, for aggregation and for networks."""

from .em import EMRun, Problem, run_em, run_restarts

__all__ = ["EMRun", "Problem", "run_em", "run_restarts"]
