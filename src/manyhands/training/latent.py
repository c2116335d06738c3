"""What a module remembers beside its weights: tensors that are neither parameters nor saved buffers."""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn

__all__ = ["latent_state", "restore_latent"]


def latent_state(module: nn.Module) -> dict[str, Any]:
    """By name: unsaved buffers, and attributes that are tensors or tuples or lists of them.

    Parameters that a module holds a second time (a GRU does, in a list) are parameters.

    >>> import torch
    >>> part = nn.Identity()
    >>> part.seen = torch.ones(2)
    >>> latent_state(part)
    {'seen': tensor([1., 1.])}
    """
    found: dict[str, Any] = {}
    for prefix, part in module.named_modules():
        before = f"{prefix}." if prefix else ""
        for name in sorted(part._non_persistent_buffers_set):
            found[before + name] = part._buffers[name]
        found |= {before + name: value for name, value in vars(part).items() if _is_tensors(value)}
    return found


def restore_latent(module: nn.Module, state: dict[str, Any]) -> None:
    """Put it back; a name that the module does not have is left out."""
    for path, value in state.items():
        prefix, _, name = path.rpartition(".")
        part = module.get_submodule(prefix)
        if name in part._buffers:
            part._buffers[name] = value.to(_device(module)) if isinstance(value, Tensor) else value
        elif name in vars(part):
            setattr(part, name, value)


def _is_tensors(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return len(value) > 0 and all(_is_tensors(v) for v in value)
    return isinstance(value, Tensor) and not isinstance(value, nn.Parameter)


def _device(module: nn.Module) -> Any:
    return next((p.device for p in module.parameters()), "cpu")
