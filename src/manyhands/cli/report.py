"""`manyhands report`: a result, a model or labels as one page for people."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Option

from ..errors import FileError
from .method_names import known_aggregator
from .options import Json, Quiet, Reading, Seed, with_group
from .progress import Work

if TYPE_CHECKING:
    from ..annotations import Annotations
    from ..reports import Report
    from ..selection import Selection

__all__ = ["report"]

Source = Annotated[
    Path,
    typer.Argument(
        metavar="RESULT|MODEL|LABELS", show_default=False,
        help="A folder that `aggregate --save` or `train` wrote; or a table of labels, which is aggregated first.",
    ),
]  # fmt: skip
Out = Annotated[Path, Option("--out", "-o", metavar="FILE", help="The page to write.")]
Method = Annotated[
    str | None,
    Option(
        "--method", "-m", metavar="NAME", callback=known_aggregator, show_default=False,
        help="For LABELS: see `manyhands methods`. Default: the one that holds up best for the kind of label.",
    ),
]  # fmt: skip
Compare = Annotated[
    bool,
    Option("--compare", help="For LABELS: compare the methods first (see `manyhands compare`), show that, and what "
           "the one that is picked makes of the labels."),
]  # fmt: skip


@dataclass(frozen=True)
class Looks:
    """What the page shows besides figures."""

    title: Annotated[
        str | None, Option("--title", metavar="TEXT", show_default=False, help="Stands at the top.")
    ] = None
    texts: Annotated[
        Path | None,
        Option(
            "--texts", metavar="FILE", show_default=False,
            help="What the tasks say: a table with the task and a column text (or tokens, for sequences).",
        ),
    ] = None  # fmt: skip
    text_column: Annotated[
        str | None,
        Option("--text-column", metavar="NAME", show_default=False, help="Where it has another name."),
    ] = None
    pictures: Annotated[
        Path | None,
        Option(
            "--pictures", metavar="FOLDER|FILE", show_default=False,
            help="Pictures named by their task (png, jpeg, gif, webp), or an .npz of pictures as `train` reads it.",
        ),
    ] = None  # fmt: skip


@with_group(Reading)
@with_group(Looks)
def report(
    source: Source,
    reading: Reading,
    looks: Looks,
    out: Out = Path("report.html"),
    method: Method = None,
    compare: Compare = False,
    seed: Seed = 0,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Write a page that shows what came out, and whom to trust.

    One file, with everything in it: it can be sent by mail. Needs `pip install 'manyhands[report]'`.
    """
    from ..reports import check_packages
    from .output import line, print_json

    check_packages()
    _check(source, out, looks)
    work = Work(quiet or json)
    given, compared = _opened(source, reading, method, compare, seed, work)
    with work.spinner("writing the page"):
        made = _made(given, compared, source, out, looks, seed, _words(given, source, reading))
    findings = [finding.says for finding in made.contents.findings]
    if json:
        print_json({"written": {"report": str(out)}, "bytes": out.stat().st_size, "findings": findings})
    elif not quiet:
        for finding in findings:
            line(f"- {finding}")
        line(f"wrote report: {out} ({out.stat().st_size / 1e6:.1f} MB; open it in a browser, or send it)")


def _check(source: Path, out: Path, looks: Looks) -> None:
    from .targets import refuse_overwriting

    if out.is_dir():
        raise FileError("is a folder; name a file, such as report.html", out)
    if not out.parent.is_dir():
        raise FileError(f"there is no folder {str(out.parent)!r} to write into; make it first", out)
    refuse_overwriting([source, *(path for path in (looks.texts, looks.pictures) if path)], [out])


def _opened(
    source: Path, reading: Reading, method: str | None, compare: bool, seed: int, work: Work
) -> tuple[Any, Selection | None]:
    """A result or a model; of labels, what the method makes of them, and the comparison that picked it."""
    from ..catalog import METHODS, default_method
    from .fitting import fit

    if (source / "manifest.json").is_file():
        from ..models import load

        if method is not None or compare:
            raise typer.BadParameter(
                f"{source} is fitted already; methods go with LABELS",
                param_hint="'--compare'" if compare else "'--method'",
            )
        with work.spinner(f"opening {source}"):
            return load(source), None
    with work.spinner(f"reading {source}"):
        labels = reading.read(source)
    chosen = _compared(labels, seed, work) if compare else None
    if chosen is not None and method is None:
        return replace(chosen.pick_.result_, method=chosen.pick), chosen
    return fit(METHODS[method] if method else default_method(labels.kind), labels, None, seed, work), chosen


def _compared(labels: Annotations, seed: int, work: Work) -> Selection:
    from ..selection import select

    with work.bar("comparing", None) as step:
        return select(labels, random_state=seed, progress=step)


def _words(given: Any, source: Path, reading: Reading) -> dict[str, Any] | None:
    """Of a file of tags, the words that it holds itself."""
    result = getattr(given, "result_", given)
    if result.labels.kind != "tags" or (source / "manifest.json").is_file():
        return None
    from ..io.tokens import words_of

    return {
        task: words_of(data, task).tokens for task, data in reading.shown(source, result.labels)[0].items()
    }


def _made(
    given: Any, compared: Any, source: Path, out: Path, looks: Looks, seed: int, shown: dict[str, Any] | None
) -> Report:
    from ..reports import report as make
    from .task_material import read_pictures, read_texts

    texts = shown if looks.texts is None else read_texts(looks.texts, looks.text_column)
    pictures = None if looks.pictures is None else read_pictures(looks.pictures)
    title = looks.title or f"{source.name}: who said what, and whom to believe"
    return make(given, out, title=title, texts=texts, pictures=pictures, comparison=compared, seed=seed)
