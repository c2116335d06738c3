"""One profile for hypothesis (no clock, no luck), and torch's threads put back after every test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "steady", deadline=None, derandomize=True, max_examples=25, suppress_health_check=list(HealthCheck)
)
settings.load_profile("steady")


@pytest.fixture
def threads() -> Iterator[None]:
    """For tests that change the number of torch threads."""
    import torch

    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)
