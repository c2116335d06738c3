"""EM whose M-step asks for sums over units and nothing else: over a table, its blocks, and several processes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, reduce
from typing import Any

import torch

from ..processes import total, totals

__all__ = ["InBlocks", "SummedEM", "added"]


class SummedEM(ABC):
    """A problem for the EM loop: each unit's posterior is its own affair, all else follows from sums.

    The units of this process are here; sums and the likelihood are those of all processes, so that
    every process learns the same parameters.
    """

    own_votes: float  # of the units here

    @cached_property
    def n_votes(self) -> float:
        """Of all units; asked for by all processes together."""
        return total(self.own_votes)

    @abstractmethod
    def start(self, generator: torch.Generator | None) -> Any:
        """A posterior to begin with: the plain one, or with a generator one shaken at random."""

    @abstractmethod
    def believe(self, params: Any) -> tuple[Any, float]:
        """The posterior of the units here, and their log-likelihood."""

    @abstractmethod
    def sums(self, posterior: Any, params: Any | None) -> Any:
        """What the M-step asks of the units here: a NamedTuple of tensors."""

    @abstractmethod
    def learn(self, sums: Any, params: Any | None) -> Any:
        """M-step: the parameters, from the sums over all units."""

    @abstractmethod
    def log_priors(self, params: Any) -> tuple[float, ...]:
        """What the objective holds beside the likelihood."""

    @abstractmethod
    def project(self, params: Any) -> Any:
        """The nearest valid parameters, after an extrapolation."""

    def expect(self, params: Any) -> tuple[Any, float]:
        """E-step."""
        posterior, likelihood = self.believe(params)
        return posterior, sum(self.log_priors(params), total(likelihood))

    def maximise(self, posterior: Any, params: Any | None) -> Any:
        """M-step."""
        return self.learn(totals(self.sums(posterior, params)), params)


class InBlocks(SummedEM):
    """The same over blocks of units, one after another: what is believed of them is held as sums only.

    parts: gives the blocks' problems, anew for every pass. fresh: the same with all that `start` needs.
    """

    def __init__(
        self,
        parts: Callable[[], Iterable[Any]],
        none: Any,
        own_votes: float,
        fresh: Callable[[], Iterable[Any]] | None = None,
    ):
        self.parts, self.none, self.own_votes = parts, none, own_votes
        self._fresh = parts if fresh is None else fresh

    def start(self, generator: torch.Generator | None) -> Any:
        """The sums of all blocks' beginnings."""
        return self._over(part.sums(part.start(generator), None) for part in self._fresh())

    def believe(self, params: Any) -> tuple[Any, float]:
        """The sums of all blocks' posteriors, each let go when it is summed."""
        sums, likelihood = self.none.sums(*self._nobody(params)), 0.0
        for part in self.parts():
            posterior, own = part.believe(params)
            sums, likelihood = added(sums, part.sums(posterior, params)), likelihood + own
        return sums, likelihood

    def sums(self, posterior: Any, params: Any | None) -> Any:
        """They are sums already."""
        return posterior

    def learn(self, sums: Any, params: Any | None) -> Any:
        """As any block's problem does."""
        return self.none.learn(sums, params)

    def log_priors(self, params: Any) -> tuple[float, ...]:
        """As any block's problem has them."""
        return self.none.log_priors(params)

    def project(self, params: Any) -> Any:
        """As any block's problem does."""
        return self.none.project(params)

    def drawn(self, *given: Any) -> Any:
        """Sums of truths drawn at random, as of `JointVB.drawn`."""
        return self._over(part.drawn(*given) for part in self.parts())

    def __getattr__(self, name: str) -> Any:
        """What belongs to no unit: priors, sizes, the channel."""
        return getattr(self.none, name)

    def _over(self, sums: Iterator[Any]) -> Any:
        return reduce(added, sums, self.none.sums(self.none.start(None), None))

    def _nobody(self, params: Any) -> tuple[Any, Any]:
        return self.none.believe(params)[0], params


def added(one: Any, other: Any) -> Any:
    """Two NamedTuples of sums as one."""
    return type(one)(*(a + b for a, b in zip(one, other, strict=True)))
