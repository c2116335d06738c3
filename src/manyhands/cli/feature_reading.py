"""How a file of features is read: in training by options, in prediction as the model was trained."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import FormatError, LabelError
from .options import listed

if TYPE_CHECKING:
    from ..annotations import Names
    from ..io.features import FeatureTable

__all__ = ["FeatureReading", "Features", "OptionalFeatures", "kept_with", "read_for", "remember"]

KEPT = "feature_reading_"  # an attribute of the model, so that it is saved with it

Features = Annotated[
    Path,
    typer.Option(
        "--features", "-f", metavar="F", show_default=False,
        help="Features by task: .npy or .npz (X) with a tasks.csv beside it; or a csv, tsv, parquet or jsonl "
        "with a column task; for a tagger the sentences: a column tokens or text, or CoNLL columns.",
    ),
]  # fmt: skip


OptionalFeatures = Annotated[
    Path | None,
    typer.Option(
        "--features", "-f", metavar="F", show_default=False,
        help="Features by task: .npy or .npz (X) with a tasks.csv beside it; or a csv, tsv, parquet or jsonl "
        "with a column task. Of tags the words: a column tokens or text, or CoNLL columns; default: those in LABELS.",
    ),
]  # fmt: skip


def _reading(name: str, metavar: str, text: str) -> Any:
    return typer.Option(name, metavar=metavar, help=text, show_default=False)


@dataclass(frozen=True)
class FeatureReading:
    """What of the file is used."""

    text: Annotated[
        str | None,
        _reading(
            "--text",
            "COLUMN,...",
            "Columns of text, as TF-IDF, in place of numbers; of tags the column of words.",
        ),
    ] = None
    feature_columns: Annotated[
        str | None, _reading("--feature-columns", "A,B,...", "Columns of numbers. Default: all of them.")
    ] = None
    encoder: Annotated[
        str | None,
        _reading("--encoder", "NAME", "With --text: a model of sentence-transformers in place of TF-IDF."),
    ] = None

    def read(self, path: Path) -> FeatureTable:
        """The file, as the options say."""
        from ..io.features import read_features

        if self.encoder is not None and self.text is None:
            raise typer.BadParameter("needs --text COLUMN to read", param_hint="'--encoder'")
        if self.encoder is not None:
            self._words()  # is it there? Told before a long read.
        return read_features(path, listed(self.text), listed(self.feature_columns))

    def numbers(self, table: FeatureTable, rows: Any) -> tuple[Any, str]:
        """The features as numbers, of all rows; and how they came about, as JSON for the model."""
        if self.text is None:
            return table.X, json.dumps({"columns": table.columns})
        words = self._words().fit([table.X[row] for row in rows])
        return words.transform(table.X), json.dumps({"text": table.columns, "words": words.to_dict()})

    def _words(self) -> Any:
        from ..models.text_features import SentenceEncoder, TextFeatures

        return TextFeatures() if self.encoder is None else SentenceEncoder(self.encoder)


def remember(model: Any, how: str) -> None:
    """Keep with the model how its features are read."""
    setattr(model, KEPT, how)


def kept_with(model: Any, folder: Path) -> dict[str, Any]:
    """How the features of a saved model are read."""
    try:
        return dict(json.loads(getattr(model, KEPT, "{}")))
    except (ValueError, TypeError) as error:
        raise FormatError(f"says in no known way how its features are read ({error})", folder) from None


def read_for(model: Any, path: Path, folder: Path) -> tuple[Names, Any]:
    """The ids, and features as the model was trained on."""
    from ..io.features import ARRAYS, read_features
    from ..models.text_features import text_features_from

    how = kept_with(model, folder)
    try:
        text, columns = how.get("text"), how.get("columns")
        words = text_features_from(how["words"]) if text else None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise FormatError(f"says in no known way how its features are read ({error})", folder) from None
    names = text or columns or []
    if path.suffix.lower() in ARRAYS and names:
        raise LabelError(
            f"{path} holds arrays, whose columns have no names; the model was trained on {', '.join(map(repr, names[:5]))}"
            f"{' ...' if len(names) > 5 else ''}: give a table that has them"
        )
    table = read_features(path, text, columns)
    X = table.X if words is None else words.transform(table.X)
    _refuse_other_width(model, X, path)
    return table.ids, X


def _refuse_other_width(model: Any, X: Any, path: Path) -> None:
    wanted, got = tuple(model.learner_.features.of_task), tuple(X.shape[1:])
    if wanted != got:
        raise LabelError(
            f"{path} has {_size(got)}, where the model was trained on {_size(wanted)}: give the same ones"
        )


def _size(shape: tuple[int, ...]) -> str:
    return f"{shape[0]} features a task" if len(shape) == 1 else f"pictures of shape {shape}"
