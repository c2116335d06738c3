"""Labels added to a fitted LIA-ML: an embedding of each is learnt, all else stays as it is."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from sklearn.base import clone
from torch import Tensor, nn

from ..annotations import NOT_ASKED, Annotations, Answers, Names
from ..channels.label_embedding import LabelEmbedding
from ..channels.perceptron import ENOUGH, RunningScale
from ..channels.task_sample import TaskSample
from ..errors import ParameterError, UnsupportedError
from ..training.learner import Learner
from ..training.optimisers import make_optimisers
from .inputs import features_for
from .seeded import seeded

if TYPE_CHECKING:
    from .lia_ml import LIAML

__all__ = ["with_labels"]


def with_labels(model: LIAML, X: Any, labels: Annotations, label_features: Any, steps: int) -> LIAML:
    """A copy of the model that knows these labels too; its result is of the tasks given."""
    table = widened(labels, model.labels_)
    wider = clone(model)
    for name, value in vars(model).items():
        if name.endswith("_") and name not in ("learner_", "network_", "channel_", "result_"):
            setattr(wider, name, value)
    wider.label_features = _stacked(model, label_features, table)
    with seeded(model.seed_, model.device):
        learner = wider._learner(features_for(wider, X, table.n_tasks, reset=False), table, None)
        n_known = len(model.labels_.classes or ())
        for new, old in ((learner.network, model.network_), (learner.channel, model.channel_)):
            _take_over(new, old, n_known)
        if wider.label_features is None:
            _learn(learner, n_known, steps, model.learning_rate)
    return wider._keep(learner, table)


def widened(labels: Annotations, known: Annotations) -> Annotations:
    """The table in the labels of both, and the annotators of those fitted; labels it lacks were not asked about."""
    if labels.kind != "set" or labels.classes is None or known.classes is None:
        raise UnsupportedError(f"labels are of kind {labels.kind!r}; labels are added to sets by sets")
    codes = known.annotators.codes(labels.annotators)
    if (codes < 0).any():
        who = labels.annotators[int(np.argmin(codes))]
        raise UnsupportedError(f"annotator {who!r} was not fitted, so their competence is not known")
    classes = Names([*known.classes, *(c for c in labels.classes if c not in known.classes)])
    if len(classes) == len(known.classes):
        raise ParameterError(f"all of {labels.classes.to_list()} are known labels: there is none to add")
    values = np.full((labels.n_answers, len(classes)), NOT_ASKED, dtype=np.int8)
    values[:, classes.codes(labels.classes)] = labels.answers.values
    return dataclasses.replace(
        labels, annotators=known.annotators, annotator=codes[labels.annotator].astype(np.int32),
        answers=Answers(values, classes), truth=None, annotator_features=known.annotator_features,
    )  # fmt: skip


def _stacked(model: LIAML, new: Any, table: Annotations) -> Any:
    """The rows that describe all labels, where rows describe them."""
    if (model.label_features is None) != (new is None):
        words = "describe the new ones as well: give" if new is None else "were not described: leave out"
        raise ParameterError(f"the labels fitted {words} label_features=")
    if new is None:
        return None
    rows = np.vstack([np.asarray(model.label_features), np.asarray(new)])
    if len(rows) != len(table.classes or ()):
        raise ParameterError(f"label_features= has {len(np.asarray(new))} rows: give one for each new label")
    return rows


@torch.no_grad()
def _take_over(new: nn.Module, old: nn.Module, n_known: int) -> None:
    """The weights as they were; the embedding of a new label begins at the mean of those known."""
    weights = old.state_dict()
    samples = [name for name, part in new.named_modules() if isinstance(part, TaskSample)]
    for name, value in new.state_dict().items():
        if name.rpartition(".")[0] in samples:  # taken anew, from the tasks given
            continue
        before = weights[name]
        if value.shape == before.shape:
            value.copy_(before)
        elif value.ndim == 2 and name.endswith("linear.weight"):
            value[:, :n_known] = before
            value[:, n_known:] = before.mean(dim=1, keepdim=True)


def _learn(learner: Learner, n_known: int, steps: int, rate: float) -> None:
    """Some steps on `joint`, of the new embeddings alone."""
    for part in (learner.network, learner.channel):
        part.requires_grad_(False)
        for scale in (m for m in part.modules() if isinstance(m, RunningScale)):
            scale.seen.clamp_(min=ENOUGH)  # it moves no more
        for table in (m for m in part.modules() if isinstance(m, LabelEmbedding)):
            table.linear.weight.requires_grad_(True).register_hook(_only_from(n_known))
    settings = learner.settings
    steps_an_epoch = math.ceil(learner.data.votes.n_units / settings.batch_size)
    learner.settings = dataclasses.replace(
        settings, epochs=math.ceil(steps / steps_an_epoch), majority_epochs=0, marginal_epochs=0
    )
    learner.objective = learner.truth.objective("joint")
    learner.optimisers = make_optimisers("adam", learner.network, learner.channel, rate, rate, 0.0)
    if steps:
        learner.fit()


def _only_from(first: int) -> Any:
    def mask(gradient: Tensor) -> Tensor:
        kept = gradient.clone()
        kept[:, :first] = 0.0
        return kept

    return mask
