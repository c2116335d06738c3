"""LIA-ML: LIA for sets of labels, with what the labels have in common learnt once (2020)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
import torch
from sklearn.utils.validation import check_is_fitted
from torch import Tensor, nn

from ..annotations import Annotations
from ..channels import LowRank, Votes
from ..channels.label_embedding import BesideLabel, LabelEmbedding
from ..errors import ParameterError, UnsupportedError
from ..networks import build_network
from ..networks.standardize import Standardize
from ..training.callbacks import Callback
from ..training.class_truth import ClassTruth
from ..training.pair_units import PairUnits
from .added_labels import with_labels
from .lia import LIA

__all__ = ["LIAML"]


class LIAML(LIA):
    r"""$p(l | z = k) = \mathrm{softmax}_l(D(x_i, e_\lambda), C(r_j, e_\lambda))[k, :]$ of label $\lambda$.

    Platanios et al., *Learning from imperfect annotations*, 2020, section 3.4: h, d and c also take an
    embedding of the label, so that one network speaks for all labels of a set, and of labels that are
    added later (`with_labels`). For sets of labels that resemble one another.

    label_embedding: its length; h has one of its own, d and c share one.
    label_features: [labels, features] that describe the labels, such as sentence vectors of their
        names; the embedding is then linear in them, and a label never answered has chances too
        (`with_labels`). None: an embedding a label.
    network: h, a specification or factory (n_features + label_embedding, 2); None is the paper's
        perceptron, 4 layers of 32.
    batch_size: in (task, label) pairs; "auto" is as many as have 1024 yeses and noes.
    The rest are those of `LIA`.

    >>> from manyhands import LIAML, simulate
    >>> crowd = simulate("sets", n_tasks=200, n_annotators=5, n_classes=4, n_features=3, seed=0)
    >>> model = LIAML(rounds=2, steps=20, fine_tuning=0).fit(crowd.features, crowd.labels)
    >>> model.predict_proba(crowd.features).shape
    (200, 4)
    """

    name: ClassVar[str] = "lia-ml"
    kinds: ClassVar[tuple[str, ...]] = ("set",)

    def __init__(
        self,
        network: Any = None,
        *,
        label_embedding: int = 16,
        label_features: Any = None,
        hidden: Sequence[int] = (32, 32, 32, 32),
        combine: str = "add",
        latent: int = 1,
        embedding: int = 16,
        gamma: float = 0.25,
        rounds: int = 10,
        steps: int = 1000,
        fine_tuning: int = 1000,
        batch_size: int | str = "auto",
        learning_rate: float = 1e-3,
        channel_learning_rate: float | None = None,
        weight_decay: float = 0.0,
        optimizer: str = "amsgrad",
        schedule: str | None = None,
        average: int = 0,
        input_dropout: float | str = 0.0,
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
        super().__init__(
            network, hidden=hidden, combine=combine, latent=latent, embedding=embedding, gamma=gamma,
            rounds=rounds, steps=steps, fine_tuning=fine_tuning, batch_size=batch_size,
            learning_rate=learning_rate, channel_learning_rate=channel_learning_rate,
            weight_decay=weight_decay, optimizer=optimizer, schedule=schedule, average=average,
            input_dropout=input_dropout, validation_fraction=validation_fraction, patience=patience,
            abstention=abstention, use_truth=use_truth, device=device, mixed_precision=mixed_precision,
            random_state=random_state, callbacks=callbacks, checkpoint=checkpoint,
            checkpoint_every=checkpoint_every, resume=resume,
        )  # fmt: skip
        self.label_embedding, self.label_features = label_embedding, label_features

    def fit(
        self, X: Any, y: Any = None, *, sample_weight: Any = None, annotations: Any = None, places: Any = None
    ) -> Self:
        """As `CrowdClassifier`; there is no form without features."""
        if X is None or isinstance(X, Annotations):
            raise UnsupportedError(
                "LIA-ML needs features: aggregate without them, or OneVsRest(LIA()) for LIA-E"
            )
        return super().fit(X, y, sample_weight=sample_weight, annotations=annotations, places=places)

    def with_labels(
        self, X: Any, labels: Annotations, *, label_features: Any = None, steps: int = 300
    ) -> LIAML:
        """A copy that knows labels which came later as well, by the annotators that were fitted.

        X, labels: tasks, and sets of the new labels (and of known ones, if asked again); a few dozen answers
            do. The new labels' embeddings alone are learnt, from where the average label has its own.
        label_features: what describes the new labels, where the first were described: then nothing is
            learnt, and there need be no answer (`labels` with declared classes).
        """
        check_is_fitted(self, "network_")
        return with_labels(self, X, labels, label_features, steps)

    def _truth(self, labels: Annotations) -> ClassTruth:
        assert labels.classes is not None
        return ClassTruth(labels, PairUnits(len(labels.classes), described(self.label_features, labels)))

    def _channel(self) -> LowRank:
        return LowRank(
            self.combine, self.latent, self.embedding, tuple(self.hidden), gamma=self.gamma,
            label_embedding=self.label_embedding,
        )  # fmt: skip

    def _parts(self, sample: Tensor, labels: Annotations, votes: Votes) -> tuple[Any, Any]:
        sizes = self._sizes(sample, labels, votes)
        features = sample[:, : -sizes.n_describing]
        embedding = LabelEmbedding(sizes.n_describing, self.label_embedding)
        first = BesideLabel(Standardize(features.shape[1]).fit(features), embedding)
        with torch.no_grad():
            inside = build_network(self._network(), first(sample), votes.n_classes)
        return nn.Sequential(first, inside), self._channel().build(sizes)


def described(features: Any, labels: Annotations) -> Tensor | None:
    """What describes each label, as rows; None where nothing does."""
    if features is None:
        return None
    rows = torch.as_tensor(np.asarray(features, dtype=np.float32))
    if rows.ndim != 2 or len(rows) != len(labels.classes or ()):
        raise ParameterError(
            f"label_features have shape {tuple(rows.shape)}; give one row for each of the labels {labels.classes}"
        )
    return rows
