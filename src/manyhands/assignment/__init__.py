"""Who should label what next, whom to keep, what more labels would buy, and when to stop."""

from .assign import assign
from .forecast import forecast
from .live import Live
from .questions import Assignment
from .worth import annotators

__all__ = ["Assignment", "Live", "annotators", "assign", "forecast"]
