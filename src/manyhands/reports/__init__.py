"""A result as a page for people: numbers (plain data), charts, one self-contained HTML file."""

from .extra import check_packages
from .numbers.contents import Contents, contents
from .reporting import Report, report

__all__ = ["Contents", "Report", "check_packages", "contents", "report"]
