"""How right every method of the catalogue is on real crowds, with crowd-kit's beside.

--heldout: how well each predicts answers it has not seen, which needs no truth (heldout.py).
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from manyhands import Annotations
from manyhands.catalog import methods_for
from manyhands.errors import ConvergenceWarning

from . import heldout, numeric_crowds
from .other_crowds import other_crowds
from .peers import peer_posteriors, peer_python
from .real_crowds import CLASSES, NEEDED, Crowd, class_crowds, data_folder
from .scores import Scores, score
from .tables import RESULTS, publish

__all__ = ["FIGURES", "below_majority", "main", "scores_of"]

FIGURES = ("accuracy", "log-loss", "calibration")
PEERS = {
    "crowd-kit MV": "MajorityVote",
    "crowd-kit DS": "DawidSkene",
    "crowd-kit one coin": "OneCoinDawidSkene",
}
BASELINE = "majority"
SLACK = 0.01

Table = dict[str, dict[str, Scores]]  # crowd -> method -> figures


def scores_of(crowd: Crowd, *, peers: bool) -> dict[str, Scores]:
    """The figures of every method on one crowd, each with its defaults."""
    found = {name: score(chances, crowd.truth) for name, chances in _ours(crowd.labels)}
    for name, method in PEERS.items() if peers else ():
        chances = peer_posteriors(crowd.labels, method, [100], tol=1e-5)
        if not isinstance(chances, str):
            found[name] = score(chances[100], crowd.truth)
    return found


def _ours(labels: Annotations) -> Iterator[tuple[str, np.ndarray]]:
    for method in methods_for(labels.kind):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            yield method.name, method.make().fit(labels).result_.chances


def rows_of(table: Table, figure: str, means: Iterable[str]) -> list[dict[str, Any]]:
    """A row a crowd, and the mean over `means`; a peer that did not finish one of these has no mean."""
    names = list(dict.fromkeys(name for scores in table.values() for name in scores))
    rows: list[dict[str, Any]] = [
        {"crowd": crowd, **{name: scores[name][figure] if name in scores else np.nan for name in names}}
        for crowd, scores in table.items()
    ]
    whole = [row for row in rows if row["crowd"] in means]
    mean = {name: float(np.mean([row[name] for row in whole])) for name in names}
    return [*rows, {"crowd": f"mean of {len(whole)}", **mean}]


def below_majority(rows: Sequence[dict[str, Any]]) -> str:
    """Which methods lose to soft majority: on average, and where by more than .01."""
    mean = rows[-1]
    lines = []
    for name in list(mean)[1:]:
        lost = [r["crowd"] for r in rows[:-1] if r.get(name, np.nan) < r[BASELINE] - SLACK]
        gap = mean[name] - mean[BASELINE]
        if name != BASELINE and not np.isnan(gap):
            where = f"below it by more than {SLACK} on {', '.join(lost)}" if lost else "nowhere below it"
            lines.append(f"- {name}: {gap:+.4f} on average; {where}.")
    return f"Against soft majority ({BASELINE}), accuracy:\n\n" + "\n".join(lines)


def classes(names: Sequence[str], *, others: bool, **out: Any) -> None:
    """The tables of class labels; tags and sets are a row each, outside the mean."""
    peers = peer_python() is not None
    table: Table = {}
    for crowd in class_crowds(tuple(names)):
        table[crowd.name] = scores_of(crowd, peers=peers)
        print(crowd.name, file=sys.stderr, flush=True)
    means = tuple(table)
    for crowd_name, scores in other_crowds() if others else ():
        table[crowd_name] = scores
    for figure in FIGURES:
        rows = rows_of(table, figure, means)
        notes = below_majority(rows) if figure == "accuracy" else ""
        publish(f"aggregation-{figure}", f"Consensus of real crowds: {figure}", rows, notes=notes, **out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--crowds", nargs="*", default=CLASSES, help="names of folders (default: all)")
    parser.add_argument("--heldout", action="store_true", help="the likelihood of held-out answers instead")
    parser.add_argument("--seeds", type=int, default=3, help="splits for --heldout")
    parser.add_argument("--dry", action="store_true", help="print only")
    asked = parser.parse_args()
    if data_folder() is None:
        raise SystemExit(NEEDED)
    out = {"out": None if asked.dry else RESULTS}
    if asked.heldout:
        heldout.run(asked.crowds, asked.seeds, **out)
        return
    whole = tuple(asked.crowds) == CLASSES
    classes(asked.crowds, others=whole, **out)
    if whole:
        numeric_crowds.run(**out)


if __name__ == "__main__":
    main()
