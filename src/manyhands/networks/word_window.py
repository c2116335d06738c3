"""A linear model of the words about a token: the features of a classical conditional random field."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from .sentences import Sentences

__all__ = ["WordWindow"]


@dataclass(frozen=True)
class WordWindow:
    """A weight for every feature of a word, every place in a window of `width` words, and every tag."""

    width: int = 5

    def build(self, n_features: int, n_classes: int) -> WordWindowModule:
        """The module; n_features: how many features of words there are, the first of them none."""
        return WordWindowModule(self, n_features, n_classes)


class WordWindowModule(nn.Module):
    """Logits of every token; words are codes of features, [tokens] or [tokens, features a word].

    >>> module = WordWindow(3).build(10, 2)
    >>> module(Sentences(torch.tensor([[1, 4], [2, 0], [3, 4]]), torch.tensor([2, 1]))).shape
    torch.Size([3, 2])
    """

    def __init__(self, spec: WordWindow, n_codes: int, n_classes: int):
        super().__init__()
        self.width, self.n_classes = spec.width, n_classes
        self.weights = nn.EmbeddingBag(n_codes, spec.width * n_classes, mode="sum", padding_idx=0)
        self.bias = nn.Parameter(torch.zeros(n_classes))
        nn.init.zeros_(self.weights.weight)

    def forward(self, batch: Sentences) -> Tensor:
        """What each word says of every place of the window about it, added up by place."""
        codes = batch.words if batch.words.ndim == 2 else batch.words[:, None]
        said = self.weights(codes).view(-1, self.width, self.n_classes)
        reach = self.width // 2
        wide, places = batch.apart(said, reach), batch.places(reach)
        total = said[:, reach] + self.bias
        for shift in range(
            -reach, reach + 1
        ):  # gaps hold noughts, and what is before the first is the last gap
            if shift:
                total = total + wide[places + shift, reach - shift]
        return total
