"""The likelihood of CRF-MA: one annotator's sequence comes from the network's chain, the others from nowhere."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

from ..channels.batch import Batch
from ..channels.whose import WhoseModule
from ..networks.chained import ChainScores
from .chain_mass import chain_mass
from .chained import chances_of, layout_of
from .objective import Objective

__all__ = ["WhoseJoint"]

LOW = -100.0  # the log weight of an answer with steps that may not be: people do give such


class Answers(NamedTuple):
    r"""Of each annotator to each sentence. of: the answer of every vote; sentence: of every answer.

    weight: log of $\pi_j K^T p(l_j | x)$ without the sentence's mass, [answers].
    """

    of: Tensor
    sentence: Tensor
    weight: Tensor


class WhoseJoint(Objective):
    r"""$\sum_i \log \sum_{j \in i} \frac{\pi_j}{\sum_{s \in i} \pi_s} p(l_{ij} | x_i) \prod_{s \ne j} K^{-T}$, less what is constant.

    Where truths are known they are what the chain must say, and the answers are left out.
    """

    name = "joint"

    def loss(
        self, log_truth: ChainScores, channel: WhoseModule, batch: Batch, targets: Tensor | None
    ) -> Tensor:
        """By gradient: that of a log of a sum weighs each answer by its chance, as the E-step does."""
        answers, n = self._answers(log_truth, channel, batch), len(log_truth.lengths)
        say = channel.say.weight[:, 0]
        known = _any_known(log_truth)
        told = (
            torch.zeros(n, dtype=torch.bool, device=say.device).index_fill(0, answers.sentence, True) & ~known
        )
        here = told[answers.sentence]
        right = _log_sums(answers.weight[here], answers.sentence[here], n)
        prior = _log_sums(self._say(say, answers, batch)[here], answers.sentence[here], n)
        seen = log_truth.scores if log_truth.told is None else log_truth.scores + log_truth.told
        mass = chain_mass(
            torch.stack([seen, log_truth.scores], 1), log_truth.step.exp(), layout_of(log_truth)
        )
        by_answers = mass[:, 1] - right + prior
        return torch.where(told, by_answers, torch.where(known, mass[:, 1] - mass[:, 0], 0.0)).sum()

    @torch.no_grad()
    def expect(self, log_truth: ChainScores, channel: WhoseModule, batch: Batch) -> Tensor:
        """The tags of the answers, each by the chance that it is the right one; of sentences without, the chain's."""
        answers, n = self._answers(log_truth, channel, batch), len(log_truth.lengths)
        share = (answers.weight - _log_sums(answers.weight, answers.sentence, n)[answers.sentence]).exp()
        scores = log_truth.scores
        found = torch.zeros_like(scores).view(-1)
        found = found.index_add(0, batch.unit * scores.shape[1] + batch.label, share[answers.of]).view_as(
            scores
        )
        total = found.sum(dim=1, keepdim=True)
        seen = log_truth if log_truth.told is None else log_truth._replace(scores=scores + log_truth.told)
        known = _any_known(log_truth)[torch.repeat_interleave(log_truth.lengths)]
        silent = (total[:, 0] <= 0) | known
        return torch.where(silent[:, None], chances_of(seen), found / total.clamp(min=1e-30))

    def _answers(self, said: ChainScores, channel: WhoseModule, batch: Batch) -> Answers:
        sentence = torch.repeat_interleave(said.lengths)[batch.unit]
        n = len(channel.say.weight)
        pairs, of = (sentence * n + batch.annotator).unique(return_inverse=True)
        width = said.step.shape[1]
        each = said.scores[batch.unit, batch.label] + math.log(width)
        assert batch.before is not None
        follows = batch.before < width
        steps = said.step[batch.before.clamp(max=width - 1), batch.label]
        each = (each + torch.where(follows, steps, 0.0)).clamp(min=LOW)
        weight = each.new_zeros(len(pairs)).index_add(0, of, each) + channel.say.weight[pairs % n, 0]
        return Answers(of, pairs // n, weight)

    @staticmethod
    def _say(say: Tensor, answers: Answers, batch: Batch) -> Tensor:
        """Log pi of every answer."""
        who = batch.annotator.new_zeros(len(answers.sentence)).index_copy(0, answers.of, batch.annotator)
        return say[who]


def _any_known(said: ChainScores) -> Tensor:
    """Which sentences have a known truth."""
    n = len(said.lengths)
    if said.told is None:
        return torch.zeros(n, dtype=torch.bool, device=said.scores.device)
    sentence = torch.repeat_interleave(said.lengths)
    known = (said.told < 0).any(dim=1)
    return torch.zeros(n, device=known.device).index_add(0, sentence, known.float()) > 0


def _log_sums(values: Tensor, place: Tensor, n: int) -> Tensor:
    """Log of the sums of exponentials at each of n places; 0 where there is none."""
    top = values.new_full((n,), -torch.inf).scatter_reduce(0, place, values.detach(), "amax")
    top = torch.where(top.isinf(), 0.0, top)
    sums = values.new_zeros(n).index_add(0, place, (values - top[place]).exp())
    return torch.where(sums > 0, sums, 1.0).log() + top
