"""What a tagger says of sentences, in any form: CoNLL columns, JSON lines with spans, or a table of spans."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

    from ..io.sentences import SentenceTable

__all__ = ["TagPredictions", "predicted"]


@dataclass(frozen=True)
class TagPredictions:
    """One list of tags a sentence, and the confidence of every span.

    spans: task, start, end (in tokens), type, confidence, text, start_char, end_char; None where tags are no spans.
    """

    model: str
    sentences: SentenceTable
    tags: list[list[Any]]
    spans: pl.DataFrame | None

    def frame(self) -> pl.DataFrame:
        """The spans, a row each; without spans a row a sentence: task, label."""
        import polars as pl

        if self.spans is not None:
            return self.spans
        return pl.DataFrame(
            [self.sentences.ids.to_series("task"), pl.Series("label", self.tags, dtype=pl.List(pl.String))]
        )

    def records(self) -> Iterator[dict[str, Any]]:
        """task, tokens, tags and, where tags are spans, spans: a sentence each."""
        of_task: dict[Any, list[dict[str, Any]]] = {}
        for row in () if self.spans is None else self.spans.iter_rows(named=True):
            of_task.setdefault(row.pop("task"), []).append(row)
        for name, words, tags in zip(self.sentences.ids, self.sentences.words, self.tags, strict=True):
            spans = {} if self.spans is None else {"spans": of_task.get(name, [])}
            yield {"task": name, "tokens": words.tokens, "tags": tags, **spans}

    def write(self, path: Path) -> None:
        """By the suffix: CoNLL columns, a record a sentence (jsonl), or `frame` (csv, tsv, parquet)."""
        from ..io import write_frame
        from ..io.tools.registry import named_for
        from .tag_files import write_columns
        from .targets import in_cells

        if named_for(path) is not None:
            write_columns(path, self.sentences.ids, self.tags, self.model, self.sentences.contents())
        elif _is_lines(path):
            _write_lines(self.records(), path)
        else:
            write_frame(in_cells(self.frame(), "tags", path), path)


def predicted(model: Any, sentences: SentenceTable, scheme: str | None) -> TagPredictions:
    """The tags of each sentence, in another scheme if asked, and its spans."""
    from ..annotations.scheme import convert

    tags = [list(map(str, row)) for row in model.predict(sentences.X)]
    spans = _spans(model, sentences, tags)
    if scheme is not None:
        tags = [convert(row, scheme) for row in tags]
    return TagPredictions(type(model).name, sentences, tags, spans)


def _spans(model: Any, sentences: SentenceTable, tags: list[list[Any]]) -> pl.DataFrame | None:
    import numpy as np

    from ..annotations import starts_of
    from ..annotations.scheme import Scheme
    from ..results.span_tables import span_frame

    names = [str(name) for name in model.classes_]
    scheme, places = Scheme.of(names), {name: code for code, name in enumerate(names)}
    if scheme is None:
        return None
    starts = starts_of(np.array([len(row) for row in tags], dtype=np.int64))
    best = np.array([places[tag] for row in tags for tag in row], dtype=np.int64)
    chances = [np.zeros((0, len(names))), *model.predict_proba(sentences.X)]
    sure = np.concatenate(chances)[np.arange(len(best)), best]
    return _with_text(span_frame(scheme, sentences.ids.to_series("task"), best, sure, starts), sentences)


def _with_text(frame: pl.DataFrame, sentences: SentenceTable) -> pl.DataFrame:
    """What each span says, and where it lies in the text (of tokens that came without one, in them with spaces between)."""
    import polars as pl

    words = [sentences.words[code] for code in sentences.ids.codes(frame["task"]).tolist()]
    begun = [one.places[start][0] for one, start in zip(words, frame["start"].to_list(), strict=True)]
    ended = [one.places[end - 1][1] for one, end in zip(words, frame["end"].to_list(), strict=True)]
    text = [one.text[a:b] for one, a, b in zip(words, begun, ended, strict=True)]
    more = (("text", text, pl.String), ("start_char", begun, pl.Int64), ("end_char", ended, pl.Int64))
    return frame.with_columns(pl.Series(name, values, dtype=dtype) for name, values, dtype in more)


def _is_lines(path: Path) -> bool:
    from ..io.formats import known_suffix

    return known_suffix(path) == "jsonl"


def _write_lines(records: Iterator[dict[str, Any]], path: Path) -> None:
    import io

    from ..io import atomic_write
    from ..io.frames import opened
    from ..io.tools.write_records import as_lines

    with atomic_write(path) as temporary, opened(temporary, path.suffix.lower() == ".gz") as handle:
        text = io.TextIOWrapper(handle, encoding="utf-8", newline="\n")
        as_lines(records, text)
        text.flush()
        text.detach()
