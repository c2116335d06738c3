"""Doctor Net: every annotator is learnt, and the annotators as learnt vote (Guan et al., 2018)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import torch

from ..annotations import Annotations
from ..networks import build_network
from ..networks.body import body_of
from ..training.callbacks import Callback
from .classifier import CrowdClassifier
from .voting_heads import VotingHeads, WeighedHeads

__all__ = ["DoctorNet", "WeightedDoctorNet"]


class DoctorNet(VotingHeads, CrowdClassifier):
    r"""$p(l | x, j) = \mathrm{softmax}(H_j h(x))_l$: a head an annotator, and the heads vote.

    Guan, Gulshan, Dai and Hinton, *Who said what: modeling individual labelers improves
    classification*, AAAI 2018. No truth behind the labels: each annotator's habits are learnt as they
    are, and what all of them would have said is asked of every task. For few annotators, each with
    labels enough for a head; habits that most of them share it takes for the truth.

    vote: "majority" of the heads' likeliest classes, as the Crowd Layer paper has it; or the "mean"
        of their chances, as Guan's. Heads of annotators without labels have no vote.
    network: its last linear layer gives way to the heads. A module of your own must be an
        `nn.Sequential` that ends in one.
    Known truths are not used: no head is theirs. The rest are those of `CrowdClassifier`. After fit,
    `channel_.confusions()` is what each head says where the vote says a class.

    >>> from manyhands import DoctorNet, simulate
    >>> crowd = simulate("confusion", n_tasks=300, n_annotators=5, n_classes=3, n_features=4, seed=0)
    >>> model = DoctorNet(vote="mean", epochs=5).fit(crowd.features, crowd.labels)
    >>> model.predict_proba(crowd.features).shape
    (300, 3)
    """

    name: ClassVar[str] = "doctor-net"

    def __init__(
        self,
        network: Any = "mlp",
        vote: str = "majority",
        *,
        epochs: int = 50,
        batch_size: int | str = 64,
        learning_rate: float = 1e-3,
        channel_learning_rate: float | None = None,
        weight_decay: float = 0.0,
        optimizer: str = "adam",
        schedule: str | None = None,
        average: int = 0,
        input_dropout: float | str = 0.0,
        validation_fraction: float = 0.0,
        patience: int | None = None,
        abstention: str = "ignore",
        device: str = "cpu",
        mixed_precision: bool = False,
        random_state: int | None = 0,
        callbacks: Sequence[Callback] = (),
        checkpoint: Any = None,
        checkpoint_every: int = 1,
        resume: bool = False,
    ):
        super().__init__(
            network, None, "marginal", epochs=epochs, batch_size=batch_size, learning_rate=learning_rate,
            channel_learning_rate=channel_learning_rate, weight_decay=weight_decay, optimizer=optimizer,
            schedule=schedule, average=average, input_dropout=input_dropout,
            validation_fraction=validation_fraction, patience=patience, abstention=abstention, device=device,
            mixed_precision=mixed_precision, random_state=random_state, callbacks=callbacks,
            checkpoint=checkpoint, checkpoint_every=checkpoint_every, resume=resume, use_truth=False,
        )  # fmt: skip
        self.vote = vote

    def _body(self, sample: torch.Tensor, labels: Annotations) -> tuple[Any, int]:
        return body_of(build_network(self.network, sample, labels.n_classes))


class WeightedDoctorNet(WeighedHeads, DoctorNet):
    r"""`DoctorNet` whose heads have a say of their own, $w = \mathrm{softmax}(v)$, learnt last.

    Guan et al., AAAI 2018. With the heads fixed, v climbs
    $\sum_n \log \sum_{j \ne j_n} w_j p_j(l_n | x) / \sum_{j \ne j_n} w_j$: each label is foretold by the
    others' heads, its own left out, so that nobody is weighed by agreeing with themselves. For crowds
    of which a few are careless: where many are, they foretell each other.

    vote: "mean" of the heads' chances by their say, as in the paper; or "majority", each head's vote
        counting its say.
    averaging_epochs, averaging_rate: how long v is learnt, by Adam.
    The rest are those of `DoctorNet`. After fit, `channel_.weights()` is w.

    >>> from manyhands import WeightedDoctorNet, simulate
    >>> crowd = simulate("spammers", n_tasks=300, n_annotators=5, n_features=4, seed=0)
    >>> model = WeightedDoctorNet(epochs=5, averaging_epochs=5).fit(crowd.features, crowd.labels)
    >>> round(float(model.channel_.weights().sum()), 3)
    1.0
    """

    name: ClassVar[str] = "weighted-doctor-net"

    def __init__(
        self,
        network: Any = "mlp",
        vote: str = "mean",
        *,
        averaging_epochs: int = 20,
        averaging_rate: float = 0.05,
        epochs: int = 50,
        batch_size: int | str = 64,
        learning_rate: float = 1e-3,
        channel_learning_rate: float | None = None,
        weight_decay: float = 0.0,
        optimizer: str = "adam",
        schedule: str | None = None,
        average: int = 0,
        input_dropout: float | str = 0.0,
        validation_fraction: float = 0.0,
        patience: int | None = None,
        abstention: str = "ignore",
        device: str = "cpu",
        mixed_precision: bool = False,
        random_state: int | None = 0,
        callbacks: Sequence[Callback] = (),
        checkpoint: Any = None,
        checkpoint_every: int = 1,
        resume: bool = False,
    ):
        super().__init__(
            network, vote, epochs=epochs, batch_size=batch_size, learning_rate=learning_rate,
            channel_learning_rate=channel_learning_rate, weight_decay=weight_decay, optimizer=optimizer,
            schedule=schedule, average=average, input_dropout=input_dropout,
            validation_fraction=validation_fraction, patience=patience, abstention=abstention, device=device,
            mixed_precision=mixed_precision, random_state=random_state, callbacks=callbacks,
            checkpoint=checkpoint, checkpoint_every=checkpoint_every, resume=resume,
        )  # fmt: skip
        self.averaging_epochs, self.averaging_rate = averaging_epochs, averaging_rate
