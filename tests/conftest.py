"""One profile for hypothesis (no clock, no luck), one torch thread, put back after every test."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

# Threads that wait for each other on a busy machine cost ten times what they save on small tables.
os.environ.setdefault("OMP_NUM_THREADS", "1")

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
