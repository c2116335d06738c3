"""From what methods said of hidden votes to their rows, the stack and the pick."""

from __future__ import annotations

import numpy as np

from ..annotations import Annotations
from ..errors import ParameterError
from ..results.posterior import Posterior
from .figures import differences, doubt, mean_and_error, vote_figures
from .judged import Judged
from .judging import Trial
from .mixture import mixture
from .stacking import stack_weights
from .verdict import Verdict, verdict

__all__ = ["compared", "nearest"]


def compared(labels: Annotations, trial: Trial) -> tuple[tuple[Judged, ...], Posterior, Verdict]:
    """A row a method, likeliest first; what the stack believes; and what follows."""
    names = list(trial.beliefs)
    if not names:
        raise ParameterError(f"no method could be fitted: {'; '.join(trial.failed.values())}")
    votes, calibration = zip(
        *(vote_figures(trial.hidden, trial.beliefs[name]) for name in names), strict=True
    )
    table = np.stack(votes)
    weights = stack_weights(table, trial.hidden.weight)
    answered = np.zeros(labels.n_units, dtype=bool)
    answered[trial.hidden.unit] = True
    posteriors = [trial.posteriors[name] for name in names]
    stack = mixture(posteriors, weights)
    pick = nearest(posteriors, stack, weights, answered)
    best = int(np.argmax([mean_and_error(row, trial.hidden)[0] for row in table]))
    rows = [
        Judged(
            name, *mean_and_error(table[m], trial.hidden), *mean_and_error(table[best] - table[m], trial.hidden),
            calibration[m], float(weights[m]), differences(posteriors[m], posteriors[pick], answered),
            doubt(posteriors[m], answered), trial.seconds[name],
        )
        for m, name in enumerate(names)
    ]  # fmt: skip
    rows.sort(key=lambda row: -row.heldout_log_likelihood)
    tellable = bool((np.bincount(trial.hidden.unit) > 1).any())
    return tuple(rows), stack, verdict(rows, names[pick], labels.kind == "number", tellable)


def nearest(posteriors: list[Posterior], stack: Posterior, weights: np.ndarray, answered: np.ndarray) -> int:
    """The method that decides most like the stack; of equals the one that weighs most in it."""
    far = [differences(posterior, stack, answered) for posterior in posteriors]
    return min(range(len(far)), key=lambda m: (far[m], -weights[m]))
