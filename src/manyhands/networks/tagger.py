"""A tagger of words: vectors, a window, a recurrent layer (the network of the Crowd Layer's paper)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from .sentences import Sentences

__all__ = ["Tagger", "WindowTagger"]


@dataclass(frozen=True)
class Tagger:
    """Word vectors of `dim` numbers, trained on; `filters` ReLU features of `width` neighbours; a GRU; logits.

    dropout: of the features of the window. bidirectional: read sentences from both ends (the paper from one).
    """

    dim: int = 100
    filters: int = 512
    width: int = 5
    hidden: int = 50
    dropout: float = 0.5
    bidirectional: bool = False

    def build(self, n_features: int, n_classes: int) -> WindowTagger:
        """The module; n_features: how many words there are."""
        return WindowTagger(self, n_features, n_classes)


class WindowTagger(nn.Module):
    """Logits of every token of a batch of sentences; no token is padding.

    >>> module = Tagger(dim=4, filters=8, hidden=3).build(10, 5)
    >>> module(Sentences(torch.tensor([1, 2, 3]), torch.tensor([2, 1]))).shape
    torch.Size([3, 5])
    """

    kept: Tensor

    def __init__(self, spec: Tagger, n_words: int, n_classes: int):
        super().__init__()
        self.words = nn.Embedding(n_words, spec.dim)
        self.window = nn.Conv1d(spec.dim, spec.filters, spec.width, padding=spec.width // 2)
        self.dropout = nn.Dropout(spec.dropout)
        self.recurrent = nn.GRU(spec.filters, spec.hidden, bidirectional=spec.bidirectional)
        self.head = nn.Linear(spec.hidden * (2 if spec.bidirectional else 1), n_classes)
        self.gap = spec.width // 2
        self.register_buffer("kept", torch.zeros(0, spec.dim))

    def begin(self, vectors: Tensor, known: Tensor, kept: Tensor) -> None:
        """Start from given vectors of the words that are `known`; of words to meet later, they are kept as they are."""
        with torch.no_grad():
            self.words.weight.normal_(std=0.1)
            self.words.weight[known] = vectors
        self.kept = kept

    def forward(self, batch: Sentences) -> Tensor:
        """[tokens, classes]."""
        rows = batch.apart(self._vectors(batch.words), self.gap)
        seen = self.window(rows.T[None])[0].T[batch.places(self.gap)]
        packed, order = batch.packed(self.dropout(seen.relu()))
        states = self.recurrent(packed)[0].data
        logits = self.head(states)
        return torch.empty_like(logits).index_copy(0, order, logits)

    def _vectors(self, words: Tensor) -> Tensor:
        if self.training or not len(self.kept):
            return self.words(words)  # type: ignore[no-any-return]
        return nn.functional.embedding(words, torch.cat([self.words.weight, self.kept]))
