"""Who should label what next, whom to keep, what more labels would buy, and when to stop."""

from .assign import Assignment, assign
from .live import Live

__all__ = ["Assignment", "Live", "assign"]
