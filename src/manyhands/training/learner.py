"""The gradient loop, written once: epochs, batches, steps; everything else is a callback."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor, nn

from ..channels import Batch, Votes
from ..channels.module import VoteModule
from ..errors import ParameterError
from ..networks.standardize import Standardize
from ..objectives.objective import Objective
from .callbacks import Callback
from .class_truth import ClassTruth
from .company import Alone, Company
from .features import Features
from .optimisers import make_optimisers
from .settings import Settings
from .truth import Truth
from .vote_data import VoteData

__all__ = ["Learner"]


class Learner:
    """A network, a channel, an objective, and the votes they learn from.

    The steps `fit`, `run_epoch`, `train_step`, `compute_loss`, `refresh` are each the right thing
    to override. `history` is a list of plain dictionaries, one an epoch. `truth` says what the
    truths are: classes, or numbers. Where the votes are a shard, all processes train together.

    by_itself: of a loop that only one process can run, what does so.
    """

    by_itself: ClassVar[str] = ""

    def __init__(
        self,
        network: nn.Module,
        channel: VoteModule,
        objective: Objective,
        features: Features,
        votes: Votes,
        settings: Settings,
        *,
        truth: Truth | None = None,
        known: Tensor | None = None,
        held_out: Votes | None = None,
        callbacks: Sequence[Callback] = (),
        seed: int = 0,
        device: torch.device | str = "cpu",
        task_weight: Any = None,
    ):
        self.truth = ClassTruth() if truth is None else truth
        self.truth.check_channel(channel)
        objective.check(channel)
        self.device = torch.device(device)
        self.network, self.channel = network.to(self.device), channel.to(self.device)
        self.features, self.settings = features, settings
        self.data = VoteData(votes, self.device)
        self.held_out = None if held_out is None else VoteData(held_out, self.device)
        self.shares = self.truth.start(votes, known).to(self.device)
        self.objective = objective.begin(self.shares[self.data.counts > 0])
        self.known = None if known is None else known.to(self.device)
        self.callbacks = list(callbacks)
        self.told = self._told(task_weight)
        self.channel.start(votes, self.shares)
        self.company = Alone() if votes.shard is None else Company(self)
        s = settings
        self.optimisers = make_optimisers(
            s.optimizer, self.network, self.channel, s.rate, s.channel_rate, s.weight_decay
        )
        self.generator = torch.Generator().manual_seed(seed)
        self.history: list[dict[str, Any]] = []
        self.targets: Tensor | None = None
        self.counts: Tensor | None = None  # of the last E-step
        self.past: Tensor | None = None  # of tasks that were taken before these
        self.in_closed_form = False
        self.stopped = False
        self.resumed_from: int | None = None
        self.in_all: int | None = None  # votes of the batch at hand, in all processes

    # --- the five steps ----------------------------------------------------------------------

    def fit(self) -> Learner:
        """Run the epochs that are left: all, or those after a checkpoint."""
        with self.company.at_work():
            self._tell("on_resume")
            self._tell("on_train_begin")
            while len(self.history) < self.settings.total and not self.stopped:
                self.run_epoch(len(self.history))
            self._tell("on_train_end")
        return self

    def run_epoch(self, epoch: int) -> None:
        """One pass over the tasks in random order."""
        if self.objective.follows and epoch:
            self.objective = self.objective.begin(self.predict_log().exp()[self.data.counts > 0])
        phase = self._phase(epoch)
        if phase.has_rounds and (self.targets is None or self._begins_round(epoch)):
            self.refresh(phase, first=epoch == self.settings.majority_epochs)
        self.network.train()
        self.channel.train()
        total = count = 0.0
        for units, in_all in self.company.shares(self._batches(), self.data.counts):
            self.in_all = in_all
            loss, weight = self.train_step(units, phase)
            total, count = total + loss, count + weight
        entry = {"epoch": epoch, "phase": self._phase_name(epoch), "loss": total / max(count, 1e-12)}
        if self.resumed_from is not None:
            entry["resumed_from"], self.resumed_from = self.resumed_from, None
        self.history.append(entry)
        self._tell("on_epoch_end")
        self._tell("on_save")

    def train_step(self, units: Tensor, phase: Objective) -> tuple[float, float]:
        """One batch, of all processes together: loss, gradients, optimisers."""
        for optimiser in self.optimisers:
            optimiser.zero_grad(set_to_none=True)
        loss, count = self.compute_loss(units, phase)
        total, count = self.company.sums(float(loss.detach()), count)
        if loss.requires_grad:
            self.company.backward(loss, count)
            for optimiser in self.optimisers:
                optimiser.step()
        return total, count

    def compute_loss(self, units: Tensor, phase: Objective) -> tuple[Tensor, float]:
        """The negative objective of a batch, summed, and what it is to be divided by."""
        x = self.features.rows(units)
        with self._precision():
            log_truth = self.log_truth(self._with_dropout(x))
        if self._phase_name(len(self.history)) == "majority":
            told = self.told[units]
            return (told * self.truth.distance(log_truth, self.shares[units])).sum(), float(told.sum())
        places, unit = self.data.places(units)
        batch = self._batch(units, places, unit, x)
        targets = None
        if self.targets is not None and phase.has_rounds:
            targets = self.targets[places] if phase.per_vote else self.targets[units]
        if targets is not None and self.in_closed_form:
            return phase.truth_loss(log_truth, self.channel, batch, targets), float(len(units))
        gold = log_truth.new_zeros(())
        if targets is None and self.known is not None:
            log_truth, gold = self.truth.given(log_truth, self.known[units], self.channel)
        loss = phase.loss(log_truth, self.channel, batch, targets) + gold
        penalty = self.channel.penalty(batch)
        return loss if penalty is None else loss + penalty, float(batch.weight_sum())

    @torch.no_grad()
    def refresh(self, phase: Objective, first: bool = False) -> None:
        """The E-step: new soft targets; the channel's M-step where it has a closed form.

        The first targets are the soft majority, which breaks the symmetry of the classes.
        """
        per_vote, unit = phase.per_vote, self.data_units
        said = None
        if first:
            self.targets = self.shares[unit] if per_vote else self.shares
        else:
            nothing = self.shares.new_zeros(0, self.shares.shape[1])
            parts = [(nothing, nothing)]
            parts += [(f, phase.expect(f, self.channel, batch)) for batch, f in self._sweep()]
            said, self.targets = (torch.cat(column) for column in zip(*parts, strict=True))
        if self.known is not None:
            told, shares = (self.truth.told(self.known), self.shares)
            told, shares = (told[unit], shares[unit]) if per_vote else (told, shares)
            self.targets[told] = shares[told]
        if self.settings.closed_form:
            votes = self.targets if per_vote else self.targets[unit]
            self.counts = self.truth.statistics(votes, self.data, said)
            self.company.add_up(self.counts)
            if self.past is not None:  # statistics are sums: what was learnt before stays
                self.counts += self.past
            self.in_closed_form = self.channel.update(self.counts)

    def take(self, features: Features, votes: Votes, known: Tensor | None = None) -> None:
        """Other tasks to go on with, alone; what was learnt stays."""
        self.features, self.data = features, VoteData(votes, self.device)
        self.company = Alone()
        self.known = None if known is None else known.to(self.device)
        self.shares = self.truth.start(votes, known).to(self.device)
        self.targets, self.past, self.told = None, self.counts, self._told(None)

    def progress(self) -> dict[str, Any]:
        """How far it has come, beside modules, optimisers and generators: for a checkpoint."""
        return {
            "history": self.history, "targets": self.targets, "counts": self.counts,
            "in_closed_form": self.in_closed_form, "stopped": self.stopped,
        }  # fmt: skip

    def go_on_from(self, progress: dict[str, Any]) -> None:
        """Take that back; the next entry of the history says from which epoch."""
        self.history[:] = progress["history"]
        self.targets, self.counts = (
            None if kept is None else kept.to(self.device)
            for kept in (progress["targets"], progress["counts"])
        )
        self.in_closed_form, self.stopped = progress["in_closed_form"], progress["stopped"]
        self.resumed_from = len(self.history)

    # --- what they stand on --------------------------------------------------------------------

    def log_truth(self, x: Tensor) -> Tensor:
        """What the network says of the truths: log f, [batch, classes]; of numbers, mean and variance."""
        outputs = self.company.outputs(self.network, x) if self.network.training else self.network(x)
        return self.truth.read(outputs, self.channel)

    @torch.no_grad()
    def predict_log(self, features: Features | None = None) -> Tensor:
        """`log_truth` of every row of features, without dropout."""
        self.network.eval()
        rows = [self.log_truth(x) for _, x in (features or self.features).all()]
        return torch.cat(rows) if rows else torch.zeros(0, self.shares.shape[1])

    @torch.no_grad()
    def posterior(self, phase: Objective | None = None) -> Tensor:
        """Network and labels together: p(z | x, votes) of the training units."""
        if not self.channel.is_probability:
            return self.truth.belief(self.predict_log())
        joint = phase or self.truth.objective("em")
        parts = [joint.expect(log_truth, self.channel, batch) for batch, log_truth in self._sweep()]
        posterior = torch.cat([self.shares[:0], *parts])
        if self.known is not None:
            told = self.truth.told(self.known)
            posterior[told] = self.shares[told]
        return posterior

    @torch.no_grad()
    def held_out_score(self) -> float:
        """The mean log-likelihood of the held-out votes, predicted from x alone."""
        if self.held_out is None:
            return float("nan")
        total, count = self.company.sums(*self._likelihood(self.held_out))
        return total / max(count, 1e-12)

    @torch.no_grad()
    def score(self, data: VoteData, features: Features | None = None) -> float:
        """The mean log-likelihood of votes, the truth predicted from x alone."""
        total, count = self._likelihood(data, features)
        return total / max(count, 1e-12)

    def _likelihood(self, data: VoteData, features: Features | None = None) -> tuple[float, float]:
        """Its sum over votes, and their weight."""
        marginal, total, count = self.truth.objective("marginal"), 0.0, 0.0
        for batch, log_truth in self._sweep(data, features):
            total -= float(marginal.loss(log_truth, self.channel, batch, None))
            count += float(batch.weight_sum())
        return total, count

    @property
    def data_units(self) -> Tensor:
        """The unit of every vote."""
        return torch.repeat_interleave(self.data.counts)

    def _sweep(self, data: VoteData | None = None, features: Features | None = None) -> Any:
        self.network.eval()
        self.channel.eval()
        data, features = data or self.data, features or self.features
        for rows, x in features.all():
            units = torch.arange(rows.start, rows.stop, device=self.device)
            places, unit = data.places(units)
            yield data_batch(data, units, places, unit, x), self.log_truth(x)

    def _batch(self, units: Tensor, places: Tensor, unit: Tensor, x: Tensor) -> Batch:
        batch = data_batch(self.data, units, places, unit, x)
        if self.in_all is None:
            return batch
        turn = None if self.features.turn is None else self.features.turn[units.cpu()]
        return batch._replace(turn=turn, in_all=self.in_all)

    def _batches(self) -> list[Tensor]:
        """Units in random order; batch norm has no spread in a batch of one, which joins the one before."""
        batches = list(self.features.batches(self.data, self.settings.batch_size, self.generator))
        if not any(isinstance(m, nn.modules.batchnorm._BatchNorm) for m in self.network.modules()):
            return batches
        if len(batches) > 1 and len(batches[-1]) == 1:
            batches[-2:] = [torch.cat(batches[-2:])]
        if batches and len(batches[0]) == 1:
            raise ParameterError(
                "a network with batch norm cannot learn from batches of one task: raise batch_size, give more tasks, "
                "or leave batch norm out"
            )
        return batches

    def _told(self, task_weight: Any) -> Tensor:
        """What a unit counts where the majority is the truth: nothing, where nobody spoke."""
        told = self.data.counts > 0
        if self.known is not None:
            told = told | self.truth.told(self.known)
        weight = torch.from_numpy(np.asarray(1.0 if task_weight is None else task_weight, dtype=np.float32))
        return told * weight.to(self.device)

    def _phase_name(self, epoch: int) -> str:
        s = self.settings
        if epoch < s.majority_epochs:
            return "majority"
        fine_tuning = s.marginal_epochs and epoch >= s.majority_epochs + s.epochs
        return "marginal" if fine_tuning else self.objective.name

    def _phase(self, epoch: int) -> Objective:
        name = self._phase_name(epoch)
        if name != self.objective.name:
            self.in_closed_form = False
        return self.objective if name == self.objective.name else self.truth.objective("marginal")

    def _begins_round(self, epoch: int) -> bool:
        return (epoch - self.settings.majority_epochs) % self.settings.epochs_a_round == 0

    def _with_dropout(self, x: Tensor) -> Tensor:
        share = self.settings.input_dropout
        if not share or not self.network.training:
            return x
        # What is left out is put at its mean: of features about 100, zero would be far outside.
        width = x.shape[-1] - self.features.n_describing
        x, kept = x[..., :width], x[..., width:]
        scales = [m.mean for m in self.network.modules() if isinstance(m, Standardize)]
        centre = next((mean for mean in scales if mean.shape == x.shape[1:]), x.new_zeros(1))
        left = nn.functional.dropout(x - centre, share) + centre
        return torch.cat([left, kept], dim=-1) if kept.shape[-1] else left

    def _precision(self) -> Any:
        if not self.settings.mixed_precision:
            return contextlib.nullcontext()
        return torch.autocast(self.device.type, dtype=torch.bfloat16)

    def _tell(self, event: str) -> None:
        for callback in self.callbacks:
            getattr(callback, event)(self)


def data_batch(data: VoteData, units: Tensor, places: Tensor, unit: Tensor, x: Any) -> Batch:
    """The batch of these votes."""
    weight = None if data.weight is None else data.weight[places]
    return Batch(unit, data.annotator[places], data.label[places], weight, units, x)
