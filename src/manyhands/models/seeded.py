"""One seed for a piece of work, whatever was drawn before it and will be after."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

__all__ = ["seeded"]


@contextmanager
def seeded(seed: int, device: Any) -> Iterator[None]:
    """Dropout draws from the global generators: they are put back as they were found."""
    cards = [torch.device(device)] if torch.device(device).type == "cuda" else []
    with torch.random.fork_rng(devices=cards):
        torch.manual_seed(seed)
        yield
