"""How right every method of the catalogue is on real crowds, with crowd-kit's beside.

--methods: measure these alone, and keep the other columns of the tables as they stand.
--heldout: how well each predicts answers it has not seen, which needs no truth (heldout.py).
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from manyhands.catalog import METHODS

from . import heldout, numeric_crowds
from .fitted import fitted
from .other_crowds import other_crowds
from .peers import peer_posteriors, peer_python
from .real_crowds import CLASSES, NEEDED, Crowd, class_crowds, data_folder
from .scores import Scores, score
from .tables import RESULTS, publish

__all__ = ["FIGURES", "below_majority", "main", "scores_of", "stored"]

FIGURES = ("accuracy", "log-loss", "calibration")
PEERS = {
    "crowd-kit MV": "MajorityVote",
    "crowd-kit DS": "DawidSkene",
    "crowd-kit one coin": "OneCoinDawidSkene",
}
BASELINE = "majority"
SLACK = 0.01
OTHERS = "others"  # tags and sets

Table = dict[str, dict[str, Scores]]  # crowd -> method -> figures


def scores_of(crowd: Crowd, *, peers: bool, only: Sequence[str] = ()) -> dict[str, Scores]:
    """The figures of every method, or of some, on one crowd, each with its defaults."""
    found = {name: score(chances, crowd.truth) for name, chances in fitted(crowd.labels, only)}
    for name, method in PEERS.items() if peers else ():
        if only and name not in only:
            continue
        chances = peer_posteriors(crowd.labels, method, [100], tol=1e-5)
        if not isinstance(chances, str):
            found[name] = score(chances[100], crowd.truth)
    return found


def rows_of(table: Table, figure: str, means: Iterable[str]) -> list[dict[str, Any]]:
    """A row a crowd, and the mean over `means`; a peer that did not finish one of these has no mean."""
    found = dict.fromkeys(name for scores in table.values() for name in scores)
    names = [name for name in (*METHODS, *PEERS) if name in found]
    rows: list[dict[str, Any]] = [
        {"crowd": crowd, **{name: scores[name][figure] if name in scores else np.nan for name in names}}
        for crowd, scores in table.items()
    ]
    whole = [row for row in rows if row["crowd"] in means]
    mean = {name: float(np.mean([row[name] for row in whole])) for name in names}
    return [*rows, {"crowd": f"mean of {len(whole)}", **mean}]


def below_majority(rows: Sequence[dict[str, Any]], crowds: Iterable[str]) -> str:
    """Which methods lose to soft majority: on average, and where by more than .01."""
    mean = rows[-1]
    lines = []
    for name in list(mean)[1:]:
        lost = [r["crowd"] for r in rows[:-1] if r.get(name, np.nan) < r[BASELINE] - SLACK]
        both = [r for r in rows[:-1] if not np.isnan(r.get(name, np.nan)) and r["crowd"] in crowds]
        gap = float(np.mean([r[name] - r[BASELINE] for r in both]))
        if name != BASELINE:
            where = f"below it by more than {SLACK} on {', '.join(lost)}" if lost else "nowhere below it"
            lines.append(f"- {name}: {gap:+.4f} on average of {len(both)}; {where}.")
    return f"Against soft majority ({BASELINE}), accuracy:\n\n" + "\n".join(lines)


def stored(folder: Path | None = RESULTS) -> Table:
    """The tables as they stand, without their means."""
    table: Table = {}
    for figure in FIGURES:
        place = None if folder is None else folder / f"aggregation-{figure}.csv"
        for row in csv.DictReader(place.open(encoding="utf-8")) if place and place.exists() else ():
            crowd = row.pop("crowd")
            for name, value in row.items() if not crowd.startswith("mean of") else ():
                if value and value != "nan":
                    table.setdefault(crowd, {}).setdefault(name, {})[figure] = float(value)
    return table


def classes(names: Sequence[str], only: Sequence[str], *, others: bool, **out: Any) -> None:
    """The tables of class labels; tags and sets are a row each, outside the mean."""
    peers = peer_python() is not None
    table = stored() if only else {}
    for crowd in class_crowds(tuple(names)):
        table[crowd.name] = table.get(crowd.name, {}) | scores_of(crowd, peers=peers, only=only)
        print(crowd.name, file=sys.stderr, flush=True)
    means = tuple(name for name in CLASSES if name in table)
    for crowd_name, scores in other_crowds(only) if others else ():
        table[crowd_name] = table.get(crowd_name, {}) | scores
    table = {name: table[name] for name in sorted(table, key=lambda n: (n not in means, n))}
    for figure in FIGURES:
        rows = rows_of(table, figure, means)
        notes = below_majority(rows, means) if figure == "accuracy" else ""
        publish(f"aggregation-{figure}", f"Consensus of real crowds: {figure}", rows, notes=notes, **out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--crowds", nargs="*", default=(*CLASSES, OTHERS), help="folders (default: all)")
    parser.add_argument("--methods", nargs="*", default=(), help="of the catalogue or peers (default: all)")
    parser.add_argument("--heldout", action="store_true", help="the likelihood of held-out answers instead")
    parser.add_argument("--seeds", type=int, default=3, help="splits for --heldout")
    parser.add_argument("--dry", action="store_true", help="print only")
    asked = parser.parse_args()
    if data_folder() is None:
        raise SystemExit(NEEDED)
    out = {"out": None if asked.dry else RESULTS}
    if asked.heldout:
        heldout.run([name for name in asked.crowds if name != OTHERS], asked.seeds, **out)
        return
    whole = tuple(asked.crowds) == (*CLASSES, OTHERS)
    names = [name for name in asked.crowds if name != OTHERS]
    classes(names, asked.methods, others=OTHERS in asked.crowds, **out)
    if whole and not asked.methods:
        numeric_crowds.run(**out)


if __name__ == "__main__":
    main()
