"""CRF-MA: a conditional random field from the sequences of several annotators (Rodrigues, Pereira and Ribeiro, 2014)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from ..annotations import Annotations
from ..channels.whose import Whose
from ..networks.word_window import WordWindow
from ..objectives.chained import ChainedMarginal
from ..objectives.objective import Objective
from ..objectives.whose import WhoseJoint
from ..training.callbacks import Callback
from ..training.chain_truth import ChainTruth
from ..training.truth import Truth
from ..training.vocabulary import checked
from ..training.word_features import PER_WORD, word_features
from .checks import check_number
from .tagger import CrowdTagger

__all__ = ["CRFMA"]


class WhoseTruth(ChainTruth):
    """The truth of a sentence is the sequence of one of its annotators."""

    objectives: ClassVar[Mapping[str, Objective]] = {
        "joint": WhoseJoint(), "em": WhoseJoint(), "marginal": ChainedMarginal(),
    }  # fmt: skip


class CRFMA(CrowdTagger):
    r"""$p(l_i | x_i) = \sum_{j \in i} \frac{\pi_j}{\sum_{s \in i} \pi_s} p_{crf}(l_{ij} | x_i) \prod_{s \ne j} K^{-T_i}$.

    Rodrigues, Pereira and Ribeiro, *Sequence labeling with multiple annotators*, Machine Learning 95, 2014: of the
    annotators of a sentence one, unknown, gave the right sequence, which the field explains; the others say anything,
    all K tags alike. An annotator's reliability $\pi_j$ is how often theirs is the right one. The Crowd Layer's paper
    has its figures (precision .494, recall .856, F1 .626) and not its features.

    The paper climbs this by EM: the E-step weighs the sequences by $\gamma_{ij} \propto \pi_j p_{crf}(l_{ij} | x_i)$, the
    M-step fits the field to the weighted sequences and sets $\pi$ to the mean weights. Here the same likelihood is
    climbed by gradient, which weighs each sequence by the same $\gamma$, afresh at every step. Ours where it leaves it open:
    sentences that only some annotators saw (the chance is shared among those), a normal prior on
    $\log \pi_j$ (`shared`), and the features: each word of a window of five itself, its first three letters, its
    last two and three, and the shape of its letters. Steps that the tags' scheme forbids have no chance, and an annotator's
    sequence that has them next to none. What the model says of a training sentence is the sequences by their weights.

    network: None is those features; else as of `CrowdTagger`, on words (`vectors`).
    warm_start: "majority" begins with the field of the majority's tags, `majority_epochs` or five.
    The rest are those of `CrowdTagger`. After fit, `channel_.right()` is how likely each annotator's sequence is the right
    one, over the sentences that they saw.

    >>> from manyhands import Annotations
    >>> X = [["Ada", "wrote"], ["so", "did", "Ada"]] * 20
    >>> tags = [["B-PER" if w == "Ada" else "O" for w in x] for x in X]
    >>> y = Annotations.from_dict({i: {"ann": row, "cid": ["O"] * len(row)} for i, row in enumerate(tags)})
    >>> CRFMA(epochs=3, warm_start=None).fit(X, y).channel_.right().shape
    torch.Size([2])
    """

    name: ClassVar[str] = "crf-ma"

    def __init__(
        self,
        network: Any = None,
        *,
        shared: float = 1.0,
        warm_start: str | None = "majority",
        vectors: Any = None,
        epochs: int = 15,
        batch_size: int | str = 64,
        learning_rate: float = 1e-2,
        channel_learning_rate: float | None = 5e-2,
        weight_decay: float = 1e-2,
        optimizer: str = "adamw",
        schedule: str | None = None,
        majority_epochs: int = 0,
        average: int = 5,
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
            network, None, "joint", chain=True, warm_start=warm_start, vectors=vectors, epochs=epochs,
            batch_size=batch_size, learning_rate=learning_rate, channel_learning_rate=channel_learning_rate,
            weight_decay=weight_decay, optimizer=optimizer, schedule=schedule, majority_epochs=majority_epochs,
            average=average, validation_fraction=validation_fraction, patience=patience, abstention=abstention,
            use_truth=use_truth, device=device, mixed_precision=mixed_precision, random_state=random_state,
            callbacks=callbacks, checkpoint=checkpoint, checkpoint_every=checkpoint_every, resume=resume,
        )  # fmt: skip
        self.shared = shared

    def _channel(self) -> Whose:
        return Whose(self.shared)

    def _truth(self, labels: Annotations) -> Truth:
        return WhoseTruth(labels)

    def _default_network(self) -> WordWindow:
        return WordWindow()

    def _forms(self, X: Any) -> tuple[Any, int]:
        if self.network is not None:
            return X, 1
        return [word_features(words) for words in checked(X)], PER_WORD

    def _check(self) -> None:
        check_number(self, shared=0)
        super()._check()
