"""Doctor Net for sentences: a head an annotator on a shared tagger, a token at a time (Guan et al., 2018)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import torch

from ..annotations import Annotations
from ..networks.body import body_of
from ..training.callbacks import Callback
from .tagger import CrowdTagger
from .voting_heads import VotingHeads, WeighedHeads

__all__ = ["DoctorNetTagger", "WeightedDoctorNetTagger"]


class DoctorNetTagger(VotingHeads, CrowdTagger):
    r"""$p(l_{tj} | x) = \mathrm{softmax}(H_j h(x, t))$: a head an annotator, and the heads vote on every token.

    `DoctorNet` on the network of `CrowdTagger`, whose last layer gives way to the heads; DL-DN of the Crowd
    Layer's paper. A network of your own ends in an `nn.Linear`, or calls that layer `head`.

    vote: "majority" of the heads' likeliest tags, or the "mean" of their chances. The consensus is decoded to
        legal tags from the shares of that vote.
    The rest are those of `CrowdTagger`.

    >>> from manyhands import Annotations
    >>> X = [["Ada", "wrote"], ["so", "did", "Ada"]] * 20
    >>> y = Annotations.from_dict({i: {"ann": ["B-PER" if w == "Ada" else "O" for w in x]} for i, x in enumerate(X)})
    >>> DoctorNetTagger(epochs=20).fit(X, y).predict([["Ada", "did"]]).tolist()
    [['B-PER', 'O']]
    """

    name: ClassVar[str] = "doctor-net-tagger"

    def __init__(
        self,
        network: Any = None,
        vote: str = "majority",
        *,
        vectors: Any = None,
        lowercase: bool = True,
        epochs: int = 30,
        batch_size: int | str = 64,
        learning_rate: float = 1e-3,
        channel_learning_rate: float | None = None,
        weight_decay: float = 0.0,
        optimizer: str = "adam",
        schedule: str | None = None,
        average: int = 0,
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
            network, None, "marginal", vectors=vectors, lowercase=lowercase, epochs=epochs, batch_size=batch_size,
            learning_rate=learning_rate, channel_learning_rate=channel_learning_rate, weight_decay=weight_decay,
            optimizer=optimizer, schedule=schedule, average=average, validation_fraction=validation_fraction,
            patience=patience, abstention=abstention, device=device, mixed_precision=mixed_precision,
            random_state=random_state, callbacks=callbacks, checkpoint=checkpoint,
            checkpoint_every=checkpoint_every, resume=resume, use_truth=False,
        )  # fmt: skip
        self.vote = vote

    def _body(self, sample: torch.Tensor, labels: Annotations) -> tuple[Any, int]:
        return body_of(self._tagger(sample, labels.n_classes))


class WeightedDoctorNetTagger(WeighedHeads, DoctorNetTagger):
    r"""`DoctorNetTagger` whose heads have a say of their own, learnt last, from what they foretell of each other.

    Guan et al., AAAI 2018; DL-WDN of the Crowd Layer's paper: see `WeightedDoctorNet`.

    vote: "mean" of the heads' chances by their say, or "majority", each head's vote counting its say.
    averaging_epochs, averaging_rate: how long the say is learnt, by Adam.
    The rest are those of `DoctorNetTagger`. After fit, `channel_.weights()` is the say.

    >>> from manyhands import Annotations
    >>> X = [["Ada", "wrote"], ["so", "did", "Ada"]] * 20
    >>> tags = [["B-PER" if w == "Ada" else "O" for w in x] for x in X]
    >>> y = Annotations.from_dict({i: {"ann": row, "bob": row, "cid": ["O"] * len(row)} for i, row in enumerate(tags)})
    >>> say = WeightedDoctorNetTagger(epochs=10, averaging_epochs=10).fit(X, y).channel_.weights()
    >>> bool(say[2] < say[0])
    True
    """

    name: ClassVar[str] = "weighted-doctor-net-tagger"

    def __init__(
        self,
        network: Any = None,
        vote: str = "mean",
        *,
        averaging_epochs: int = 5,
        averaging_rate: float = 0.05,
        vectors: Any = None,
        lowercase: bool = True,
        epochs: int = 30,
        batch_size: int | str = 64,
        learning_rate: float = 1e-3,
        channel_learning_rate: float | None = None,
        weight_decay: float = 0.0,
        optimizer: str = "adam",
        schedule: str | None = None,
        average: int = 0,
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
            network, vote, vectors=vectors, lowercase=lowercase, epochs=epochs, batch_size=batch_size,
            learning_rate=learning_rate, channel_learning_rate=channel_learning_rate, weight_decay=weight_decay,
            optimizer=optimizer, schedule=schedule, average=average, validation_fraction=validation_fraction,
            patience=patience, abstention=abstention, device=device, mixed_precision=mixed_precision,
            random_state=random_state, callbacks=callbacks, checkpoint=checkpoint,
            checkpoint_every=checkpoint_every, resume=resume,
        )  # fmt: skip
        self.averaging_epochs, self.averaging_rate = averaging_epochs, averaging_rate
