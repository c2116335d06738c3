"""How far truths lie from what a network says: read off at the end, from tasks that it has not seen if any."""

from __future__ import annotations

import numpy as np
import torch

from ..annotations import Annotations
from ..channels import Votes
from ..channels.number_module import NumberModule
from ..shard import Shard
from .learner import Learner
from .vote_data import VoteData

__all__ = ["held_out_tasks", "settle"]

FEWEST = 10  # held-out tasks; fewer would say less than the training's own


@torch.no_grad()
def settle(learner: Learner, votes: Votes | None = None) -> None:
    """Set the spread to what makes these votes likeliest; by default those of the training."""
    channel = learner.channel
    assert isinstance(channel, NumberModule)
    channel.eval()
    data = learner.data if votes is None else VoteData(votes, learner.device)
    units = torch.nonzero(data.counts > 0).squeeze(1)
    if len(units) or data.votes.shard is not None:
        channel.settle(learner.predict_log()[units], data.batch(units), data.votes.in_all)


def held_out_tasks(
    labels: Annotations, fraction: float, seed: int, shard: Shard | None = None
) -> tuple[Annotations, Annotations | None]:
    """The labels without those of some tasks, and these; none where they would be few.

    Tasks whose truth is known stay: the network has seen it. shard: where the tasks stand among those
    of all processes, which are drawn from.

    >>> labels = Annotations.from_matrix(np.arange(100.0).reshape(50, 2), kind="number")
    >>> rest, held = held_out_tasks(labels, 0.2, seed=0)
    >>> rest.n_answers, held.n_answers, held.n_tasks
    (80, 20, 50)
    """
    answered = np.bincount(labels.task, minlength=labels.n_tasks) > 0
    if labels.truth is not None:
        answered &= np.isnan(labels.truth)
    tasks = np.flatnonzero(answered)
    places = Shard.whole(len(tasks)) if shard is None else shard.some(tasks)
    n = int(fraction * places.total)
    if n < FEWEST:
        return labels, None
    drawn = np.random.default_rng(seed).permutation(places.total)[:n]
    chosen = np.zeros(labels.n_tasks, dtype=bool)
    chosen[tasks[np.isin(places.places, drawn)]] = True
    return labels.where(~chosen[labels.task]), labels.where(chosen[labels.task])
