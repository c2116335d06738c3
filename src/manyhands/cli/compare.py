"""`manyhands compare`: which method to believe, where no truth is known."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import BadParameter, Option

from ..errors import UnsupportedError
from .compare_options import Contest, Outcomes
from .feature_reading import FeatureReading
from .options import Json, Labels, Quiet, Reading, Seed, Truth, with_group
from .progress import Work

if TYPE_CHECKING:
    from ..annotations import Annotations

__all__ = ["compare"]

OptionalFeatures = Annotated[
    Path | None,
    Option("--features", "-f", metavar="F", show_default=False,
           help="Features by task, as in `train`: then methods that learn from them are compared."),
]  # fmt: skip


@with_group(Reading)
@with_group(FeatureReading)
@with_group(Contest)
@with_group(Outcomes)
def compare(
    labels: Labels,
    reading: Reading,
    how: FeatureReading,
    contest: Contest,
    outcomes: Outcomes,
    features: OptionalFeatures = None,
    truth: Truth = None,
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

    if contest.by == "features" and features is None:
        raise BadParameter("features needs --features F", param_hint="'--by'")
    asked = outcomes.asked([path for path in (labels, features, truth) if path is not None])
    work, notes = Work(quiet or json), list[str]()
    with work.spinner(f"reading {labels}"):
        table, X = _read(labels, features, reading, how, notes)
        known = None if truth is None else _truth(truth, table, reading)
    with work.bar("comparing", None) as step:
        chosen = select(table, X, random_state=seed, progress=step, **contest.settings())
    chosen = chosen if known is None else chosen.scored(known)
    files = written(chosen, asked)
    if json:
        print_json(chosen.to_dict() | {"notes": [*notes, *chosen.notes], "written": files})
    elif not quiet:
        show(chosen, notes, files, labels)


def _read(
    labels: Path, features: Path | None, reading: Reading, how: FeatureReading, notes: list[str]
) -> tuple[Annotations, Any]:
    from .matching import match

    table = reading.read(labels)
    if features is None:
        return table, None
    if table.kind == "tags":
        raise UnsupportedError(
            "compare judges methods for tags without features alone: train taggers with manyhands train --truth, and "
            "compare them by their span F1"
        )
    given = how.read(features)
    matched = match(table, given, None, False, notes.append)
    X, _ = how.numbers(given, matched.rows)
    return matched.labels, X[matched.rows]


def _truth(path: Path, table: Annotations, reading: Reading) -> Any:
    from .scoring import read_known

    return read_known(path, table, reading.separator).truth
