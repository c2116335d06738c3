"""One process among others: who it is, sums over all, whether all agree. torch.distributed does the work.

Alone (no process group), every answer is plain: rank 0 of 1, a sum is what it was.

>>> rank(), size(), gathered("mine")
(0, 1, ['mine'])
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from .errors import ProcessError
from .heartbeat import HUNG, Heartbeat

if TYPE_CHECKING:
    import torch

__all__ = [
    "add_up",
    "agree",
    "alone",
    "first",
    "gathered",
    "joined",
    "rank",
    "restarted",
    "size",
    "total",
    "totals",
    "watched",
]

T = TypeVar("T")

PATIENCE = 5.0  # seconds of waiting for the others between two looks at who still lives
ARRIVAL = 300.0  # seconds within which all processes must have come

_alone: ContextVar[bool] = ContextVar("alone", default=False)
_watch: ContextVar[Heartbeat | None] = ContextVar("watch", default=None)


def size() -> int:
    """How many processes there are; 1 without a process group."""
    dist = _group()
    return 1 if dist is None else int(dist.get_world_size())


def rank() -> int:
    """Which of them this is, from 0."""
    dist = _group()
    return 0 if dist is None else int(dist.get_rank())


@contextmanager
def alone() -> Iterator[None]:
    """Inside, this process works for itself, as if there were no group."""
    token = _alone.set(True)
    try:
        yield
    finally:
        _alone.reset(token)


def restarted() -> bool:
    """Whether torchrun began these processes again, after one of them had died."""
    return os.environ.get("TORCHELASTIC_RESTART_COUNT", "0") != "0"


def add_up(*tensors: torch.Tensor) -> None:
    """Put the sum over all processes in the place of each tensor; all get the same bits."""
    dist = _group()
    for tensor in tensors if dist is not None else ():
        there = tensor.to(_device())
        _finish(dist.all_reduce(there, async_op=True))
        if there is not tensor:
            tensor.copy_(there)


def totals(sums: T) -> T:
    """A tuple of tensors, named or not, each summed over all processes in float64."""
    if size() == 1:
        return sums
    kind: Any = type(sums)
    own = [part.double().clone() for part in sums]  # type: ignore[attr-defined]
    add_up(*own)
    return getattr(kind, "_make", kind)(own)


def total(value: float) -> float:
    """A number summed over all processes.

    >>> total(2.5)
    2.5
    """
    if size() == 1:
        return value
    import torch

    here = torch.tensor(value, dtype=torch.float64)
    add_up(here)
    return float(here)


def gathered(value: T) -> list[T]:
    """What each process has, by rank: names and settings, a thing that pickle takes, seldom."""
    dist = _group()
    if dist is None:
        return [value]
    values: list[Any] = [None] * size()
    dist.all_gather_object(values, value)
    return values


def first(value: T) -> T:
    """What the process of rank 0 has."""
    dist = _group()
    if dist is None:
        return value
    values = [value]
    dist.broadcast_object_list(values, src=0)
    return values[0]


def agree(what: str, value: Any) -> None:
    """Refuse to go on where processes differ in `what`, naming who has what."""
    _same(what, gathered(value))


@contextmanager
def joined(timeout: float = 21600.0) -> Iterator[None]:
    """Inside, this process is one of those that torchrun (or another starter) began; alone, nothing happens.

    The group is made from the environment (RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT), unless there
    is one: gloo on the CPU, NCCL where there are GPUs. All must run the same versions.

    timeout: seconds after which a process that waits for the others gives up, though they live.
    """
    made = _started_by_torchrun() and size() == 1
    if made:
        _join(timeout)
    with watched():
        yield
        gathered("done")  # the store's host leaves last
    if made:  # after an error the group is left as it stands: to leave it would wait for who is gone
        _leave()


@contextmanager
def watched() -> Iterator[None]:
    """Inside, an error of the group names the process that is gone; nested, or alone, nothing happens."""
    if size() == 1 or _watch.get() is not None:
        yield
        return
    with Heartbeat(_store(), rank(), size()) as heartbeat:
        token = _watch.set(heartbeat)
        try:
            yield
        except RuntimeError as error:
            if isinstance(error, ProcessError) or not _of_the_group(error):
                raise
            raise heartbeat.verdict(error) from error
        finally:
            _watch.reset(token)


def _group() -> Any:
    """torch.distributed where there is a group, else None."""
    if _alone.get() or "torch" not in sys.modules:
        return None
    import torch.distributed as dist

    there = dist.is_available() and dist.is_initialized() and dist.get_world_size() > 1
    return dist if there else None


def _started_by_torchrun() -> bool:
    return {"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"} <= os.environ.keys()


def _join(timeout: float) -> None:
    import torch
    import torch.distributed as dist
    from torch.distributed.distributed_c10d import PrefixStore
    from torch.distributed.rendezvous import rendezvous

    try:
        store, rank, size = next(rendezvous("env://", timeout=timedelta(seconds=ARRIVAL)))
    except Exception as error:  # of the store's own library: it has no common type
        raise ProcessError(
            f"the group's store, of process 0 at {os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}, was not "
            f"reached within {ARRIVAL:.0f} s ({str(error).splitlines()[0]})",
            ranks=[0],
        ) from error
    restart = os.environ.get("TORCHELASTIC_RESTART_COUNT", "0")
    store = PrefixStore(f"manyhands/{restart}", store)
    _same_versions(store, rank, size)
    gpus = torch.cuda.is_available()
    if gpus:
        torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", rank)))
    dist.init_process_group(
        "nccl" if gpus else "gloo",
        store=store,
        rank=rank,
        world_size=size,
        timeout=timedelta(seconds=timeout),
    )


def _leave() -> None:
    import torch.distributed as dist

    dist.destroy_process_group()


def versions() -> str:
    """What must be equal on all hosts."""
    import torch

    return f"manyhands {sys.modules['manyhands'].__version__}, torch {torch.__version__}"


def _same_versions(store: Any, rank: int, size: int) -> None:
    """Before the group is made: other versions may speak another protocol."""
    store.set(f"versions/{rank}", f"{versions()}\n{socket.gethostname()}")
    said = []
    for other in range(size):
        try:
            store.wait([f"versions/{other}"], timedelta(seconds=ARRIVAL))
        except Exception as error:  # of the store's own library: it has no common type
            raise ProcessError(
                f"process {other} of {size} (rank {other}) did not come within {ARRIVAL:.0f} s", [other]
            ) from error
        said.append(store.get(f"versions/{other}").decode().split("\n"))
    _same("versions", [what for what, _ in said], [f" on {host}" for _, host in said])


def _same(what: str, values: Sequence[Any], places: Sequence[str] | None = None) -> None:
    places = places or [""] * len(values)
    for other, (value, place) in enumerate(zip(values, places, strict=True)):
        if value != values[0]:
            raise ProcessError(
                f"processes differ in {what}: process 0{places[0]} has {values[0]}, process {other}{place} has "
                f"{value}; they must be the same",
                ranks=[0, other],
            )


def _finish(work: Any) -> None:
    """Wait for the others, looking now and then whether they live."""
    watch = _watch.get()
    while watch is not None:
        try:
            work.wait(timedelta(seconds=PATIENCE))
            return
        except RuntimeError as error:
            if "timed out" not in str(error).lower() or work.is_completed():
                raise
            if found := watch.lost(HUNG):
                raise watch.error(found) from error
    work.wait()


def _of_the_group(error: RuntimeError) -> bool:
    """Whether torch.distributed speaks: it has few types of its own."""
    import torch.distributed as dist

    text = str(error).lower()
    words = ("connection", "gloo", "nccl", "socket", "timed out", "broken pipe")
    return isinstance(error, dist.DistError) or any(word in text for word in words)


def _device() -> torch.device:
    import torch
    import torch.distributed as dist

    return torch.device("cuda" if dist.get_backend() == "nccl" else "cpu")


def _store() -> Any:
    """The store of the group: all processes reach it without one another."""
    import torch.distributed as dist

    return dist.distributed_c10d._get_default_store()
