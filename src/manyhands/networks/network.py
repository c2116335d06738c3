"""A network by name, by specification, by factory, or a module that is copied."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from torch import Tensor, nn

from ..errors import ParameterError
from .cnn import CNN
from .kernel import KernelFeatures
from .linear import Linear
from .mlp import MLP
from .skip import SkipMLP
from .standardize import Standardize

__all__ = ["NETWORKS", "build_network", "network_spec"]

NETWORKS: dict[str, Callable[[], Any]] = {"linear": Linear, "mlp": MLP, "skip": SkipMLP, "cnn": CNN}


def build_network(network: Any, features: Tensor, n_classes: int) -> nn.Module:
    """A fresh module with parameters of its own, its scale fitted to these features.

    A module is copied, so that fitting twice starts twice from the same weights.
    """
    if isinstance(network, nn.Module):
        return copy.deepcopy(network)
    spec = network_spec(network)
    size = features.shape[1] if features.ndim > 1 else 0
    module: nn.Module = spec.build(size, n_classes) if hasattr(spec, "build") else spec(size, n_classes)
    for layer in module.modules():
        if isinstance(layer, (Standardize, KernelFeatures)):
            layer.fit(features)
    return module


def network_spec(network: Any) -> Any:
    """The specification behind a name."""
    if isinstance(network, str):
        if network not in NETWORKS:
            raise ParameterError(
                f"network={network!r} must be one of {', '.join(map(repr, NETWORKS))}, a torch module, "
                f"or a factory (n_features, n_classes) -> module"
            )
        return NETWORKS[network]()
    if hasattr(network, "build") or callable(network):
        return network
    raise ParameterError(f"network={network!r} is no name, torch module or factory")
