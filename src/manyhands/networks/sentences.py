"""A batch of sentences without padding: all tokens in one run, and how long each sentence is."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.utils.rnn import PackedSequence

__all__ = ["Sentences"]


class Sentences(NamedTuple):
    """words: codes of all tokens, sentence after sentence; lengths: of the sentences, none of them empty.

    >>> batch = Sentences(torch.tensor([5, 6, 7]), torch.tensor([1, 2]))
    >>> batch.apart(torch.tensor([[5.0], [6.0], [7.0]]), 1).flatten().tolist()
    [5.0, 0.0, 6.0, 7.0, 0.0]
    """

    words: Tensor
    lengths: Tensor

    def apart(self, rows: Tensor, gap: int) -> Tensor:
        """Rows of tokens with so many rows of zeros after each sentence: a window sees no neighbour."""
        wide = rows.new_zeros(len(rows) + gap * len(self.lengths), *rows.shape[1:])
        wide[self.places(gap)] = rows
        return wide

    def places(self, gap: int) -> Tensor:
        """Where the tokens are in `apart`."""
        sentence = torch.repeat_interleave(self.lengths)
        return torch.arange(len(self.words), device=self.words.device) + gap * sentence

    def packed(self, rows: Tensor) -> tuple[PackedSequence, Tensor]:
        """Rows of tokens as torch's recurrent networks take them, and the order they stand in."""
        lengths, longest_first = self.lengths.sort(descending=True, stable=True)
        first = (self.lengths.cumsum(0) - self.lengths)[longest_first]
        place = torch.arange(int(lengths[0]), device=rows.device)[:, None]
        running = place < lengths
        order = (first + place)[running]
        return PackedSequence(rows[order], running.sum(dim=1).cpu()), order
