"""A tagger straight from annotators who disagree: any network of words, channel and objective, a token at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
import torch
from sklearn.utils.validation import check_is_fitted

from ..annotations import Annotations
from ..annotations.scheme import Scheme
from ..channels import Confusion, Sizes, Votes
from ..errors import LabelError, ParameterError, UnsupportedError
from ..metrics import span_scores
from ..networks import Tagger, build_network
from ..networks.chained import Chained
from ..results import Result
from ..results.decoding import legal_tags
from ..training.callbacks import Callback
from ..training.chain_truth import ChainTruth
from ..training.class_truth import ClassTruth
from ..training.features import Features
from ..training.learner import Learner
from ..training.sentence_features import SentenceFeatures
from ..training.settings import Extent, Settings
from ..training.token_units import TokenUnits
from ..training.truth import Truth
from ..training.vocabulary import Vocabulary, vectors_of
from .checks import check_choice, check_flag
from .crowd_estimator import CrowdEstimator
from .network_result import network_result

__all__ = ["CrowdTagger"]

WARM = 5  # epochs on the majority, as the paper's code has before the crowd layer's


class CrowdTagger(CrowdEstimator):
    r"""$p(l_{tj} | x) = \sum_k f_k(x, t) T_j[k, l]$ for every token t of a sentence x: `CrowdClassifier` on tokens.

    X: sentences, lists of words. y: `Annotations` of kind "tags" (row i is sentence i), or a list of tags a sentence.
    network: `networks.Tagger()`, that of Rodrigues and Pereira (2018): vectors, a window, a GRU; or a
        module that turns `networks.Sentences` into logits [tokens, tags].
    channel, objective: as of `CrowdClassifier`; `channels.CrowdLayer("MW")` with "marginal" and
        `warm_start="majority"` is the paper's, `channels.Confusion()` with "marginal" is SpeeLFC.
    The default, "marginal", tells held-out answers better than "joint" does on CoNLL-2003's crowd (docs/sequences.md).
    chain: the truth of a sentence is one, $p(z | x) \propto \prod_t f_{t, z_t} A[z_{t-1}, z_t]$ with steps A that are learnt,
        none that the tags' scheme forbids (a conditional random field); with "joint" or "em".
    warm_start: "majority" begins with `majority_epochs` on the soft majority, five where none are said.
    vectors: of words, to begin with: a mapping, or a pair (words, matrix); trained on. Those of words that are
        not in X are kept for sentences to come.
    lowercase: words differ by more than capitals.
    batch_size: sentences. The rest are those of `CrowdClassifier`.

    A prediction is legal: of the tag sequences that may be (no I-PER after O), the one with most tokens right.

    >>> from manyhands import Annotations, CrowdTagger
    >>> X = [["Ada", "wrote"], ["so", "did", "Ada"]] * 20
    >>> y = Annotations.from_dict({i: {"ann": ["B-PER" if w == "Ada" else "O" for w in x]} for i, x in enumerate(X)})
    >>> CrowdTagger(epochs=20, random_state=0).fit(X, y).predict([["Ada", "did"]]).tolist()
    [['B-PER', 'O']]
    """

    name: ClassVar[str] = "crowd-tagger"
    kinds: ClassVar[tuple[str, ...]] = ("tags",)
    _truth_class: ClassVar[type[Truth]] = ClassTruth

    def __init__(
        self,
        network: Any = None,
        channel: Any = None,
        objective: str = "marginal",
        *,
        chain: bool = False,
        warm_start: str | None = None,
        vectors: Any = None,
        lowercase: bool = True,
        epochs: int = 30,
        batch_size: int | str = 64,
        learning_rate: float = 1e-3,
        channel_learning_rate: float | None = 1e-2,
        weight_decay: float = 0.0,
        optimizer: str = "adam",
        schedule: str | None = None,
        epochs_a_round: int = 1,
        closed_form: bool = True,
        majority_epochs: int = 0,
        marginal_epochs: int = 0,
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
            network, channel, objective, epochs=epochs, batch_size=batch_size, learning_rate=learning_rate,
            channel_learning_rate=channel_learning_rate, weight_decay=weight_decay, optimizer=optimizer,
            schedule=schedule, epochs_a_round=epochs_a_round, closed_form=closed_form,
            majority_epochs=majority_epochs, marginal_epochs=marginal_epochs, average=average, input_dropout=0.0,
            validation_fraction=validation_fraction, patience=patience, abstention=abstention,
            use_truth=use_truth, device=device, mixed_precision=mixed_precision, random_state=random_state,
            callbacks=callbacks, checkpoint=checkpoint, checkpoint_every=checkpoint_every, resume=resume,
        )  # fmt: skip
        self.chain, self.warm_start, self.vectors, self.lowercase = chain, warm_start, vectors, lowercase

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """One more epoch, on these sentences; words, tags and annotators are those of the first call."""
        return self._go_on(X, y) if hasattr(self, "network_") else self.fit(X, y)

    def predict_proba(self, X: Any) -> list[np.ndarray]:
        """p(tag | x) of every token: a matrix [tokens, tags] a sentence, in the order of `classes_`."""
        found, starts = self._chances(X)
        chances: list[np.ndarray] = TokenUnits(starts).chances(found)
        return chances

    def predict(self, X: Any) -> np.ndarray:
        """The list of each sentence's tags."""
        chances, starts = self._chances(X)
        best = legal_tags(chances, self.labels_, starts)
        return TokenUnits(starts).labels(self.classes_, chances.argmax(axis=1) if best is None else best)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The F1 of whole spans against gold tags; where tags are no spans, the share of tokens."""
        gold, said = [list(row) for row in y], self.predict(X)
        if Scheme.of(self.classes_):
            return span_scores(said, gold).f1
        pairs = [(a, b) for row, told in zip(said, gold, strict=True) for a, b in zip(row, told, strict=True)]
        return float(np.mean([a == b for a, b in pairs])) if pairs else float("nan")

    def _chances(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        check_is_fitted(self, "network_")
        features = self._read(X, None, reset=False)
        return self.learner_.predict_log(features).exp().cpu().numpy(), features.starts

    def _read(self, X: Any, n_tasks: int | None, reset: bool) -> SentenceFeatures:
        if isinstance(X, SentenceFeatures):
            return X
        rows, per_word = self._forms(X)
        if reset:
            more = [] if self.vectors is None else vectors_of(self.vectors)[0]
            self.vocabulary_ = Vocabulary.of(rows, more, self.lowercase, in_all=True)
            self.words_ = np.array(self.vocabulary_.words, dtype=object)
            self.n_learnt_ = self.vocabulary_.n_learnt
        elif not hasattr(self, "vocabulary_"):  # from a folder
            self.vocabulary_ = Vocabulary(self.words_.tolist(), int(self.n_learnt_), self.lowercase)
        words, starts = self.vocabulary_.codes(rows)
        if per_word > 1:
            words, starts = words.reshape(-1, per_word), starts // per_word
        if n_tasks is not None and len(starts) - 1 != n_tasks:
            raise LabelError(
                f"there are {len(starts) - 1} sentences but {n_tasks} tasks: put the tasks in the order of the "
                f"sentences with labels.align(ids)"
            )
        return SentenceFeatures(words, starts, int(self.n_learnt_), self.device)

    def _forms(self, X: Any) -> tuple[Any, int]:
        """What of its words a sentence is read by, and how much a word: here the words."""
        return X, 1

    def _learner(self, features: Features, labels: Annotations, weight: Any) -> Learner:
        lengths = np.diff(features.starts), np.diff(labels.unit_offsets)  # type: ignore[attr-defined]
        if (lengths[0] != lengths[1]).any():
            place = int(np.argmax(lengths[0] != lengths[1]))
            raise LabelError(
                f"sentence {place} (task {labels.tasks[place]!r}) has {lengths[0][place]} words but {lengths[1][place]} tags"
            )
        return super()._learner(features, labels, weight)

    def _parts(self, sample: torch.Tensor, labels: Annotations, votes: Votes) -> tuple[Any, Any]:
        network = self._tagger(sample, votes.n_classes)
        if self.chain:
            network = Chained(network, votes.n_classes, Scheme.of(labels.classes or ()))
        return network, self._channel().build(self._sizes(sample, labels, votes))

    def _tagger(self, sample: torch.Tensor, n_classes: int) -> Any:
        """A fresh network of words, which begins from the vectors given."""
        network = build_network(
            self._default_network() if self.network is None else self.network, sample, n_classes
        )
        if hasattr(network, "begin"):
            self._begin(network)
        return network

    def _default_network(self) -> Any:
        return Tagger()

    def _sizes(self, sample: torch.Tensor, labels: Annotations, votes: Votes) -> Sizes:
        """A channel sees no words: one that looks at features says so."""
        return super()._sizes(sample, labels, votes)._replace(n_features=0)

    def _begin(self, network: Any) -> None:
        """Vectors that are given; of words not in training they are kept as they are."""
        n, extra = int(self.n_learnt_), len(self.words_) - int(self.n_learnt_)
        width = network.words.weight.shape[1]
        if self.vectors is None:
            network.begin(torch.zeros(0, width), torch.zeros(0, dtype=torch.long), torch.zeros(extra, width))
            return
        words, matrix = vectors_of(self.vectors)
        if matrix.shape[1] != width:
            raise UnsupportedError(
                f"vectors have {matrix.shape[1]} numbers, the network's words {width}: say Tagger(dim={matrix.shape[1]})"
            )
        places = {word: row for row, word in enumerate(words)}
        known = [code for code in range(n) if self.words_[code] in places]
        rows = torch.from_numpy(matrix)
        kept = rows[[places[word] for word in self.words_[n:]]]
        network.begin(
            rows[[places[self.words_[code]] for code in known]], torch.tensor(known, dtype=torch.long), kept
        )

    def _truth(self, labels: Annotations) -> Truth:
        return ChainTruth(labels) if self.chain else ClassTruth(labels)

    def _settings_for(self, sample: torch.Tensor, labels: Annotations, extent: Extent) -> Settings:
        settings = super()._settings_for(sample, labels, extent)
        warm = self.warm_start is not None and not self.majority_epochs
        return replace(settings, majority_epochs=WARM) if warm else settings

    def _check(self) -> None:
        super()._check()
        check_flag(self, "chain", "lowercase")
        check_choice(self, warm_start=(None, "majority"))
        if self.chain and (self.objective not in ("joint", "em") or self.marginal_epochs):
            raise ParameterError(
                f"chain=True has one truth a sentence, so objective={self.objective!r} with "
                f'marginal_epochs={self.marginal_epochs!r} cannot be climbed: take objective="joint" or "em", without them'
            )

    def _channel(self) -> Any:
        return Confusion(shared=1.0) if self.channel is None else self.channel

    def _accept(self, y: Any) -> Annotations:
        if not isinstance(y, Annotations):
            y = Annotations.from_dict({i: {"gold": list(row)} for i, row in enumerate(y)}, kind="tags")
        if y.kind != "tags":
            raise UnsupportedError(
                f"{type(self).__name__} takes labels of kind 'tags', not {y.kind!r}: see CrowdClassifier"
            )
        return y

    def _accept_more(self, y: Any) -> Annotations:
        new = self._accept(y)
        if new.classes != self.labels_.classes:
            raise UnsupportedError(
                f"fitted on tags {self.labels_.classes}, given {new.classes}: build the table with classes="
            )
        return new

    def _result(self, learner: Learner, labels: Annotations) -> Result:
        return network_result(self, learner, labels)

    def _describe(self, result: Result) -> None:
        self.classes_ = self._truth(result.labels).units.names(result.labels)
