"""Common and individual noise behind a gate: CoNAL's channel (Chu, Ma and Wang, 2021)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import ParameterError
from .batch import Sizes

if TYPE_CHECKING:
    from .common_module import CommonModule

__all__ = ["Common"]

MIXES = ("probability", "logit")


@dataclass(frozen=True)
class Common:
    r"""$T_n[k] = w_n C[k, l] + (1 - w_n) T_j[k, l]$, $w_n = \sigma(u_j \cdot v_i / \tau)$.

    A label comes from the matrix C that all annotators share, or from the annotator's own. u is
    a row an annotator, or linear in annotator features; v is linear in x; both are unit vectors. Of tasks that are no
    row of numbers (words of a sentence, pictures) v is one for all, and the gate the annotator's alone.
    What an annotator does in all, and C, are recovered well; how the rest divides between C and T_j
    hangs on how w varies, and is known less well.

    length, temperature: of u and v; of the gate. At temperature 1 w lies between .27 and .73.
    mix: "probability", the paper's equation 1; or "logit", as its code has it: the weights are
        mixed before one softmax over labels, which gives p(label | f) whole.
    n_groups: how many common matrices; above one, an annotator draws on them by
        softmax(A u_j), so that annotators with like u share a common matrix.
    apart: $\lambda$ of the term $-\lambda N \sum_j \|W_c - W_j\|_F$ that keeps the matrices apart
        (N tasks; the sum is over annotators who answered).
    full_sum: take that sum in full at every step; else of the annotators present, scaled to an
        unbiased estimate, wherever the annotators are more than the votes of a batch.
    diagonal, noise: the weights start at `diagonal` times the identity, the individual ones apart
        from it by normal noise, without which the gate gets no gradient.

    >>> Common(length=40).build(Sizes(5, 3, 3, n_features=2)).confusions().shape
    torch.Size([5, 3, 3])
    """

    length: int = 20
    temperature: float = 1.0
    mix: str = "probability"
    n_groups: int = 1
    apart: float = 1e-5
    full_sum: bool = False
    diagonal: float = 2.0
    noise: float = 0.05

    def build(self, sizes: Sizes) -> CommonModule:
        """The torch module to train."""
        from .common_module import CommonModule, LogitCommonModule

        self._check()
        return (LogitCommonModule if self.mix == "logit" else CommonModule)(self, sizes)

    def _check(self) -> None:
        if self.mix not in MIXES:
            raise ParameterError(f"mix={self.mix!r} must be one of {', '.join(map(repr, MIXES))}")
        if self.temperature <= 0:
            raise ParameterError(
                f"temperature={self.temperature!r} must be above 0; below 1 lets the gate close"
            )
        if self.length < 1 or self.n_groups < 1:
            raise ParameterError(f"length={self.length!r} and n_groups={self.n_groups!r} must be 1 or more")
