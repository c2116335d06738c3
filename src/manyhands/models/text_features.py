"""Texts as features: TF-IDF, whose vocabulary can be kept as plain data, or a sentence encoder by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any, Self

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer

from ..errors import FormatError, LabelError, UnsupportedError

__all__ = ["SentenceEncoder", "TextFeatures", "text_features_from"]

MOST_WORDS = 3000  # networks are dense, and see 20 000 rows at once to learn their scale


class TextFeatures:
    """TF-IDF of the commonest words and pairs of words, fitted on the texts of training.

    >>> texts = ["a good film", "a bad film", "good good acting"]
    >>> features = TextFeatures(min_count=1).fit(texts)
    >>> twin = text_features_from(features.to_dict())
    >>> float(abs(twin.transform(["a good play"]) - features.transform(["a good play"])).max())
    0.0
    """

    def __init__(self, max_words: int = MOST_WORDS, min_count: int = 2):
        self.max_words, self.min_count = max_words, min_count
        self.vectoriser_: TfidfVectorizer | None = None

    def fit(self, texts: Sequence[str]) -> Self:
        """Learn the words; where there are few texts, also those that occur once."""
        for least in dict.fromkeys((self.min_count, 1)):
            vectoriser = _vectoriser(max_features=self.max_words, min_df=least)
            try:
                vectoriser.fit(texts)
            except ValueError:  # no word left: sklearn says no more than that
                continue
            self.vectoriser_ = vectoriser
            return self
        raise LabelError(f"the {len(texts)} texts hold not one word of two letters: is it the right column?")

    def transform(self, texts: Sequence[str]) -> Any:
        """[texts, words], a sparse matrix of float32."""
        if self.vectoriser_ is None:
            raise NotFittedError("TextFeatures is not fitted: call fit(texts) first")
        return self.vectoriser_.transform(texts).tocsr()

    def to_dict(self) -> dict[str, Any]:
        """The words in order, and what each weighs."""
        if self.vectoriser_ is None:
            raise NotFittedError("TextFeatures is not fitted: call fit(texts) first")
        words = self.vectoriser_.get_feature_names_out().tolist()
        return {"tfidf": {"words": words, "idf": self.vectoriser_.idf_.astype(float).tolist()}}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> TextFeatures:
        """What `to_dict` gave."""
        kept = data["tfidf"]
        words, idf = kept["words"], np.asarray(kept["idf"], dtype=float)
        if len(words) != len(idf) or len(set(words)) != len(words) or not all(map(_is_text, words)):
            raise FormatError(f"holds {len(words)} words and {len(idf)} weights, not one weight a word")
        features = cls()
        features.vectoriser_ = _vectoriser(vocabulary=words)
        features.vectoriser_.idf_ = idf
        return features


class SentenceEncoder:
    """A pretrained encoder of the package sentence_transformers, by the name of its model."""

    def __init__(self, name: str):
        if find_spec("sentence_transformers") is None:
            raise UnsupportedError(
                f"the encoder {name!r} needs the package sentence-transformers, which is not installed: "
                f"pip install sentence-transformers, or leave the encoder out for TF-IDF"
            )
        self.name = name

    def fit(self, texts: Sequence[str]) -> Self:
        """It is trained already."""
        return self

    def transform(self, texts: Sequence[str]) -> np.ndarray:
        """[texts, dimensions], float32."""
        from sentence_transformers import SentenceTransformer

        try:
            model = SentenceTransformer(self.name)
        except (OSError, ValueError) as error:
            first = str(error).split("\n")[0]
            raise UnsupportedError(
                f"the encoder {self.name!r} cannot be loaded ({first}): is it a model's name or folder?"
            ) from error
        encoded = model.encode(list(texts), show_progress_bar=False, convert_to_numpy=True)
        return np.asarray(encoded, dtype=np.float32)

    def to_dict(self) -> dict[str, Any]:
        """Its name."""
        return {"encoder": self.name}


def text_features_from(data: Mapping[str, Any]) -> TextFeatures | SentenceEncoder:
    """What `to_dict` gave, made again; no code is in it."""
    return SentenceEncoder(str(data["encoder"])) if "encoder" in data else TextFeatures.from_dict(data)


def _vectoriser(**given: Any) -> TfidfVectorizer:
    return TfidfVectorizer(sublinear_tf=True, ngram_range=(1, 2), dtype=np.float32, **given)


def _is_text(word: Any) -> bool:
    return isinstance(word, str)
