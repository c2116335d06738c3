"""`manyhands aggregate`: from labels to one answer a task."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Context, Option

from ..catalog import METHODS, default_method
from ..processes import size
from .engine import Engine, Workers, handed_over
from .method_names import known_aggregator
from .options import Cost, Gold, Json, Labels, Quiet, Reading, Seed, Truth, with_group
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
Memory = Annotated[
    str | None,
    Option(
        "--memory", metavar="SIZE", show_default=False,
        help="Hold no more than this, such as 2G: the table is taken in blocks of tasks, and --out is a folder of "
        "part files (docs/scale.md). Under torchrun each process holds so much; 2G by default.",
    ),
]  # fmt: skip
Sharded = Annotated[
    bool,
    Option(
        "--sharded", help="Under torchrun: no task is in two part files, so each process reads its share of them."
    ),
]  # fmt: skip


@with_group(Reading)
@with_group(Targets)
def aggregate(
    context: Context,
    labels: Labels,
    reading: Reading,
    targets: Targets,
    method: Method = None,
    settings: Settings = None,
    memory: Memory = None,
    sharded: Sharded = False,
    engine: Engine = None,
    workers: Workers = 2,
    truth: Truth = None,
    gold: Gold = None,
    cost: Cost = None,
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

    if handed_over(context, engine, workers, Work(quiet or json)):
        return
    if memory is not None or size() > 1:
        from .aggregate_blocks import aggregate_blocks, refuse_whole_tables_only

        refuse_whole_tables_only(reading, targets, {"--truth": truth, "--gold": gold, "--cost": cost})
        aggregate_blocks(
            labels, reading, targets, method, settings, memory or "2G", sharded, seed, quiet, json
        )
        return
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
        written = targets.write(result, cost)
    if json:
        print_json(as_data(result, scored, written))
    elif not quiet:
        show(result, scored, written, labels, cost)
