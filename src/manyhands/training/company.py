"""Training alone, or with other processes: what a step sums over all of them, and how."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import torch
from torch import Tensor, nn

from ..channels.perceptron import RunningScale
from ..errors import UnsupportedError
from ..networks.sentences import Sentences
from ..processes import add_up, gathered, rank, size
from .chain_truth import ChainTruth

if TYPE_CHECKING:
    from .learner import Learner

__all__ = ["Alone", "Company"]


T = TypeVar("T")


class Alone:
    """One process: everything is here."""

    rank, size = 0, 1

    def gathered(self, value: T) -> list[T]:
        """What each process has, by rank."""
        return [value]

    def shares(self, batches: list[Tensor], counts: Tensor) -> Iterator[tuple[Tensor, int | None]]:
        """With each batch how many votes it has in all processes, from those of units; None: no others have any."""
        return ((units, None) for units in batches)

    def outputs(self, network: nn.Module, x: Any) -> Tensor:
        """What the network says of a batch, in training."""
        said: Tensor = network(x)
        return said

    def sums(self, *values: float) -> tuple[float, ...]:
        """Over all processes."""
        return values

    def add_up(self, *tensors: Tensor) -> None:
        """The same, in place."""

    def backward(self, loss: Tensor, count: float) -> None:
        """Gradients of the loss of the whole batch, divided by what it counts."""
        (loss / max(count, 1.0)).backward()  # type: ignore[no-untyped-call]

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """While it trains."""
        yield


class Company(Alone):
    """Each process has a shard of the tasks; a batch is one of all of them, divided (perhaps none of it is here).

    The network's gradients are summed by torch's DistributedDataParallel while they come, the channel's
    after that: sparse tables as sparse. Rank 0's weights are everybody's at first. Between two draws that
    all make alike, each has a generator of its own for dropout.
    """

    def __init__(self, learner: Learner):
        _refuse(learner)
        self.learner = learner
        self.rank, self.size = rank(), size()
        self.copies: dict[nn.Module, Any] = {}
        for part in learner.channel.modules():
            if isinstance(part, RunningScale):
                part.among = True

    def gathered(self, value: T) -> list[T]:
        """Over the group."""
        return gathered(value)

    def shares(self, batches: list[Tensor], counts: Tensor) -> Iterator[tuple[Tensor, int | None]]:
        """Summed once an epoch."""
        votes = torch.tensor([int(counts[units].sum()) for units in batches])
        add_up(votes)
        return zip(batches, votes.tolist(), strict=True)

    def outputs(self, network: nn.Module, x: Any) -> Tensor:
        """By the copy that DistributedDataParallel watches."""
        if network not in self.copies:
            self.copies[network] = _distributed(Shared(network, self.learner.data.votes.n_classes))
        said: Tensor = self.copies[network](x)
        return said

    def sums(self, *values: float) -> tuple[float, ...]:
        """By all-reduce."""
        total = torch.tensor(values, dtype=torch.float64)
        add_up(total)
        return tuple(total.tolist())

    def add_up(self, *tensors: Tensor) -> None:
        """By all-reduce."""
        add_up(*tensors)

    def backward(self, loss: Tensor, count: float) -> None:
        """DistributedDataParallel takes means over processes: so times their number."""
        (loss * (self.size / max(count, 1.0))).backward()  # type: ignore[no-untyped-call]
        grads = [p.grad for p in self.learner.channel.parameters() if p.grad is not None]
        dense = [grad for grad in grads if not grad.is_sparse]
        if dense:
            whole = torch.cat([grad.reshape(-1) for grad in dense])
            add_up(whole)
            for grad, part in zip(dense, whole.split([g.numel() for g in dense]), strict=True):
                grad.copy_(part.view_as(grad)).div_(self.size)
        for grad in (grad for grad in grads if grad.is_sparse):
            add_up(grad)
            grad.div_(self.size)

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """With a generator of its own; afterwards all have the same again, and stand alone."""
        with torch.random.fork_rng(devices=_cards(self.learner.device)):
            torch.manual_seed(self.learner.generator.initial_seed() + self.rank)
            yield
        self.copies = {}


class Shared(nn.Module):
    """A network that may have no rows of a batch; its gradients are then noughts, as the others wait for them."""

    def __init__(self, network: nn.Module, n_classes: int):
        super().__init__()
        self.network, self.n_classes = network, n_classes

    def forward(self, x: Any) -> Tensor:
        """[rows, classes]."""
        if len(x.words if isinstance(x, Sentences) else x):
            said: Tensor = self.network(x)
            return said
        nothing = sum(p.sum() for p in self.network.parameters() if p.requires_grad) * 0.0
        return torch.zeros(0, self.n_classes) + nothing


def _distributed(shared: Shared) -> Any:
    from torch.nn.parallel import DistributedDataParallel

    # Buffers follow from sums over all processes: they are equal already.
    ignored = [name for name, _ in shared.named_buffers()]
    DistributedDataParallel._set_params_and_buffers_to_ignore_for_model(shared, ignored)
    return DistributedDataParallel(shared)


def _cards(device: torch.device) -> list[torch.device]:
    return [device] if device.type == "cuda" else []


def _refuse(learner: Learner) -> None:
    """What looks at a whole batch, or is not trained by batches, in ways that no sums make up for."""
    if learner.objective.follows:
        raise UnsupportedError(
            f"objective={learner.objective.name!r} compares all pairs of a batch, which is divided among processes "
            f"here: use another objective, or one process"
        )
    if any(isinstance(m, nn.modules.batchnorm._BatchNorm) for m in learner.network.modules()):
        raise UnsupportedError(
            "a network with batch norm takes means over a batch, which is divided among processes here: use group "
            "norm or layer norm (a linear, mlp or skip network has none), or one process"
        )
    if isinstance(learner.truth, ChainTruth):
        raise UnsupportedError(
            "a chain over the tags walks whole sentences, which processes do not share yet: use chain=False, or one process"
        )
    if learner.by_itself:
        raise UnsupportedError(f"{learner.by_itself} in one process only: it does not add up over several")
