"""Several networks of one make, each trained by itself; together they say the mean of their chances."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from ..errors import ParameterError

__all__ = ["Ensemble", "Several", "members_of"]


@dataclass(frozen=True)
class Several:
    """Chances are the mean of `n` networks' that start apart and see other dropout; of numbers, the mean number.

    network: of each, a name, a specification or a factory. Training costs n times as much.

    >>> logits = Several("linear", 3).build(4, 2)(torch.zeros(5, 4))
    >>> logits.shape, bool(torch.allclose(logits.exp().sum(dim=1), torch.ones(5)))
    (torch.Size([5, 2]), True)
    """

    network: Any = "skip"
    n: int = 5

    def __post_init__(self) -> None:
        if not (isinstance(self.n, int) and self.n >= 1):
            raise ParameterError(f"n={self.n!r} networks: give an integer of at least 1")
        if isinstance(self.network, nn.Module):
            raise ParameterError(
                f"network={type(self.network).__name__} is one module, whose copies would start alike: give a name, a "
                f"specification or a factory (n_features, n_classes) -> module"
            )

    def build(self, n_features: int, n_classes: int) -> nn.Module:
        """The module; its members start from other draws."""
        from .network import network_spec

        spec = network_spec(self.network)
        make = spec.build if hasattr(spec, "build") else spec
        return Ensemble([make(n_features, n_classes) for _ in range(self.n)])


class Ensemble(nn.Module):
    """Logits of the members' mean chances; of one output, which is a number, the mean itself."""

    def __init__(self, members: Sequence[nn.Module]):
        super().__init__()
        self.members = nn.ModuleList(members)

    def forward(self, features: Tensor) -> Tensor:
        """All together: what is predicted. Training asks each by itself (`members_of`)."""
        said = torch.stack([member(features) for member in self.members])
        if said.shape[-1] == 1:
            return said.mean(dim=0)
        return said.log_softmax(dim=-1).logsumexp(dim=0) - math.log(len(said))


def members_of(network: nn.Module) -> list[nn.Module]:
    """What is trained, each by itself: the members, or the network.

    >>> len(members_of(Several("linear", 3).build(4, 2))), len(members_of(nn.Linear(4, 2)))
    (3, 1)
    """
    return list(network.members) if isinstance(network, Ensemble) else [network]
