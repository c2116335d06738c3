"""Features of tokens: a task is a sentence, a unit is one of its tokens, and a batch is whole sentences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..networks.sentences import Sentences
from ..shard import Shard
from .features import Features
from .vote_data import VoteData

__all__ = ["SentenceFeatures"]


class SentenceFeatures(Features):
    """words: codes of all tokens; starts: where each sentence starts, and where the last one ends.

    >>> sentences = SentenceFeatures(np.array([3, 1, 2]), np.array([0, 2, 3]), n_words=5)
    >>> sentences.rows(torch.tensor([2, 0, 1])).lengths.tolist()
    [1, 2]
    """

    def __init__(self, words: np.ndarray, starts: np.ndarray, n_words: int, device: Any = "cpu"):
        super().__init__(torch.from_numpy(words.astype(np.int64)).to(device), len(words), device)
        self.starts, self.n_words = starts, n_words
        self.sentence = torch.from_numpy(np.repeat(np.arange(len(starts) - 1), np.diff(starts))).to(device)

    def rows(self, units: Tensor) -> Any:
        """The sentences that these units are, whole and one after the other."""
        _, lengths = torch.unique_consecutive(self.sentence[units], return_counts=True)
        return Sentences(self.source[units], lengths)

    def batches(self, data: VoteData, size: int, generator: torch.Generator) -> Iterator[Tensor]:
        """`size` sentences at a time, in random order."""
        filled = np.flatnonzero(np.diff(self.starts) > 0)
        shard = Shard.whole(len(filled)) if self.shard is None else self.shard.some(filled)
        for own, _ in shard.cut(torch.randperm(shard.total, generator=generator).numpy(), size):
            yield self._units(torch.from_numpy(filled[own]))

    def all(self, size: int | None = None) -> Iterator[tuple[slice, Any]]:
        """All sentences in order, about `size` tokens at a time."""
        size, start = 4096 if size is None else size, 0
        while start < len(self):
            end = int(self.starts[np.searchsorted(self.starts, min(start + size, len(self)), side="left")])
            yield slice(start, end), self.rows(torch.arange(start, end, device=self.device))
            start = end

    def sample(self, most: int = 20_000) -> Tensor:
        """No numbers: as wide as there are words."""
        return torch.zeros(0, self.n_words)

    @property
    def shape(self) -> tuple[int, ...]:
        """As wide as there are words."""
        return (self.n_words,)

    def _units(self, chosen: Tensor) -> Tensor:
        first, end = (
            torch.from_numpy(part)[chosen] for part in (self.starts[:-1].copy(), self.starts[1:].copy())
        )
        lengths = end - first
        within = torch.arange(int(lengths.sum())) - torch.repeat_interleave(
            lengths.cumsum(0) - lengths, lengths
        )
        return (torch.repeat_interleave(first, lengths) + within).to(self.device)
