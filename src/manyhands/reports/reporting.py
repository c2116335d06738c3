"""`manyhands.report`: a result, or a fitted model, as one page for people."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from ..errors import ParameterError
from ..io import atomic_write
from ..results import Result
from .extra import check_packages
from .numbers.comparison import comparison as comparison_table
from .numbers.contents import Contents, contents
from .numbers.material import material
from .page import page

__all__ = ["Report", "report"]

TITLE = "Who said what, and whom to believe"


@dataclass(frozen=True, repr=False)
class Report:
    """A page and what it says. html: all of it; path: where it lies, if anywhere; contents: the numbers as data.

    In a notebook it shows itself.
    """

    html: str
    contents: Contents
    path: Path | None = None

    def save(self, path: str | Path) -> Path:
        """Write the page; a reader sees the old one or the new one, whole."""
        with atomic_write(path) as temporary:
            temporary.write_text(self.html, encoding="utf-8", errors="replace")
        return Path(path)

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{escape(self.html)}" title="{escape(self.contents.title)}" '
            f'style="width: 100%; height: 80vh; min-height: 30rem; border: 1px solid #8886; border-radius: 8px" '
            f'sandbox="allow-scripts"></iframe>'
        )

    def __repr__(self) -> str:
        place = f", path={str(self.path)!r}" if self.path else ""
        return f"Report({self.contents.title!r}, {len(self.html) / 1e6:.1f} MB{place})"


def report(
    result: Any,
    path: str | Path | None = None,
    *,
    title: str = TITLE,
    texts: Any = None,
    pictures: Any = None,
    comparison: Any = None,
    when: str | None = None,
    seed: int = 0,
) -> Report:
    """One HTML page about a result: agreement, consensus, annotators, confusions, tasks, training.

    The page is whole: it asks nothing of any other machine, and opens from a mail.

    Args:
        result: a `Result`, or a fitted estimator, which also shows its groups or its map of annotators.
        path: where to write it; None: nowhere, as for a notebook, where the report shows itself.
        title: stands at the top.
        texts: what the tasks say: a mapping from task, or one entry a task; of sequences lists of tokens.
        pictures: the same with pictures: paths, bytes, or arrays; shown as thumbnails.
        comparison: of methods: what `manyhands.select` gives; or plain data, a list of dictionaries or a frame.
        when: the column alongside that says when each answer was given, where its name does not say so.
        seed: of the resampling behind the intervals of agreement.

    >>> import manyhands as mh
    >>> crowd = mh.simulate("confusion", n_tasks=100, n_annotators=8, seed=0)
    >>> made = mh.report(mh.DawidSkene(shared=10.0).fit(crowd.labels))
    >>> made.contents.overview.labels
    500
    """
    check_packages()
    model, of = _parts(result)
    compared = comparison_table(comparison)
    seen = material(of.labels, texts, pictures)
    found = contents(of, model, title=title, material=seen, comparison=compared, when=when, seed=seed)
    made = Report(page(found), found, None if path is None else Path(path))
    if path is not None:
        made.save(path)
    return made


def _parts(given: Any) -> tuple[Any, Result]:
    if isinstance(given, Result):
        return None, given
    if isinstance(getattr(given, "result_", None), Result):
        return given, given.result_
    what = "not fitted yet" if hasattr(given, "fit") else f"a {type(given).__name__}"
    raise ParameterError(
        f"report: what is given is {what}; give a Result or a fitted estimator (model.fit(labels))"
    )
