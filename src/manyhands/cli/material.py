"""What a network learns from beside the labels: numbers of tasks, or the words of sentences."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from .feature_reading import FeatureReading

if TYPE_CHECKING:
    from ..annotations import Annotations
    from ..io.features import FeatureTable
    from ..io.sentences import SentenceTable
    from .matching import Matched
    from .options import Reading

__all__ = ["Material", "NumberMaterial", "SentenceMaterial", "read_material"]

Scores = dict[str, dict[str, float]]


class Material(ABC):
    """The rows of all tasks. table: whose they are."""

    table: FeatureTable | SentenceTable

    @abstractmethod
    def rows(self, model: Any, matched: Matched) -> Any:
        """The rows as the model takes them; what does not go with it is refused."""

    @abstractmethod
    def kept(self) -> str:
        """How they are read, as JSON for the model."""

    @abstractmethod
    def truths(self, path: Path, matched: Matched, separator: str | None) -> Any:
        """The known truths of the rows."""

    @abstractmethod
    def scores(self, model: Any, X: Any, truth: Any, matched: Matched) -> Scores:
        """How right the model is, split by split."""

    @abstractmethod
    def size(self, model: Any, matched: Matched) -> dict[str, Any]:
        """How much there is to learn from, for the summary."""


class NumberMaterial(Material):
    """Features of tasks, or texts as numbers."""

    table: FeatureTable

    def __init__(self, table: FeatureTable, how: FeatureReading):
        self.table, self.how, self._kept = table, how, ""

    def rows(self, model: Any, matched: Matched) -> Any:
        """All rows; texts by the words of those that are trained on."""
        from .training import suit

        X, self._kept = self.how.numbers(self.table, matched.rows)
        suit(model, X, is_text=self.how.text is not None and self.how.encoder is None)
        return X

    def kept(self) -> str:
        """The columns, or the words and what each weighs."""
        return self._kept

    def truths(self, path: Path, matched: Matched, separator: str | None) -> Any:
        """Codes or numbers; of sets 0 and 1."""
        from .set_scores import known_truths

        return known_truths(path, matched, separator)

    def scores(self, model: Any, X: Any, truth: Any, matched: Matched) -> Scores:
        """In the figures of the kind of label."""
        from .set_scores import scores_of

        return scores_of(model, X, truth, matched)

    def size(self, model: Any, matched: Matched) -> dict[str, Any]:
        """The shape of a task's features."""
        return {"features": list(model.learner_.features.of_task)}


class SentenceMaterial(Material):
    """The words of every task."""

    table: SentenceTable

    def __init__(self, table: SentenceTable):
        self.table = table

    def rows(self, model: Any, matched: Matched) -> Any:
        """Lists of words."""
        return self.table.X

    def kept(self) -> str:
        """The column."""
        return json.dumps({"sentences": self.table.column})

    def truths(self, path: Path, matched: Matched, separator: str | None) -> Any:
        """The list of tags of each row, None where it is not known."""
        from .tag_scores import read_tag_truths

        return read_tag_truths(path, matched.ids, self.table.X.tolist(), separator)

    def scores(self, model: Any, X: Any, truth: Any, matched: Matched) -> Scores:
        """Of tokens, and of whole spans."""
        from .tag_scores import tagger_scores

        return tagger_scores(model, X, truth, matched)

    def size(self, model: Any, matched: Matched) -> dict[str, Any]:
        """How many tokens, and how many words there are of them."""
        trained = self.table.X[matched.rows]
        words = {word for sentence in trained for word in sentence}
        return {"tokens": sum(map(len, trained)), "words": len(words)}


def read_material(
    labels: Annotations, source: Path, features: Path | None, reading: Reading, how: FeatureReading
) -> Material:
    """What goes with these labels: of tags the words, from the same file where no other is given."""
    if labels.kind == "tags":
        return SentenceMaterial(_sentences(source, features, reading, how))
    if features is None:
        raise typer.BadParameter(
            f"labels of kind {labels.kind!r} need the features of their tasks; only of tags may the words be in the same "
            f"file",
            param_hint="'--features'",
        )
    return NumberMaterial(how.read(features), how)


def _sentences(source: Path, features: Path | None, reading: Reading, how: FeatureReading) -> SentenceTable:
    from ..io.sentences import read_sentences

    for name, given in (("--feature-columns", how.feature_columns), ("--encoder", how.encoder)):
        if given is not None:
            raise typer.BadParameter(
                "a tagger learns from words: --text names their column", param_hint=f"'{name}'"
            )
    if features is not None:
        return read_sentences(features, how.text)
    return reading.sentences(source, how.text)
