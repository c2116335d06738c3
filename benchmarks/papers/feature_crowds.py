"""Every crowd with features and a truth, of classes: what ours and the papers' systems are compared on."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
import polars as pl
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer

from manyhands import Annotations
from manyhands.io import read_features

from ..many_labels import column, relations
from ..real_crowds import class_crowds, table_of, truth_of
from ..scores import score

__all__ = ["CROWDS", "SEEN", "FeatureCrowd", "feature_crowd"]

LATENT = 200  # semantic directions of TF-IDF

# name: folder, features. LSA is made of the texts here, of whole pairs as MiniLM's are.
CROWDS: dict[str, tuple[str, str]] = {
    "labelme": ("labelme", "features.npz"),
    "music-genre": ("music-genre", "features.npz"),
    "rte": ("rte", "features-minilm.npz"),
    "movie-reviews-3class, LSA": ("movie-reviews-3class", "lsa"),
    "medical causes": ("medical-relations", "CAUSES"),
    "medical treats": ("medical-relations", "TREATS"),
    "rte, LSA": ("rte", "lsa"),
    "sentiment-polarity": ("sentiment-polarity", "features-minilm.npz"),
    "labelme, EfficientNet": ("labelme", "features-efficientnet.npz"),
    "product-matching": ("product-matching", "features-minilm.npz"),
    "product-matching, LSA": ("product-matching", "lsa"),
}
# Those that trials of the default have seen (DEFAULT.md); the others no trial has used.
SEEN = ("labelme", "labelme, EfficientNet", "music-genre", "sentiment-polarity", "rte", "product-matching")


class FeatureCrowd(NamedTuple):
    """Tasks with annotations and, where there is a test split, others without; -1: no truth."""

    x: np.ndarray
    labels: Annotations
    truth: np.ndarray
    test_x: np.ndarray
    test_truth: np.ndarray

    @property
    def has_test(self) -> bool:
        """Whether the paper scores tasks that nobody annotated; else it scores those annotated."""
        return len(self.test_x) > 0

    def names(self) -> np.ndarray:
        """The true classes by name, for a network that is trained on them; "" where unknown."""
        classes = np.array([str(c) for c in self.labels.classes or ()] + [""])
        return classes[self.truth]

    def figures(self, predicted: np.ndarray, posterior: np.ndarray) -> dict[str, float]:
        """Accuracy: on test tasks from x, or on annotated tasks from x and labels; and of x alone."""
        truth = self.test_truth if self.has_test else self.truth
        alone = score(predicted, truth)["accuracy"]
        both = score(posterior, self.truth)["accuracy"]
        return {"accuracy": alone if self.has_test else both, "x alone": alone, "x and labels": both}

    @property
    def asked(self) -> np.ndarray:
        """The features of the tasks that are scored."""
        return self.test_x if self.has_test else self.x


@cache
def feature_crowd(name: str) -> FeatureCrowd:
    """A crowd by its name in CROWDS."""
    folder, features = CROWDS[name]
    if folder == "medical-relations":
        labels, x, known = relations()
        return _annotated(x, column(labels, features), known[features])
    if features == "lsa":
        return _of_texts(folder)
    given = read_features(table_of(folder).parent / features)
    (crowd,) = class_crowds((folder,))
    ids, x = [str(task) for task in given.ids], np.asarray(given.X, dtype=np.float32)
    train = np.array([split in (None, "", "train") for split in given.splits or ["train"] * len(ids)])
    classes = [str(c) for c in crowd.labels.classes or ()]
    known = dict(truth_of(folder).select("task", "label").iter_rows())
    truth = np.array([classes.index(known[task]) if known.get(task) in classes else -1 for task in ids])
    labels = crowd.labels.align([task for task, is_train in zip(ids, train, strict=True) if is_train])
    return FeatureCrowd(x[train], labels, truth[train], x[~train], truth[~train])


def _annotated(x: np.ndarray, labels: Annotations, truth: np.ndarray) -> FeatureCrowd:
    return FeatureCrowd(x, labels, truth, x[:0], truth[:0])


def _of_texts(folder: str) -> FeatureCrowd:
    """TF-IDF and latent directions; of two texts, |a - b|, a * b and their cosine, as MiniLM's pairs have it."""
    (crowd,) = class_crowds((folder,))
    frame = pl.read_csv(next((table_of(folder).parent).glob("texts.csv*")), infer_schema=False)
    row = {task: i for i, task in enumerate(frame["task"])}
    rows = [row[str(task)] for task in crowd.labels.tasks]
    columns = {"rte": ("text", "hypothesis"), "product-matching": ("product1", "product2")}.get(
        folder, ("text",)
    )
    x = _latent([frame[name].fill_null("")[rows].to_list() for name in columns])
    return _annotated(x, crowd.labels, crowd.truth)


def _latent(texts: Sequence[list[str]]) -> np.ndarray:
    words = TfidfVectorizer(sublinear_tf=True, min_df=2, dtype=np.float32)
    counts = words.fit_transform([text for part in texts for text in part])
    made = TruncatedSVD(min(LATENT, counts.shape[1] - 1), random_state=0).fit_transform(counts)
    if len(texts) == 1:
        return np.asarray(made, dtype=np.float32)
    a, b = np.split(made, 2)
    size = np.maximum(np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1), 1e-9)
    return np.column_stack([np.abs(a - b), a * b, (a * b).sum(axis=1) / size]).astype(np.float32)
