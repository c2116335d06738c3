"""Several processes: what each of them may ask, and Ray to begin them. `torchrun` begins them as well.

`fit` inside a process group of torch.distributed needs nothing from here; docs/scale.md says the rest.
"""

from ..processes import alone, joined, rank, size
from .on_ray import on_ray

__all__ = ["alone", "joined", "on_ray", "rank", "size"]
