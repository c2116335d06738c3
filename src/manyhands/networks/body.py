"""A network without its last linear layer: the representation that heads stand on."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ..errors import ParameterError
from .skip import Sum

__all__ = ["body_of"]


class Beside(nn.Module):
    """Several representations of the same features, one beside the other."""

    def __init__(self, parts: list[nn.Module]):
        super().__init__()
        self.parts = nn.ModuleList(parts)

    def forward(self, features: Tensor) -> Tensor:
        """Columns of all."""
        return torch.cat([part(features) for part in self.parts], dim=1)


def body_of(network: nn.Module) -> tuple[nn.Module, int]:
    """The network's body, and how many columns it gives.

    >>> body_of(nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3)))[1]
    16
    """
    if isinstance(network, nn.Linear):
        return nn.Identity(), network.in_features
    if isinstance(network, Sum):  # of linear maps of several bodies: one linear map of all of them
        parts = [body_of(part) for part in network.parts]
        return Beside([body for body, _ in parts]), sum(width for _, width in parts)
    if isinstance(network, nn.Sequential) and len(network):
        last, width = body_of(network[-1])
        rest = [] if isinstance(last, nn.Identity) else [last]
        return nn.Sequential(*list(network)[:-1], *rest), width
    head = getattr(network, "head", None)
    if isinstance(head, nn.Linear):
        network.head = nn.Identity()
        return network, head.in_features
    raise ParameterError(
        f"network={type(network).__name__} must end in a torch.nn.Linear, whose place the annotators' heads take: "
        f"give an nn.Sequential that does, a module that calls it `head`, or one of ours by name"
    )
