"""An annotator's tag hangs on the truth and on that annotator's own tag before: memory, for networks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import ParameterError
from .batch import Sizes

if TYPE_CHECKING:
    from .previous_module import PreviousModule

__all__ = ["Previous"]


@dataclass(frozen=True)
class Previous:
    r"""$T_j[z_t, l_{t-1,j}, l_t]$: the channel of Bayesian sequence combination, under any network of words.

    An annotator in a state of mind, what was said one token before, is an annotator: there are R (L + 1) of them,
    few of whom say much. So the logits are a sum, $G_k + M_{pk} + W_{jk} + V_{jpk}$: what all do, what all do after
    the tag p, what j does, and what j does after p; each finds its own level. A missed entity is then one error,
    not as many as it has tokens.

    shared: 1 / variance of W about nothing: votes that an annotator borrows from all.
    memory: 1 / variance of V, and of M: votes that a state of mind borrows from the annotator's other ones.
    diagonal: of G at the start.

    It takes tags, with a chain over the truths or without; an M-step of EM is by gradient.

    >>> Previous().build(Sizes(5, 3, 3)).confusions().shape
    torch.Size([5, 3, 3])
    """

    shared: float = 1.0
    memory: float = 1.0
    diagonal: float = 3.0

    def __post_init__(self) -> None:
        for name in ("shared", "memory"):
            if getattr(self, name) < 0:
                raise ParameterError(f"{name}={getattr(self, name)!r} must not be negative")

    def build(self, sizes: Sizes) -> PreviousModule:
        """The torch module to train."""
        from .previous_module import PreviousModule

        return PreviousModule(self, sizes)
