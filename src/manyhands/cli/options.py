"""Options that several verbs share, each with one meaning."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer
from typer import Option

if TYPE_CHECKING:
    from ..annotations import Annotations
    from ..io.sentences import SentenceTable

__all__ = [
    "Cost",
    "Gold",
    "Json",
    "Kind",
    "Labels",
    "Quiet",
    "Reading",
    "Scheme",
    "Seed",
    "Truth",
    "listed",
    "with_group",
]

Labels = Annotated[
    Path,
    typer.Argument(
        metavar="LABELS",
        help="A table of labels: csv, tsv, parquet or jsonl (.gz too), or a folder of part files, or one with "
        "an annotations.csv, or the export of a labelling tool. One answer a "
        "row (task, annotator, label, or their usual other names), or a wide matrix with --layout wide.",
        show_default=False,
    ),
]
Kind = Annotated[
    str | None, Option("--kind", metavar="KIND", help="class, ordinal, number, tags, set or soft.")
]
Seed = Annotated[
    int, Option("--seed", metavar="N", min=0, help="Decides everything that is drawn at random.")
]
Truth = Annotated[
    Path | None,
    Option(
        "--truth", metavar="FILE", show_default=False,
        help="Known truths (task, label) to score against; never used in the fit.",
    ),
]  # fmt: skip
Gold = Annotated[
    str | None,
    Option(
        "--gold", metavar="FILE|COLUMN", show_default=False,
        help="Known truths to learn from: a file (task, label), or a column of LABELS.",
    ),
]  # fmt: skip
Cost = Annotated[
    str | None,
    Option(
        "--cost", metavar="absolute|squared", show_default=False, callback=lambda value: _known_cost(value),
        help="Of ordered classes: decide by least expected distance (or its square), not for the likeliest.",
    ),
]  # fmt: skip
Scheme = Annotated[
    str | None,
    Option(
        "--scheme", metavar="NAME", show_default=False, callback=lambda value: _known_scheme(value),
        help="Write the spans of tags in this scheme: BIO, BIOES, BILOU or IO. Default: that of the labels.",
    ),
]  # fmt: skip
Quiet = Annotated[bool, Option("--quiet", "-q", help="No progress and no summary; errors and warnings only.")]
Json = Annotated[bool, Option("--json", help="Print the result as JSON, and nothing else, on stdout.")]


def _reading(name: str, metavar: str, text: str) -> Any:
    return Option(name, metavar=metavar, help=text, show_default=False)


@dataclass(frozen=True)
class Reading:
    """How a file of labels is to be read; the words are those of `manyhands.read`."""

    kind: Annotated[
        str | None,
        _reading("--kind", "KIND", "class, ordinal, number, tags, set or soft. Default: found out."),
    ] = None
    columns: Annotated[
        str | None,
        _reading("--columns", "ROLE=NAME,...", "Names of columns, as in task=item,annotator=who,label=vote."),
    ] = None
    classes: Annotated[
        str | None,
        _reading("--classes", "A,B,...", "The classes in their order, also those nobody used."),
    ] = None
    abstain: Annotated[str | None, _reading("--abstain", "A,B,...", "Labels that mean 'cannot say'.")] = None
    missing: Annotated[
        str | None,
        _reading(
            "--missing",
            "WHAT",
            "An empty label: error (default), drop or abstain (default of a tool's export).",
        ),
    ] = None
    repeats: Annotated[
        str,
        _reading(
            "--repeats",
            "WHICH",
            "A second answer of one annotator to a task: error (default), first, last or all.",
        ),
    ] = "error"
    delimiter: Annotated[
        str | None, _reading("--delimiter", "CHAR", "Between the fields of a csv: , ; | or tab.")
    ] = None
    layout: Annotated[
        str | None,
        _reading(
            "--layout",
            "LAYOUT",
            "long (one answer a row), wide (one annotator a column) or indicators (a 0 / 1 column a label).",
        ),
    ] = None
    separator: Annotated[
        str | None, _reading("--separator", "CHAR", "Between the members of a list of tags or labels.")
    ] = None
    format: Annotated[
        str | None,
        Option(
            "--from",
            "--format",
            metavar="FORMAT",
            show_default=False,
            help="csv, tsv, parquet or jsonl, where the suffix does not say it; or the tool, such as label-studio, "
            "where the content does not (docs/tools.md).",
        ),
    ] = None

    verdicts: Annotated[
        Path | None,
        Option(
            "--verdicts", metavar="FILE", show_default=False,
            help='The labels are words of LLM judges: a JSON object from each class to a pattern, {"yes": "\\byes\\b"}. '
            "What matches none or several is 'cannot say' (docs/llm-judges.md).",
        ),
    ] = None  # fmt: skip

    def read(self, path: Path, truth: str | None = None) -> Annotations:
        """The table in a file; truth: a column of it, or a file, with known truths."""
        from ..io import read
        from .crowd_folder import labels_file

        if self.verdicts is not None:
            return self._judged(labels_file(path), truth)
        given = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "verdicts"} | {
            "truth": truth
        }
        given |= {name: listed(given[name]) for name in ("classes", "abstain")}
        return read(labels_file(path), **{name: value for name, value in given.items() if value is not None})

    def sentences(self, path: Path, text: str | None = None) -> SentenceTable:
        """The words that the file of labels holds itself, or a table of tasks beside it."""
        from ..io.sentences import find_sentences, read_sentences
        from .crowd_folder import labels_file

        given: dict[str, Any] = {"columns": self.columns, "delimiter": self.delimiter, "format": self.format}
        found = find_sentences(labels_file(path), **given) if text is None else None
        return read_sentences(labels_file(path), text, **given) if found is None else found

    def shown(self, path: Path, labels: Annotations) -> tuple[dict[str, dict[str, Any]], dict[str, Any]]:
        """What the tasks show, of the export of a tool or of a file of tags that holds their words; and its truths."""
        from ..io.sentences import find_sentences
        from ..io.tools.opening import open_labels
        from ..io.tools.table import ExportTable
        from .crowd_folder import labels_file

        if self.layout in ("wide", "indicators") or self.verdicts is not None:
            return {}, {}
        given: dict[str, Any] = {"columns": self.columns, "delimiter": self.delimiter, "format": self.format}
        table = open_labels(labels_file(path), kind=self.kind, contents=True, **given)
        if isinstance(table, ExportTable):
            return table.contents, table.truths(labels.tasks)
        found = find_sentences(labels_file(path), **given) if labels.kind == "tags" else None
        return {} if found is None or not found.fits(labels) else found.contents(), {}

    def _judged(self, path: Path, truth: str | None) -> Annotations:
        from ..io import read_truth, read_verdicts
        from ..io.judges import read_patterns

        assert self.verdicts is not None
        patterns = read_patterns(self.verdicts)
        labels = read_verdicts(path, patterns, columns=self.columns, repeats=self.repeats, format=self.format)
        if truth is None:
            return labels
        known = {task: label for task, label in read_truth(truth).items() if task in labels.tasks}
        return labels.with_truth(known)


def _known_cost(value: str | None) -> str | None:
    if value not in (None, "absolute", "squared"):
        raise typer.BadParameter(f"{value!r} must be absolute or squared")
    return value


def _known_scheme(value: str | None) -> str | None:
    from ..annotations.scheme import SCHEMES

    if value is not None and value.upper() not in SCHEMES:
        raise typer.BadParameter(f"{value!r} must be one of {', '.join(SCHEMES)}")
    return None if value is None else value.upper()


def listed(text: str | None) -> list[str] | None:
    """The parts between commas."""
    return None if text is None else [part.strip() for part in text.split(",")]


def with_group(group: type[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Turn the fields of a dataclass into options of a verb, which gets them as one argument."""
    own = get_type_hints(group, include_extras=True)

    def decorate(verb: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(verb, eval_str=True)
        place = next(p.name for p in signature.parameters.values() if p.annotation is group)
        plain = [p for p in signature.parameters.values() if p.name != place]
        keyword = inspect.Parameter.KEYWORD_ONLY
        spread = [
            inspect.Parameter(f.name, keyword, default=f.default, annotation=own[f.name])
            for f in fields(group)
        ]

        def call(**given: Any) -> None:
            verb(**{place: group(**{f.name: given.pop(f.name) for f in fields(group)})}, **given)

        call.__name__, call.__doc__ = verb.__name__, verb.__doc__
        parameters = [*plain, *spread]
        call.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        call.__annotations__ = {p.name: p.annotation for p in parameters}
        return call

    return decorate
