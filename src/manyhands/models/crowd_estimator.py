"""What classifiers and regressors share: a network, a channel, an objective, and how they are trained."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import torch
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ..annotations import Annotations
from ..annotations.sharded import united
from ..annotations.splits import split_of
from ..channels import Sizes, Votes
from ..errors import ParameterError, UnsupportedError
from ..processes import agree, first, gathered, rank, size, watched
from ..results import Result
from ..results.joined import joined
from ..shard import Shard
from ..training.callbacks import AverageWeights, Callback, EarlyStopping, Schedule
from ..training.checkpoint import Checkpoint
from ..training.features import Features
from ..training.learner import Learner
from ..training.settings import Extent, Settings
from ..training.truth import Truth
from .input_noise import chosen_share, rule
from .inputs import check_ids, features_for, refuse_silence
from .network_result import shared_settings
from .seeded import seeded
from .soft_label_fit import SoftLabelLearner, SoftLabelNetwork, check_soft_network, is_soft_network
from .training_checks import check_training

__all__ = ["CrowdEstimator"]


class CrowdEstimator(BaseEstimator):
    """Parameters, one fit, going on, saving. What the truth is (`_truth`), the kinds below say.

    Its parameters are those that `CrowdClassifier` describes.
    """

    name: ClassVar[str]
    kinds: ClassVar[tuple[str, ...]]
    _truth_class: ClassVar[type[Truth]]
    shard_: Shard | None = None  # of the tasks of all processes that fitted it together

    def __init__(
        self,
        network: Any = "skip",
        channel: Any = None,
        objective: str = "joint",
        *,
        epochs: int = 50,
        batch_size: int | str = "auto",
        learning_rate: float = 1e-3,
        channel_learning_rate: float | None = 1e-2,
        weight_decay: float = 0.1,
        optimizer: str = "adamw",
        schedule: str | None = None,
        epochs_a_round: int = 1,
        closed_form: bool = True,
        majority_epochs: int = 0,
        marginal_epochs: int = 0,
        average: int = 5,
        input_dropout: float | str = "held-out",
        validation_fraction: float = 0.0,
        patience: int | None = None,
        abstention: str = "ignore",
        use_truth: bool = True,
        device: str = "cpu",
        mixed_precision: bool = False,
        random_state: int | None = 0,
        callbacks: Sequence[Callback] = (),
        checkpoint: Any = None,
        checkpoint_every: int = 1,
        resume: bool = False,
    ):
        self.network, self.channel, self.objective = network, channel, objective
        self.epochs, self.batch_size, self.learning_rate = epochs, batch_size, learning_rate
        self.channel_learning_rate, self.weight_decay = channel_learning_rate, weight_decay
        self.optimizer, self.schedule, self.epochs_a_round = optimizer, schedule, epochs_a_round
        self.closed_form, self.majority_epochs = closed_form, majority_epochs
        self.marginal_epochs, self.average, self.input_dropout = marginal_epochs, average, input_dropout
        self.validation_fraction, self.patience = validation_fraction, patience
        self.abstention, self.use_truth, self.device = abstention, use_truth, device
        self.mixed_precision, self.random_state, self.callbacks = mixed_precision, random_state, callbacks
        self.checkpoint, self.checkpoint_every, self.resume = checkpoint, checkpoint_every, resume

    # --- what a kind of estimator says -----------------------------------------------------------------

    def _truth(self, labels: Annotations) -> Truth:
        """What the truths of these labels are."""
        return self._truth_class(labels)

    @abstractmethod
    def _channel(self) -> Any:
        """The channel's specification."""

    @abstractmethod
    def _accept(self, y: Any) -> Annotations:
        """The table of labels behind y."""

    @abstractmethod
    def _accept_more(self, y: Any) -> Annotations:
        """The same, for labels to go on with: of the same make as those fitted."""

    @abstractmethod
    def _result(self, learner: Learner, labels: Annotations) -> Result:
        """What was learnt, without the model."""

    def _describe(self, result: Result) -> None:
        """Attributes of its own, after a fit or from a folder."""

    # --- the face of scikit-learn ------------------------------------------------------------------

    def fit(
        self, X: Any, y: Any = None, *, sample_weight: Any = None, annotations: Any = None, places: Any = None
    ) -> Self:
        """Learn from features, one row a task, and their labels.

        Inside a process group of torch.distributed each process gives its own tasks (perhaps none), and all
        train one model together (docs/scale.md); `result_` is then of the tasks that are here.

        y: `Annotations` (row i is task i; see `labels.align`), a wide matrix (NaN or -1 missing),
            or plain labels of one annotator.
        annotations: the labels, where y is gold and for scoring alone (metadata routing).
        sample_weight: what each task counts.
        places: in a process group, where each task stands among those of all processes; by default those
            of process 0 come first. It decides which batch a task is in.
        """
        self._check()
        with watched():
            return self._fit(
                X, self._accept(y if annotations is None else annotations), sample_weight, places
            )

    def save(self, path: str | Path) -> Path:
        """Write it to a folder of JSON and safetensors; open it with `manyhands.load`.

        A torch module of your own is saved as weights, and opened with `load(path, network=...)`. Fitted by
        several processes, all take part, process 0 writes, and the result is of all their tasks.
        """
        from .model_saving import save_model

        check_is_fitted(self, "network_")
        if self.shard_ is None:
            save_model(self, path, self.result_)
            return Path(path)
        with watched():
            results, places = zip(*gathered((self.result_, self.shard_.places)), strict=True)
            if rank() == 0:
                save_model(self, path, joined(results, np.concatenate(places)))
            gathered("saved")
        return Path(path)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.non_deterministic = False
        return tags

    # --- one fit --------------------------------------------------------------------------------------

    def _fit(self, X: Any, labels: Annotations, weight: Any, places: Any) -> Self:
        check_ids(X, labels)
        features = self._read(X, labels.n_tasks, reset=True)
        self.seed_, self.shard_ = first(self._draw_seed()), None
        if size() > 1:
            agree("the parameters of the model", shared_settings(self))
            labels = united(labels)
            self.shard_ = Shard.of(labels.n_tasks, places)
            features.place(self.shard_)
        refuse_silence(self._extent(features, labels).n_labels)
        if self.input_dropout == "held-out":
            self.input_dropout_, self.input_dropout_scores_ = chosen_share(self, features, labels, weight)
        with seeded(self.seed_, self.device):
            learner = self._learner(features, labels, weight).fit()
            self._finish(learner, features, labels, weight)
        return self._keep(learner, labels)

    def _draw_seed(self) -> int:
        if self.random_state is None:
            return int(np.random.SeedSequence().generate_state(1)[0])
        if isinstance(self.random_state, np.random.RandomState):
            return int(self.random_state.randint(2**31))
        return int(self.random_state)

    def _learner(self, features: Features, labels: Annotations, weight: Any) -> Learner:
        truth, shard = self._truth(labels), features.shard
        if shard is not None:
            truth, shard = truth.among(labels), truth.units.shard(shard)
        extent = self._extent(features, labels)
        train, held = self._divided(labels, features.shard)
        features, weight = truth.units.features(features), truth.units.weights(weight)
        held_out = None if held is None else truth.votes(held, self.abstention)._replace(shard=shard)
        votes = weighted(truth.votes(train, self.abstention), weight)._replace(shard=shard)
        sample = features.sample()
        network, channel = self._parts(sample, labels, votes)
        return self._loop(network)(
            network, channel, truth.objective(self.objective), features, votes,
            self._settings_for(sample, labels, extent), truth=truth, known=self._known(truth, labels),
            held_out=held_out, callbacks=self._callbacks(), seed=self.seed_, device=self.device,
            task_weight=weight,
        )  # fmt: skip

    def _extent(self, features: Features, labels: Annotations) -> Extent:
        """How much there is to learn from, in all processes."""
        extent = Extent.of(labels)
        return extent if features.shard is None else extent.in_all()

    def _divided(self, labels: Annotations, shard: Shard | None) -> tuple[Annotations, Annotations | None]:
        """The answers to learn from, and those to watch, drawn from the answers of all processes."""
        if not self.validation_fraction:
            return labels, None
        counts = np.bincount(labels.task, minlength=labels.n_tasks)
        answers = None if shard is None else shard.items(counts)
        return split_of(labels, self.validation_fraction, "annotation", self.seed_, answers)

    def _finish(self, learner: Learner, features: Features, labels: Annotations, weight: Any) -> None:
        """What is to be done with it before it is kept."""

    def _features(self, X: Any, n_tasks: int | None = None) -> Features:
        """Of the units of tasks like those fitted."""
        return self.learner_.truth.units.features(self._read(X, n_tasks, reset=False))

    def _read(self, X: Any, n_tasks: int | None, reset: bool) -> Features:
        """The features of tasks, checked; reset: of those to fit."""
        return features_for(self, X, n_tasks, reset)

    def _loop(self, network: Any) -> type[Learner]:
        """The loop that trains it."""
        return SoftLabelLearner if isinstance(network, SoftLabelNetwork) else Learner

    def _known(self, truth: Truth, labels: Annotations) -> torch.Tensor | None:
        return truth.known(labels) if self.use_truth else None

    def _parts(self, sample: torch.Tensor, labels: Annotations, votes: Votes) -> tuple[Any, Any]:
        if is_soft_network(self.network):
            self._check_one_unit(labels)
            network: Any = SoftLabelNetwork(self.network, votes.n_classes, self.seed_)
        else:
            network = self._truth(labels).units.network(self.network, sample, votes.n_classes)
        return network, self._channel().build(self._sizes(sample, labels, votes))

    def _check_one_unit(self, labels: Annotations) -> None:
        if self._truth(labels).units.n_describing:
            raise UnsupportedError(
                f"network={type(self.network).__name__} is scikit-learn's, which has one truth a task: fit one label "
                f"of the sets at a time, OneVsRest(...)"
            )

    def _sizes(self, sample: torch.Tensor, labels: Annotations, votes: Votes) -> Sizes:
        about, units = labels.annotator_features, self._truth(labels).units
        width = sample.shape[1] if sample.ndim == 2 else 0
        return Sizes(
            labels.n_annotators, votes.n_labels, votes.n_classes, width, votes.units.total,
            None if about is None else torch.from_numpy(about.copy()), units.n_describing, units.per_task,
        )  # fmt: skip

    def _settings_for(self, sample: torch.Tensor, labels: Annotations, extent: Extent) -> Settings:
        batch = max(30, extent.n_units // 30) if self.batch_size == "auto" else int(self.batch_size)
        dropout = self.input_dropout_ if self.input_dropout == "held-out" else self.input_dropout
        dropout = rule(sample, extent.n_tasks) if dropout == "auto" else float(dropout)
        rate = self.learning_rate if self.channel_learning_rate is None else self.channel_learning_rate
        return Settings(
            self.epochs, batch, self.learning_rate, rate, self.weight_decay, self.optimizer, self.schedule,
            self.epochs_a_round, self.closed_form, self.majority_epochs, self.marginal_epochs, self.average,
            dropout, self.patience, self.mixed_precision,
        )  # fmt: skip

    def _callbacks(self) -> list[Callback]:
        made: list[Callback] = [Schedule()] if self.schedule == "cosine" else []
        if self.patience is not None:
            made.append(EarlyStopping(self.patience))
        elif self.average > 1 and not is_soft_network(self.network):
            made.append(AverageWeights(self.average))
        if self.checkpoint is not None:
            made.append(Checkpoint(self.checkpoint, self.checkpoint_every, self.resume))
        return [*made, *self.callbacks]

    def _keep(self, learner: Learner, labels: Annotations) -> Self:
        return self._put(learner, self._result(learner, labels))

    def _put(self, learner: Learner, result: Result) -> Self:
        self.learner_, self.result_, self.labels_ = learner, result, result.labels
        self.network_, self.channel_, self.history_ = learner.network, learner.channel, learner.history
        self._describe(result)
        return self

    def _go_on(self, X: Any, y: Any) -> Self:
        if size() > 1:
            raise UnsupportedError(
                f"{size()} processes cannot go on together by partial_fit: fit all tasks at once (a checkpoint takes "
                f"up an interrupted fit), or go on in one of them within manyhands.distributed.alone()"
            )
        new = self._accept_more(y)
        codes = self.labels_.annotators.codes(new.annotators)
        if (codes < 0).any():
            who = new.annotators[int(np.argmin(codes))]
            raise UnsupportedError(f"annotator {who!r} is new: declare annotators= in the first table")
        features, learner = self._features(X, new.n_tasks), self.learner_
        votes = learner.truth.votes(new, self.abstention)
        votes = votes._replace(
            annotator=codes[votes.annotator].astype(np.int32), n_annotators=len(self.labels_.annotators)
        )
        with seeded(self.seed_ + len(learner.history), self.device):
            learner.callbacks = list(self.callbacks)
            learner.take(features, votes, self._known(learner.truth, new))
            learner.run_epoch(len(learner.history))
        return self

    def _check(self) -> None:
        check_training(self)
        if is_soft_network(self.network):
            check_soft_network(self)
        if not hasattr(self._channel(), "build"):
            raise ParameterError(f"channel={self.channel!r} must be a specification from manyhands.channels")


def weighted(votes: Votes, weight: Any) -> Votes:
    """Votes that count as their task does."""
    if weight is None:
        return votes
    share = np.asarray(weight, dtype=np.float32)
    if share.shape not in ((), (votes.n_units,)):
        raise ParameterError(
            f"sample_weight has shape {share.shape}, but there are {votes.n_units} tasks: one each"
        )
    share = np.broadcast_to(share, (votes.n_units,))[votes.unit]
    if not np.isfinite(share).all() or (share < 0).any() or not (share > 0).any():
        raise ParameterError(
            "sample_weight must be finite and not negative, nor zero for every labelled task: not all weights may "
            "be zero"
        )
    return votes._replace(weight=share if votes.weight is None else share * votes.weight)
