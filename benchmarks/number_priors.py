"""Which prior of `precision-weighted` predicts hidden answers best: mean log-density over the crowds of numbers; no truth is used.

python -m benchmarks.number_priors
"""

from __future__ import annotations

import warnings
from itertools import product

import numpy as np

from manyhands import Annotations, PrecisionWeighted
from manyhands.annotations import split
from manyhands.channels.votes import number_votes
from manyhands.errors import ConvergenceWarning

from .numeric_crowds import number_crowds
from .real_crowds import NEEDED, data_folder
from .tables import publish

__all__ = ["held_out", "main"]

STRENGTHS, PULLS, SPLITS = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0), (1.0, 3.0, 10.0), 3


def held_out(labels: Annotations, model: PrecisionWeighted) -> float:
    """A tenth of the answers hidden, each by N(mean + bias, both variances), nats an answer."""
    total = count = 0.0
    for seed in range(SPLITS):
        seen, hidden = split(labels, 0.1, random_state=seed)
        result, votes = model.fit(seen).result_, number_votes(hidden)
        bias, sd = result.evidence.bias, result.evidence.columns()["sd"]
        variance = result.numbers.sd[votes.unit] ** 2 + sd[votes.annotator] ** 2
        error = votes.value - result.numbers.mean[votes.unit] - bias[votes.annotator]
        density = -0.5 * np.log(2 * np.pi * variance) - error**2 / (2 * variance)
        total, count = total + float(np.nansum(density)), count + float(np.isfinite(density).sum())
    return total / count


def main() -> None:
    if data_folder() is None:
        raise SystemExit(NEEDED)
    warnings.simplefilter("ignore", ConvergenceWarning)
    crowds = list(number_crowds())
    rows = []
    for strength, pull in product(STRENGTHS, PULLS):
        model = PrecisionWeighted(strength=strength, pull=pull)
        found = {name: held_out(labels, model) for name, labels, _ in crowds}
        rows.append(
            {"strength": strength, "pull": pull, "mean": float(np.mean(list(found.values()))), **found}
        )
    publish(
        "number-priors",
        "Held-out answers by the prior of precision-weighted",
        rows,
        notes=(__doc__ or "").split("\n")[0],
    )


if __name__ == "__main__":
    main()
