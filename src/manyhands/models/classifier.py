"""Classifiers trained straight from disagreeing labels: a network, a channel, an objective."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import torch
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from ..annotations import Annotations, split
from ..channels import Confusion, Sizes, Votes, votes_of
from ..errors import ParameterError, UnsupportedError
from ..networks import build_network
from ..objectives.objective import objective_named
from ..results import Result
from ..training.callbacks import AverageWeights, Callback, EarlyStopping, Schedule
from ..training.checkpoint import Checkpoint
from ..training.features import Features
from ..training.learner import Learner
from ..training.settings import Settings
from .inputs import check_ids, features_for, labels_for
from .network_result import network_result
from .scoring import held_out_score
from .soft_label_fit import SoftLabelLearner, SoftLabelNetwork, check_soft_network, is_soft_network
from .training_checks import check_training

__all__ = ["CrowdClassifier"]


class CrowdClassifier(ClassifierMixin, BaseEstimator):
    r"""$p(l_n | x, j_n) = \sum_k f_k(x_i) T_n[k]$: any network, any channel, any objective.

    network: "skip" (linear + MLP), "linear", "mlp", "cnn", a specification from
        `manyhands.networks`, a torch module (copied at fit), a factory (n_features, n_classes), or,
        by EM, any scikit-learn classifier that takes sample weights (then epochs are rounds).
    channel: a specification from `manyhands.channels`; how annotators turn truth into labels.
        None is Confusion(shared=1): matrices about a common one.
    objective: "joint", "marginal", "em" (on the joint) or "em-marginal".
    epochs, batch_size, learning_rate, channel_learning_rate, weight_decay, optimizer, schedule:
        how it is trained; batches are of tasks. batch_size "auto" is max(30, tasks / 30).
    epochs_a_round, closed_form: EM's M-step: epochs between two E-steps, and whether channels
        that have a closed form use it.
    majority_epochs, marginal_epochs: epochs on the soft majority first; fine-tuning by
        `marginal` last.
    average: keep the mean of the weights over the last so many epochs.
    input_dropout: the share of features left out at random; "auto" is sqrt(D / (D + N)), and
        none of pictures.
    validation_fraction, patience: early stopping on annotations held out (never on truth).
    abstention, use_truth: as in the aggregators.
    device, mixed_precision, random_state, callbacks: where and how it runs.
    checkpoint, checkpoint_every, resume: a folder that keeps how far training has come, written
        every so many epochs; resume goes on from there, to the very parameters of a run that was
        not interrupted (docs/training.md).

    Attributes: `classes_`, `network_`, `channel_`, `history_`, `seed_`, `result_` (the posterior of the
    training tasks from network and labels together, annotators, matrices).

    >>> from manyhands import CrowdClassifier, simulate
    >>> crowd = simulate("groups", n_tasks=300, n_annotators=10, n_features=2, seed=0)
    >>> model = CrowdClassifier(network="linear", epochs=10).fit(crowd.features, crowd.labels)
    >>> model.predict_proba(crowd.features).shape
    (300, 3)
    """

    name: ClassVar[str] = "crowd-classifier"
    kinds: ClassVar[tuple[str, ...]] = ("class", "ordinal", "soft")

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
        input_dropout: float | str = "auto",
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

    # --- the face of scikit-learn ------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, *, sample_weight: Any = None, annotations: Any = None) -> Self:
        """Learn from features, one row a task, and their labels.

        y: `Annotations` (row i is task i; see `labels.align`), a wide matrix (NaN or -1 missing),
            or plain labels of one annotator.
        annotations: the labels, where y is gold and for scoring alone (metadata routing).
        sample_weight: what each task counts.
        """
        self._check()
        labels = labels_for(y if annotations is None else annotations, self.kinds)
        check_ids(X, labels)
        features = features_for(self, X, labels.n_tasks, reset=True)
        self.seed_ = self._draw_seed()
        with seeded(self.seed_, self.device):
            learner = self._learner(features, labels, sample_weight)
            learner.fit()
        return self._keep(learner, labels)

    def partial_fit(self, X: Any, y: Any = None, *, classes: Any = None, annotations: Any = None) -> Self:
        """One more epoch, on these tasks; annotators and classes are those of the first call.

        Declare those to come: `Annotations.from_...(annotators=, classes=)`.
        """
        if not hasattr(self, "network_"):
            given = y if annotations is None else annotations
            first = labels_for(given, self.kinds, classes)
            return self.fit(X, first)
        return self._go_on(X, y if annotations is None else annotations)

    def predict_proba(self, X: Any) -> np.ndarray:
        """p(z | x) of every row, in the order of `classes_`."""
        check_is_fitted(self, "network_")
        features = features_for(self, X, None, reset=False)
        return self.learner_.predict_log(features).exp().cpu().numpy()

    def predict(self, X: Any) -> np.ndarray:
        """The likeliest class of every row."""
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The mean log-likelihood of held-out annotations; or, for plain gold labels, accuracy.

        An annotator that was not fitted answers as the average one.
        """
        if not isinstance(y, Annotations):
            return float(super().score(X, y, sample_weight))
        check_is_fitted(self, "network_")
        features = features_for(self, X, y.n_tasks, reset=False)
        return held_out_score(self.learner_, self.labels_, features, y)

    def save(self, path: str | Path) -> Path:
        """Write it to a folder of JSON and safetensors; open it with `manyhands.load`.

        A torch module of your own is saved as weights, and opened with `load(path, network=...)`.
        """
        from .model_saving import save_model

        check_is_fitted(self, "network_")
        return save_model(self, path)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.non_deterministic = False
        return tags

    # --- one fit --------------------------------------------------------------------------------------

    def _draw_seed(self) -> int:
        if self.random_state is None:
            return int(np.random.SeedSequence().generate_state(1)[0])
        if isinstance(self.random_state, np.random.RandomState):
            return int(self.random_state.randint(2**31))
        return int(self.random_state)

    def _learner(self, features: Features, labels: Annotations, weight: Any) -> Learner:
        train, held_out = labels, None
        if self.validation_fraction:
            train, held = split(labels, self.validation_fraction, random_state=self.seed_)
            held_out = votes_of(held, self.abstention)
        votes = weighted(votes_of(train, self.abstention), weight)
        sample = features.sample()
        network, channel = self._parts(sample, labels, votes)
        kind = SoftLabelLearner if isinstance(network, SoftLabelNetwork) else Learner
        return kind(
            network, channel, objective_named(self.objective), features, votes,
            self._settings_for(sample, labels), known=known_truths(labels, self.use_truth),
            held_out=held_out, callbacks=self._callbacks(), seed=self.seed_, device=self.device,
            task_weight=weight,
        )  # fmt: skip

    def _parts(self, sample: torch.Tensor, labels: Annotations, votes: Votes) -> tuple[Any, Any]:
        sizes = Sizes(
            labels.n_annotators, votes.n_labels, votes.n_classes,
            sample.shape[1] if sample.ndim == 2 else 0, labels.n_units,
            None if labels.annotator_features is None else torch.from_numpy(labels.annotator_features.copy()),
        )  # fmt: skip
        if is_soft_network(self.network):
            network: Any = SoftLabelNetwork(self.network, labels.n_classes, self.seed_)
        else:
            network = build_network(self.network, sample, labels.n_classes)
        return network, self._channel().build(sizes)

    def _channel(self) -> Any:
        return Confusion(shared=1.0) if self.channel is None else self.channel

    def _settings_for(self, sample: torch.Tensor, labels: Annotations) -> Settings:
        n, d = max(labels.n_tasks, 1), int(np.prod(sample.shape[1:]))
        batch = max(30, n // 30) if self.batch_size == "auto" else int(self.batch_size)
        dropout = 0.0 if sample.ndim > 2 else float(np.sqrt(d / (d + n)))  # a picture is no list of features
        if self.input_dropout != "auto":
            dropout = float(self.input_dropout)
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
        return self._put(learner, network_result(self, learner, labels))

    def _put(self, learner: Learner, result: Result) -> Self:
        self.learner_, self.result_, self.labels_ = learner, result, result.labels
        self.network_, self.channel_, self.history_ = learner.network, learner.channel, learner.history
        self.classes_ = np.array(result.labels.unit_classes.to_list())
        return self

    def _go_on(self, X: Any, y: Any) -> Self:
        new = labels_for(y, self.kinds, self.classes_.tolist())
        if new.classes != self.labels_.classes:
            raise UnsupportedError(
                f"classes are {new.classes}, fitted on {self.labels_.classes}: declare all at first"
            )
        codes = self.labels_.annotators.codes(new.annotators)
        if (codes < 0).any():
            who = new.annotators[int(np.argmin(codes))]
            raise UnsupportedError(f"annotator {who!r} is new: declare annotators= in the first table")
        features = features_for(self, X, new.n_tasks, reset=False)
        learner = self.learner_
        votes = votes_of(new, self.abstention)
        votes = votes._replace(
            annotator=codes[votes.annotator].astype(np.int32), n_annotators=len(self.labels_.annotators)
        )
        with seeded(self.seed_ + len(learner.history), self.device):
            learner.callbacks = list(self.callbacks)
            learner.take(features, votes, known_truths(new, self.use_truth))
            learner.run_epoch(len(learner.history))
        return self

    def _check(self) -> None:
        check_training(self)
        if is_soft_network(self.network):
            check_soft_network(self)
        if not hasattr(self._channel(), "build"):
            raise ParameterError(f"channel={self.channel!r} must be a specification from manyhands.channels")


@contextmanager
def seeded(seed: int, device: Any) -> Iterator[None]:
    """Dropout draws from the global generators: they are put back as they were found."""
    cards = [torch.device(device)] if torch.device(device).type == "cuda" else []
    with torch.random.fork_rng(devices=cards):
        torch.manual_seed(seed)
        yield


def known_truths(labels: Annotations, use_truth: bool) -> torch.Tensor | None:
    """Codes of known truths, where they are to be used."""
    if not use_truth or labels.truth is None:
        return None
    return torch.from_numpy(labels.truth.astype(np.int64))


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
