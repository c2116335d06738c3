"""How likely held-out annotations are, the truth being predicted from features alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..annotations import Annotations
from ..channels import votes_of
from ..errors import UnsupportedError
from ..training.features import Features
from ..training.learner import Learner
from ..training.vote_data import VoteData

__all__ = ["held_out_score"]


def held_out_score(learner: Learner, fitted: Annotations, features: Features, labels: Annotations) -> float:
    """The mean log-likelihood of a vote; annotators are matched by name.

    An annotator that was not fitted answers as the fitted ones do on average.
    """
    if labels.classes != fitted.classes:
        raise UnsupportedError(
            f"labels have classes {labels.classes}, fitted on {fitted.classes}: declare classes="
        )
    codes = fitted.annotators.codes(labels.annotators)
    votes = votes_of(labels)
    seen = codes[votes.annotator] >= 0
    known = votes._replace(
        unit=votes.unit[seen], annotator=codes[votes.annotator[seen]].astype(np.int32), label=votes.label[seen],
        weight=None if votes.weight is None else votes.weight[seen], n_annotators=fitted.n_annotators,
    )  # fmt: skip
    total = learner.score(VoteData(known, learner.device), features) * known.total
    if not seen.all():
        total += _of_strangers(learner, features, votes.unit[~seen], votes.label[~seen])
    return total / max(votes.total, 1e-12)


def _of_strangers(learner: Learner, features: Features, unit: np.ndarray, label: np.ndarray) -> float:
    """The log-likelihood of votes by average annotators."""
    chances = learner.predict_log(features).exp().cpu().numpy()
    channel: Any = learner.channel
    average = channel.confusions().mean(dim=0).cpu().numpy()
    return float(np.log(np.maximum((chances[unit] * average[:, label].T).sum(axis=1), 1e-10)).sum())
