"""Who should label what next, whom to keep, what more labels would buy, and when to stop."""

from .assign import Assignment, assign
from .forecast import forecast
from .live import Live
from .worth import annotators

__all__ = ["Assignment", "Live", "annotators", "assign", "forecast"]
