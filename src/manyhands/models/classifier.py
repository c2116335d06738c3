"""Classifiers trained straight from disagreeing labels: a network, a channel, an objective."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from ..annotations import Annotations
from ..channels import Confusion
from ..errors import UnsupportedError
from ..results import Result
from ..results.decision import cheapest, cost_matrix
from ..training.class_truth import ClassTruth
from ..training.learner import Learner
from ..training.truth import Truth
from .crowd_estimator import CrowdEstimator
from .inputs import labels_for
from .network_result import network_result
from .scoring import held_out_score

__all__ = ["CrowdClassifier"]


class CrowdClassifier(ClassifierMixin, CrowdEstimator):
    r"""$p(l_n | x, j_n) = \sum_k f_k(x_i) T_n[k]$: any network, any channel, any objective.

    network: "skip" (linear + MLP), "linear", "mlp", "cnn", a specification from
        `manyhands.networks` (`Several("skip", 5)`: the mean of five), a torch module (copied at fit), a factory (n_features, n_classes), or,
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
    input_dropout: the share of features left out at random. "held-out": that of .1, .25, .5, .7 and .85 with
        which a fifth of the answers, held out, is predicted best from x alone; five trainings more, and the
        choice is `input_dropout_`. "auto", and for pictures or fewer than 250 answers in any case, the rule
        sqrt(D / (D + N)), and none of pictures.
    validation_fraction, patience: early stopping on annotations held out (never on truth).
    abstention, use_truth: as in the aggregators.
    device, mixed_precision, random_state, callbacks: where and how it runs.
    checkpoint, checkpoint_every, resume: a folder that keeps how far training has come, written
        every so many epochs; resume goes on from there, to the very parameters of a run that was
        not interrupted (docs/training.md).

    Attributes: `classes_`, `network_`, `channel_`, `history_`, `seed_`, `input_dropout_` (where chosen; and
    `input_dropout_scores_`, the held-out log-likelihood of each level), `result_` (the posterior of the
    training tasks from network and labels together, annotators, matrices).

    >>> from manyhands import CrowdClassifier, simulate
    >>> crowd = simulate("groups", n_tasks=300, n_annotators=10, n_features=2, seed=0)
    >>> model = CrowdClassifier(network="linear", epochs=10).fit(crowd.features, crowd.labels)
    >>> model.predict_proba(crowd.features).shape
    (300, 3)
    """

    name: ClassVar[str] = "crowd-classifier"
    kinds: ClassVar[tuple[str, ...]] = ("class", "ordinal", "soft", "set")
    _truth_class: ClassVar[type[Truth]] = ClassTruth

    def partial_fit(self, X: Any, y: Any = None, *, classes: Any = None, annotations: Any = None) -> Self:
        """One more epoch, on these tasks; annotators and classes are those of the first call.

        Declare those to come: `Annotations.from_...(annotators=, classes=)`.
        """
        given = y if annotations is None else annotations
        if not hasattr(self, "network_"):
            return self.fit(X, labels_for(given, self.kinds, classes))
        return self._go_on(X, given)

    def predict_proba(self, X: Any) -> np.ndarray:
        """p(z | x) of every row, in the order of `classes_`."""
        check_is_fitted(self, "network_")
        return self.learner_.truth.units.chances(self._unit_chances(X))

    def _unit_chances(self, X: Any) -> np.ndarray:
        return self.learner_.predict_log(self._features(X)).exp().cpu().numpy()

    def predict(self, X: Any, cost: Any = None) -> np.ndarray:
        """The likeliest class of every row.

        cost: of ordered classes "absolute" or "squared", or a matrix [decision, truth]: the class of least
            expected cost instead.
        """
        check_is_fitted(self, "network_")
        chances = self._unit_chances(X)
        best = (
            chances.argmax(axis=1) if cost is None else cheapest(chances, cost_matrix(cost, self.labels_))[0]
        )
        return self.learner_.truth.units.labels(self.classes_, best)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The mean log-likelihood of held-out annotations; or, for plain gold labels, accuracy.

        Gold sets are lists, or a 0 / 1 matrix [tasks, labels]; all of a set must be right.

        An annotator that was not fitted answers as the average one.
        """
        check_is_fitted(self, "network_")
        units = self.learner_.truth.units
        if not isinstance(y, Annotations) and units.n_describing:  # lists, which scikit-learn cannot compare
            pairs = zip(units.truth(self.classes_, y), self.predict(X), strict=True)
            return float(np.average([a == b for a, b in pairs], weights=sample_weight))
        if not isinstance(y, Annotations):
            return float(super().score(X, y, sample_weight))
        return held_out_score(self.learner_, self.labels_, self._features(X, y.n_tasks), y)

    def _channel(self) -> Any:
        return Confusion(shared=1.0) if self.channel is None else self.channel

    def _accept(self, y: Any) -> Annotations:
        return labels_for(y, self.kinds)

    def _accept_more(self, y: Any) -> Annotations:
        new = labels_for(y, self.kinds, self.classes_.tolist())
        if new.classes != self.labels_.classes:
            raise UnsupportedError(
                f"classes are {new.classes}, fitted on {self.labels_.classes}: declare all at first"
            )
        return new

    def _result(self, learner: Learner, labels: Annotations) -> Result:
        return network_result(self, learner, labels)

    def _describe(self, result: Result) -> None:
        self.classes_ = self._truth(result.labels).units.names(result.labels)
