"""`manyhands compare`: which method to believe, where no truth is known."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Option

from ..errors import FileError
from .feature_reading import FeatureReading
from .options import Json, Labels, Quiet, Reading, Seed, Truth, listed, with_group
from .progress import Work

if TYPE_CHECKING:
    from ..annotations import Annotations

__all__ = ["compare"]


def _known(text: str | None) -> str | None:
    """Every name is one of the catalogue."""
    from .method_names import known_method

    for name in listed(text) or []:
        known_method(name)
    return text


Methods = Annotated[
    str | None,
    Option("--methods", "-m", metavar="A,B,...", callback=_known, show_default=False,
           help="Those to compare. Default: all that take such labels."),
]  # fmt: skip
OptionalFeatures = Annotated[
    Path | None,
    Option("--features", "-f", metavar="F", show_default=False,
           help="Features by task, as in `train`: then methods that learn from them are compared."),
]  # fmt: skip
By = Annotated[
    str | None,
    Option("--by", metavar="labels|features", show_default=False,
           help="Judge what is believed of a task by its other answers, or by its features alone (the default with "
           "--features)."),
]  # fmt: skip
Folds = Annotated[int, Option("--folds", metavar="N", min=2, help="Parts in which answers are hidden.")]
Most = Annotated[
    int,
    Option("--max-answers", metavar="N", min=10, help="Of a larger table, tasks drawn at random are judged."),
]
Seconds = Annotated[
    float | None,
    Option("--max-seconds", metavar="S", show_default=False, help="Judge on fewer folds where time is up."),
]
Out = Annotated[
    Path | None,
    Option("--out", "-o", metavar="FILE", show_default=False, help="Write the comparison, a row a method."),
]
Consensus = Annotated[
    Path | None,
    Option("--consensus", metavar="FILE", show_default=False,
           help="Write what the mixture of methods decides: task, label, confidence, n."),
]  # fmt: skip
Disputed = Annotated[
    Path | None,
    Option("--disputed", metavar="FILE", show_default=False,
           help="Write the tasks on which leading methods differ: find out the truth of some."),
]  # fmt: skip


@with_group(Reading)
@with_group(FeatureReading)
def compare(
    labels: Labels,
    reading: Reading,
    how: FeatureReading,
    features: OptionalFeatures = None,
    truth: Truth = None,
    methods: Methods = None,
    by: By = None,
    folds: Folds = 5,
    max_answers: Most = 100_000,
    max_seconds: Seconds = None,
    out: Out = None,
    consensus: Consensus = None,
    disputed: Disputed = None,
    seed: Seed = 0,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Compare methods without knowing the truth.

    Hides answers, and judges each method by how likely it makes them; says which method to take, why, and whether
    the methods agree enough to trust one.
    """
    from ..selection import select
    from .compare_output import show, written
    from .output import print_json

    if by not in (None, "labels", "features"):
        raise typer.BadParameter(f"{by!r} must be labels or features", param_hint="'--by'")
    if by == "features" and features is None:
        raise typer.BadParameter("features needs --features F", param_hint="'--by'")
    targets = {"comparison": out, "consensus": consensus, "disputed": disputed}
    asked = {name: path for name, path in targets.items() if path is not None}
    _check(asked, [path for path in (labels, features, truth) if path is not None])
    work, notes = Work(quiet or json), list[str]()
    with work.spinner(f"reading {labels}"):
        table, X = _read(labels, features, reading, how, notes)
        known = None if truth is None else _truth(truth, table, reading)
    with work.bar("comparing", None) as step:
        chosen = select(
            table, X, listed(methods), by=by, folds=folds, max_answers=max_answers, max_seconds=max_seconds,
            random_state=seed, progress=step,
        )  # fmt: skip
    chosen = chosen if known is None else chosen.scored(known)
    files = written(chosen, asked)
    if json:
        print_json(chosen.to_dict() | {"notes": [*notes, *chosen.notes], "written": files})
    elif not quiet:
        show(chosen, notes, files, labels)


def _check(asked: dict[str, Path], inputs: list[Path]) -> None:
    """Refuse what cannot be written before hours are spent on it."""
    from ..io.frames import format_to_write
    from .targets import refuse_overwriting

    for path in asked.values():
        format_to_write(path)
        if not path.parent.is_dir():
            raise FileError(f"there is no folder {str(path.parent)!r} to write into; make it first", path)
    refuse_overwriting(inputs, list(asked.values()))


def _read(
    labels: Path, features: Path | None, reading: Reading, how: FeatureReading, notes: list[str]
) -> tuple[Annotations, Any]:
    from .matching import match

    table = reading.read(labels)
    if features is None:
        return table, None
    given = how.read(features)
    matched = match(table, given, None, False, notes.append)
    X, _ = how.numbers(given, matched.rows)
    return matched.labels, X[matched.rows]


def _truth(path: Path, table: Annotations, reading: Reading) -> Any:
    from .scoring import read_known

    return read_known(path, table, reading.separator).truth
