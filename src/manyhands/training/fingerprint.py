"""Which run this is: settings in words, labels and features as digests."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn

from ..channels import Votes
from .features import Features

if TYPE_CHECKING:
    from .learner import Learner

__all__ = ["differences", "fingerprint"]

DIGESTS = ("network", "channel", "labels", "held-out labels", "known truths", "first truths", "features")
ITEMS = 16  # of a Dataset, which may be larger than memory, so many are looked at


def fingerprint(learner: Learner) -> dict[str, Any]:
    """What two runs must share, for one to go on where the other stopped."""
    network = [type(learner.network).__qualname__, _shapes(learner.network), repr(learner.network)]
    channel = [type(learner.channel).__qualname__, _shapes(learner.channel)]
    spec = getattr(learner.channel, "spec", learner.channel)
    return {
        **asdict(learner.settings),
        "objective": learner.objective.name,
        "random_state": learner.generator.initial_seed(),
        "network": _digest([repr(network).encode()]),
        "channel": f"{spec!r} {_digest([repr(channel).encode()])}",
        "labels": _of_votes(learner.data.votes),
        "held-out labels": None if learner.held_out is None else _of_votes(learner.held_out.votes),
        "known truths": None if learner.known is None else _digest([learner.known.cpu().numpy()]),
        "first truths": _digest([learner.shares.cpu().numpy(), learner.told.cpu().numpy()]),
        "features": _of_features(learner.features),
        "callbacks": [type(c).__name__ for c in learner.callbacks if c.state()],
    }


def differences(there: dict[str, Any], here: dict[str, Any]) -> list[str]:
    """Each in words; what has no words (a digest) is said to differ.

    >>> differences({"epochs": 5, "labels": "a1"}, {"epochs": 9, "labels": "b2"})
    ['epochs=5 there, 9 here', 'other labels']
    """
    in_words = set(there) - set(DIGESTS)
    return [
        f"{key}={there.get(key)!r} there, {here.get(key)!r} here" if key in in_words else f"other {key}"
        for key in here
        if there.get(key) != here[key]
    ]


def _shapes(module: nn.Module) -> list[tuple[str, tuple[int, ...]]]:
    return [(name, tuple(value.shape)) for name, value in module.state_dict().items()]


def _of_votes(votes: Votes) -> str:
    sizes = repr((votes[4:8], votes.units.total)).encode()
    parts = (*votes[:4], votes.starts, votes.units.places)
    return _digest([sizes, *(part for part in parts if part is not None)])


def _of_features(features: Features) -> str:
    source = features.source
    if isinstance(source, Tensor):
        return _digest([repr(tuple(source.shape)).encode(), source.detach().cpu().numpy()])
    if hasattr(source, "tocsr"):
        return _digest([repr(source.shape).encode(), source.data, source.indices, source.indptr])
    some = torch.unique(torch.linspace(0, max(len(features) - 1, 0), ITEMS).long())[: len(features)]
    return _digest([repr(len(features)).encode(), *(features.rows(i[None]).cpu().numpy() for i in some)])


def _digest(parts: Iterable[bytes | np.ndarray]) -> str:
    total = hashlib.blake2b(digest_size=16)
    for part in parts:
        total.update(part if isinstance(part, bytes) else np.ascontiguousarray(part).tobytes())
    return total.hexdigest()
