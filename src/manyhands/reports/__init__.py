"""A result as a page for people: numbers (plain data), charts, one self-contained HTML file."""

from .numbers.contents import Contents, contents
from .report import Report, report

__all__ = ["Contents", "Report", "contents", "report"]
