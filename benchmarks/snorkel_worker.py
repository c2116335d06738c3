"""Runs in snorkel's environment: its label model on a matrix of votes. It imports nothing of manyhands."""

from __future__ import annotations

import json
import sys
import time
import warnings
from typing import Any

import numpy as np


def posterior(
    votes: str, out: str, n_classes: int, epochs: int, balance: list[float] | None
) -> dict[str, Any]:
    """The posterior [tasks, classes] of a matrix [tasks, annotators], -1 where there is no answer."""
    from snorkel.labeling.model import LabelModel

    matrix = np.load(votes)
    model = LabelModel(cardinality=n_classes, verbose=False)
    start = time.process_time()
    model.fit(matrix, n_epochs=epochs, seed=0, class_balance=balance, progress_bar=False)
    spent = time.process_time() - start
    np.save(out, model.predict_proba(matrix))
    return {"cpu": spent}


def main() -> None:
    warnings.filterwarnings("ignore")
    print(json.dumps(posterior(**json.loads(sys.argv[1]))))


if __name__ == "__main__":
    main()
