"""Which annotator's whole sequence is the right one: the reliability of CRF-MA."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from ..errors import ParameterError
from .batch import Batch, Sizes
from .module import TINY, ChannelModule
from .sparse import embedding, ridge
from .votes import Votes

__all__ = ["Whose", "WhoseModule"]


@dataclass(frozen=True)
class Whose:
    r"""Of those who labelled a sentence one is right, j with chance $\pi_j / \sum_s \pi_s$; the others say anything.

    shared: votes, here sentences, that $\log \pi_j$ borrows from all annotators.

    It goes with the objective of `manyhands.CRFMA`. A tag by itself is right with the mean of that chance over
    the annotator's sentences, else anything: that is the channel which other rooms see.
    """

    shared: float = 1.0

    def __post_init__(self) -> None:
        if self.shared < 0:
            raise ParameterError(f"shared={self.shared!r} must not be negative")

    def build(self, sizes: Sizes) -> WhoseModule:
        """The torch module to train.

        >>> Whose().build(Sizes(2, 3, 3)).right().tolist()
        [1.0, 1.0]
        """
        return WhoseModule(self, sizes)


class WhoseModule(ChannelModule):
    r"""say: $\log \pi$. sentence, who: the pairs of a sentence and an annotator that there are."""

    sentence: Tensor
    who: Tensor

    def __init__(self, spec: Whose, sizes: Sizes):
        super().__init__()
        self.spec, self.shape = spec, (sizes.n_classes, sizes.n_labels)
        self.say: nn.Embedding = embedding(sizes.n_annotators, 1)
        self.register_buffer("sentence", torch.arange(sizes.n_annotators), persistent=False)
        self.register_buffer("who", torch.arange(sizes.n_annotators), persistent=False)
        self.register_buffer("answers", torch.ones(sizes.n_annotators), persistent=False)

    def start(self, votes: Votes, shares: Tensor) -> None:
        """Who labelled which sentence."""
        if votes.starts is None:
            raise ParameterError("channel Whose is about whole sentences, and these labels are no tags")
        lengths = np.diff(votes.starts)
        sentence = np.repeat(np.arange(len(lengths)), lengths)[votes.unit]
        pairs = np.unique(sentence * votes.n_annotators + votes.annotator)
        device = self.say.weight.device
        self.sentence, self.who = (
            torch.from_numpy(part.astype(np.int64)).to(device)
            for part in (pairs // votes.n_annotators, pairs % votes.n_annotators)
        )
        counts = np.bincount(votes.annotator, minlength=votes.n_annotators)
        self.answers = torch.from_numpy(np.maximum(counts, 1)).float().to(device)

    def penalty(self, batch: Batch) -> Tensor:
        """The prior of those present, shared out over their votes."""
        return self.spec.shared * ridge(self.say, batch.annotator, self.answers)

    @torch.no_grad()
    def right(self) -> Tensor:
        """How likely each annotator's sequence is the right one, over their sentences, [annotators]."""
        say = self.say.weight[self.who, 0].double().exp()
        total = say.new_zeros(int(self.sentence.max()) + 1 if len(say) else 0).index_add(
            0, self.sentence, say
        )
        share, n = say / total[self.sentence], len(self.say.weight)
        mean = share.new_zeros(n).index_add(0, self.who, share)
        return mean / torch.bincount(self.who, minlength=n).clamp(min=1)

    def forward(self, batch: Batch) -> Tensor:
        """Of a tag by itself."""
        right = self.right().to(self.say.weight)[batch.annotator, None]
        same = batch.label[:, None] == torch.arange(self.shape[0], device=batch.label.device)
        return (right * same + (1 - right) / self.shape[1]).clamp(min=TINY).log()

    @torch.no_grad()
    def confusions(self) -> Tensor:
        """T of every annotator, of a tag by itself."""
        right = self.right().to(self.say.weight)[:, None, None]
        return right * torch.eye(*self.shape).to(right) + (1 - right) / self.shape[1]
