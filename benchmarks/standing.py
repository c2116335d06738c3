"""Every aggregator on every crowd of classes: mean, mean rank and share, from the table of benchmarks/aggregation.py.

    python -m benchmarks.standing

share = (accuracy - majority) / (1 - majority). Crowds on which a method was not run are left out for all.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from scipy.stats import rankdata

from .aggregation import BASELINE, stored
from .real_crowds import CLASSES
from .tables import publish

__all__ = ["main", "rows"]


def rows() -> tuple[list[dict[str, Any]], list[str]]:
    """A row a method, the best mean rank first; and the crowds."""
    table = stored()
    names = list(next(iter(table.values())))
    crowds = [crowd for crowd in CLASSES if crowd in table and all(name in table[crowd] for name in names)]
    found = np.array([[table[crowd][name]["accuracy"] for crowd in crowds] for name in names])
    ranks = rankdata(-np.round(found, 6), axis=0)
    low = found[names.index(BASELINE)]
    shares = (found - low) / np.maximum(1 - low, 1e-9)
    made = [
        {
            "method": name, "mean accuracy": float(found[i].mean()), "mean rank": float(ranks[i].mean()),
            "mean share": float(shares[i].mean()), "least share": float(shares[i].min()),
        }
        for i, name in enumerate(names)
    ]  # fmt: skip
    return sorted(made, key=lambda row: row["mean rank"]), crowds


def main() -> None:
    """Print and write the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.parse_args()
    made, crowds = rows()
    notes = (
        f"Over {len(crowds)} crowds ({', '.join(crowds)}), from aggregation-accuracy. Rank 1 is the best, ties share; "
        f"share: of what soft majority leaves wrong; least share: on the crowd where the method does worst."
    )
    publish("aggregation-standing", "Aggregators over all crowds of classes", made, notes=notes)


if __name__ == "__main__":
    main()
