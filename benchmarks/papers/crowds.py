"""Real crowds with features: what is trained on, and what is tested."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer

from manyhands import Annotations, read
from manyhands.io import read_features
from manyhands.metrics import annotator_confusions

from ..real_crowds import table_of, truth_of

__all__ = ["Featured", "accuracy", "featured", "latent", "real_matrices"]

AXES = 200


class Featured(NamedTuple):
    """Features, labels and truth (codes of classes) of training; features and truth of what is tested."""

    x: np.ndarray
    labels: Annotations
    truth: np.ndarray
    test_x: np.ndarray
    test_truth: np.ndarray

    def told(self) -> Annotations:
        """The truth of the training tasks as if one annotator had said it."""
        names = self.labels.classes
        assert names is not None
        return Annotations.from_y([names[code] for code in self.truth], classes=names)

    def first(self, n: int) -> Featured:
        """So many training tasks."""
        return self._replace(x=self.x[:n], labels=self.labels[np.arange(n)], truth=self.truth[:n])


@cache
def featured(name: str, features: str = "features.npz", tested: str = "") -> Featured:
    """A crowd of the folder; all tasks outside the training split are tested, or those of one split."""
    given = read_features(table_of(name).parent / features)
    splits = np.array(given.splits)
    x, ids = np.asarray(given.X, dtype=np.float32), np.array([str(i) for i in given.ids])
    kept = (splits == "train") | (splits == tested) if tested else np.full(len(ids), True)
    return _split(name, x[kept], ids[kept], splits[kept] == "train")


@cache
def latent(name: str) -> Featured:
    """The same from the crowd's texts: TF-IDF of training's words and pairs, and its latent semantic axes."""
    folder = table_of(name).parent
    texts = dict(
        pl.read_csv(next(folder.glob("texts.*")), infer_schema=False).select("task", "text").iter_rows()
    )
    tasks = pl.read_csv(folder / "tasks.csv", infer_schema=False)
    ids, train = tasks["task"].to_numpy(), (tasks["split"] == "train").to_numpy()
    words = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True)
    words.fit([texts[i] for i in ids[train]])
    counts = words.transform([texts[i] for i in ids])
    axes = TruncatedSVD(AXES, random_state=0).fit(counts[train])
    return _split(name, axes.transform(counts).astype(np.float32), ids, train)


def _split(name: str, x: np.ndarray, ids: np.ndarray, train: np.ndarray) -> Featured:
    labels = read(table_of(name), columns="task=task,annotator=annotator,label=label", repeats="first")
    codes = {str(name): code for code, name in enumerate(labels.classes or ())}
    known = {task: codes[label] for task, label in truth_of(name).select("task", "label").iter_rows()}
    truth = np.array([known[i] for i in ids])
    return Featured(x[train], labels.align(list(ids[train])), truth[train], x[~train], truth[~train])


def accuracy(model: Any, data: Featured) -> float:
    """The share of tested tasks whose likeliest class is right."""
    return float(np.mean(model.predict_proba(data.test_x).argmax(axis=1) == data.test_truth))


def real_matrices(data: Featured, most: int = 6) -> tuple[np.ndarray, np.ndarray]:
    """The annotators of most labels, and their matrices against the truth, [annotators, truth, label].

    Rows of classes that an annotator never met are nan.
    """
    counts = annotator_confusions(data.labels, data.truth)
    busiest = np.argsort(-counts.sum(axis=(1, 2)), kind="stable")[:most]
    counts, total = counts[busiest], counts[busiest].sum(axis=2, keepdims=True)
    return busiest, np.where(total > 0, counts / np.maximum(total, 1), np.nan)
