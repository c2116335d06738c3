"""LIA's channel as a torch module."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn

from .batch import Batch, Sizes
from .competence import Competence
from .confusion_module import diagonal_logits
from .label_embedding import BesideLabel, LabelEmbedding
from .module import ChannelModule
from .perceptron import RunningScale, perceptron
from .task_embedding import TaskEmbedding
from .task_sample import TaskSample
from .votes import Votes

if TYPE_CHECKING:
    from .low_rank import LowRank

__all__ = ["LowRankModule"]

TWO_CLASSES = 2**2  # the K squared of the paper's crowds
BLOCK = 2**24  # numbers made at a time where all annotators meet the sample of tasks


class LowRankModule(ChannelModule):
    """Two networks that meet at every vote."""

    answers: Tensor

    def __init__(self, spec: LowRank, sizes: Sizes):
        super().__init__()
        self.spec, self._shape = spec, (sizes.n_classes, sizes.n_labels, spec.latent)
        start = diagonal_logits(spec.diagonal, *self._shape[:2])[:, :, None].repeat(1, 1, spec.latent)
        self.competence = Competence(sizes, spec.embedding, start.reshape(-1))
        self.of_label = self._label_part(sizes)
        self.network = self._difficulties(sizes)
        self.tasks = TaskSample(sizes)
        self.register_buffer("answers", torch.ones(sizes.n_annotators), persistent=False)
        self.alpha = self.beta = 0.0
        self._units_a_task = sizes.units_a_task if spec.label_embedding else 1

    @property
    def rest(self) -> float:
        """The D that leaves C alone: nought where it is added, 1 / latent where it multiplies."""
        return 1 / self.spec.latent if self.spec.combine == "product" else 0.0

    def _difficulties(self, sizes: Sizes) -> nn.Sequential:
        """d: near its rest at first."""
        spec, outputs = self.spec, int(np.prod(self._shape))
        if spec.by_task:
            width = sizes._replace(n_features=spec.embedding)
            network = perceptron("LowRank", width, spec.hidden, outputs, spec.activation)
            network[0] = TaskEmbedding(sizes.n_units, spec.embedding)
        elif self.of_label is not None:
            of_task = sizes.n_features - sizes.n_describing
            width = sizes._replace(n_features=of_task + spec.label_embedding)
            network = perceptron("LowRank", width, spec.hidden, outputs, spec.activation)
            embedding = self.of_label[0]
            assert isinstance(embedding, LabelEmbedding)
            network[0] = BesideLabel(RunningScale(of_task), embedding)
        else:
            network = perceptron("LowRank", sizes, spec.hidden, outputs, spec.activation)
        last = network[-1]
        assert isinstance(last, nn.Linear)
        with torch.no_grad():
            last.weight.mul_(0.1)
            last.bias.fill_(self.rest)
        return network

    def _label_part(self, sizes: Sizes) -> nn.Sequential | None:
        """What a label adds to every annotator's competence."""
        if not self.spec.label_embedding or not sizes.n_describing:
            return None
        last = nn.Linear(self.spec.label_embedding, int(np.prod(self._shape)), bias=False)
        nn.init.normal_(last.weight, std=0.05)
        return nn.Sequential(LabelEmbedding(sizes.n_describing, self.spec.label_embedding), last)

    def start(self, votes: Votes, shares: Tensor) -> None:
        """How strong the penalties are, and how many votes each annotator's is shared out over.

        With label embeddings there is a C an annotator and label, each with votes of its own.
        """
        counts = votes.answers()
        self.answers.copy_(torch.from_numpy(np.maximum(counts / self._units_a_task, 1)))
        spec, n_tasks = self.spec, votes.n_answered() / self._units_a_task
        self.alpha = TWO_CLASSES * spec.gamma if spec.alpha is None else spec.alpha
        ratio = n_tasks / max(int((counts > 0).sum()), 1)
        self.beta = self.alpha * ratio if spec.beta is None else spec.beta
        self.tasks.start(shares)

    def forward(self, batch: Batch) -> Tensor:
        """The column of the label, of every vote's own matrix."""
        if self.training:
            self.tasks.keep(batch)
        difficulty = self.difficulty(batch.features)[batch.unit]
        rows = self.spec.mix(difficulty, self._competence(batch).view(-1, *self._shape))
        column = batch.label[:, None, None].expand(-1, self._shape[0], 1)
        return rows.gather(2, column).squeeze(2)

    def difficulty(self, features: Tensor) -> Tensor:
        """D of these tasks, [tasks, classes, labels, latent]."""
        return self.network(features).view(-1, *self._shape)

    def _competence(self, batch: Batch) -> Tensor:
        """C of every vote, flat."""
        competence: Tensor = self.competence(batch.annotator)
        if self.of_label is None:
            return competence
        return competence + self.of_label(batch.features)[batch.unit]

    def penalty(self, batch: Batch) -> Tensor | None:
        """Squares of C and of D's way from rest, of annotators and tasks with votes."""
        if not (self.alpha or self.beta):
            return None
        squares = (self._competence(batch) ** 2).sum(dim=1) / self.answers[batch.annotator]
        answered = torch.unique_consecutive(batch.unit)
        tasks = self.network(batch.features[answered]) - self.rest
        return 0.5 * (self.alpha * squares.sum() + self.beta * (tasks**2).sum())

    @torch.no_grad()
    def confusions(self) -> Tensor:
        """Matrices averaged over a sample of tasks, row k over tasks likely of class k."""
        everybody = torch.arange(len(self.answers), device=self.answers.device)
        return self._averaged(self.competence(everybody))

    @torch.no_grad()
    def matrices_for(self, features: Tensor) -> Tensor:
        """The matrices of annotators never seen, from their features, [annotators, classes, labels]."""
        return self._averaged(self.competence.of(features))

    @torch.no_grad()
    def matrices_at(self, features: Tensor, annotator_features: Tensor | None = None) -> Tensor:
        """T of annotators on given tasks, [tasks, annotators, classes, labels]; by default of all known."""
        everybody = torch.arange(len(self.answers), device=self.answers.device)
        given = (
            self.competence(everybody)
            if annotator_features is None
            else self.competence.of(annotator_features)
        )
        together = self._with_label(features, given)
        return self.spec.mix(
            self._at_rest(features)[:, None], together.view(len(together), -1, *self._shape)
        ).exp()

    def _averaged(self, competence: Tensor) -> Tensor:
        weights, difficulty = self.tasks.weights, self._at_rest(self.tasks.rows)
        size = max(1, BLOCK // max(difficulty.numel(), 1))
        parts = [
            torch.einsum("ijkl,ik->jkl", self.spec.mix(difficulty[:, None], c).exp(), weights)
            for part in competence.split(size)
            for c in [self._with_label(self.tasks.rows, part).view(-1, len(part), *self._shape)]
        ]
        return torch.cat(parts)

    def _with_label(self, features: Tensor, competence: Tensor) -> Tensor:
        """C of annotators on the labels of given units, [units or 1, annotators, ...], flat."""
        if self.of_label is None:
            return competence[None]
        return self.of_label(features)[:, None] + competence

    def _at_rest(self, features: Tensor) -> Tensor:
        training = self.training
        self.eval()
        difficulty = self.difficulty(features)
        self.train(training)
        return difficulty
