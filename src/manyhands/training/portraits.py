"""The loop for channels without a hidden truth: what annotators make of it is counted at the end."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from ..channels.number_heads import NumberHeadsModule
from ..channels.portrait import PortraitModule
from .features import Features
from .learner import Learner

__all__ = ["HeadsLearner", "NumberHeadsLearner", "PortraitLearner"]


class PortraitLearner(Learner):
    """Its channel is a `PortraitModule`."""

    channel: PortraitModule

    def fit(self) -> PortraitLearner:
        """All epochs, then a look at every vote."""
        super().fit()
        self.portray()
        return self

    @torch.no_grad()
    def portray(self) -> None:
        """Count the annotators' matrices anew, against what the model says."""
        self.channel.counts.zero_()
        for batch, said in self._sweep():
            self.channel.look(self.chances(said), said, batch)
        self.company.add_up(self.channel.counts)

    def chances(self, said: Tensor) -> Tensor:
        """What is believed of units, [batch, classes], from what the network gave."""
        return said.exp()


class HeadsLearner(PortraitLearner):
    """The network gives a representation; the truth is a vote of its heads.

    averaging_epochs, averaging_rate: learn the heads' say last, all else fixed.
    """

    channel: Any
    by_itself = "the vote of the heads is learnt"
    averaging_epochs = 0
    averaging_rate = 0.05

    def fit(self) -> HeadsLearner:
        """Heads, then their say, then the matrices."""
        Learner.fit(self)
        self.average()
        self.portray()
        return self

    def average(self) -> None:
        """By Adam on the say alone; a run that was resumed does this anew, to the same bits."""
        solver = torch.optim.Adam(self.channel.sayings(), lr=self.averaging_rate)
        generator = torch.Generator().manual_seed(self.generator.initial_seed())
        self.network.eval()
        for _ in range(self.averaging_epochs):
            total = count = 0.0
            for units in self.features.batches(self.data, self.settings.batch_size, generator):
                x = self.features.rows(units)
                with torch.no_grad():
                    said = self.log_truth(x)
                batch = self.data.batch(units, x)
                loss, weight = self.channel.averaging_loss(said, batch), float(batch.weight_sum())
                solver.zero_grad()
                (loss / max(weight, 1.0)).backward()  # type: ignore[no-untyped-call]
                solver.step()
                total, count = total + float(loss.detach()), count + weight
            self.history.append(
                {"epoch": len(self.history), "phase": "averaging", "loss": total / max(count, 1e-12)}
            )

    def take(self, features: Features, votes: object, known: Tensor | None = None) -> None:
        """Heads of annotators who speak for the first time join the vote."""
        super().take(features, votes, known)  # type: ignore[arg-type]
        self.channel.start(self.data.votes, self.shares)

    def log_truth(self, x: Tensor, network: nn.Module | None = None) -> Tensor:
        """The representation, [batch, width]."""
        said: Tensor = (network or self.network)(x)
        return said.float()

    def chances(self, said: Tensor) -> Tensor:
        """The winner of the vote, for certain: shares of votes are no chances."""
        log_shares = self.channel.vote(said)
        return nn.functional.one_hot(log_shares.argmax(dim=1), log_shares.shape[1]).to(said)

    @torch.no_grad()
    def predict_log(self, features: Features | None = None) -> Tensor:
        """Log of the shares of the vote, without dropout."""
        self.network.eval()
        rows = [self.channel.vote(self.log_truth(x)) for _, x in (features or self.features).all()]
        return torch.cat(rows) if rows else torch.zeros(0, self.shares.shape[1])


class NumberHeadsLearner(HeadsLearner):
    """The heads say numbers; of each annotator is kept how far their head lies above the mean of all."""

    @torch.no_grad()
    def portray(self) -> None:
        """Over the tasks that each has answered."""
        channel: NumberHeadsModule = self.channel
        total = torch.zeros_like(channel.share, dtype=torch.float64)
        for batch, said in self._sweep():
            above = channel.own(said, batch) - channel.vote(said)[batch.unit, 0]
            total.index_add_(0, batch.annotator, above.double())
        count = torch.bincount(self.data.annotator, minlength=len(total)).clamp(min=1)
        channel.look(total / count)
