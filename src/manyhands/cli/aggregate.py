"""`manyhands aggregate`: from labels to one answer a task."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Option

from ..catalog import METHODS, default_method
from .method_names import known_aggregator
from .options import Cost, Gold, Json, Labels, Quiet, Reading, Scheme, Seed, Truth, with_group
from .progress import Work
from .settings import Settings
from .targets import Targets

__all__ = ["aggregate"]


Method = Annotated[
    str | None,
    Option(
        "--method", "-m", metavar="NAME", callback=known_aggregator, show_default=False,
        help="See `manyhands methods`. Default: the one that holds up best for the kind of label.",
    ),
]  # fmt: skip


@with_group(Reading)
@with_group(Targets)
def aggregate(
    labels: Labels,
    reading: Reading,
    targets: Targets,
    method: Method = None,
    settings: Settings = None,
    truth: Truth = None,
    gold: Gold = None,
    cost: Cost = None,
    scheme: Scheme = None,
    seed: Seed = 0,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Find the answer of each task, and whom to trust.

    Prints a summary; writes what --out, --annotators, --tasks-out and --save ask for.
    """
    from ..results.decision import cost_matrix
    from .fitting import fit, parameters
    from .output import print_json
    from .scoring import read_known, scores
    from .summaries import as_data, show

    targets.check(inputs=[labels, *([truth] if truth else []), *([Path(gold)] if gold else [])])
    if method is not None:
        parameters(METHODS[method], settings)  # a wrong one is told before a long read
    work = Work(quiet or json)
    with work.spinner(f"reading {labels}"):
        table = reading.read(labels, truth=gold)
        known = None if truth is None else read_known(truth, table, reading.separator)
    if cost is not None:
        cost_matrix(cost, table)  # what has no order is told before the fit
    result = fit(METHODS[method] if method else default_method(table.kind), table, settings, seed, work)
    scored = None if known is None else scores(result, known, cost)
    with work.spinner("writing"):
        shown = reading.shown(labels, table)[0] if targets.shows_tasks else {}
        written = targets.write(result, cost, scheme, shown)
    if json:
        print_json(as_data(result, scored, written))
    elif not quiet:
        show(result, scored, written, labels, cost)
