"""Crowd Layer, Table 3: named entities (CoNLL-2003, 47 annotators), tested on testa as there, and on testb."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial
from typing import Any

from manyhands import channels
from manyhands.catalog import method
from manyhands.metrics import span_scores

from ..sequences import crowd, word_vectors
from .table import Cell, Share, Table

__all__ = ["TABLE"]

AFTER = 5  # epochs on the majority before the layer's, as the published code has
EPOCHS = 30
WARM: dict[str, Any] = {"epochs": EPOCHS - AFTER, "majority_epochs": AFTER}
QUICK = 300  # sentences, and two epochs


@cache
def _split(part: str) -> tuple[list[list[str]], list[list[str]]]:
    rows = [row for row in crowd()[1].values() if row["split"] == part]
    return [row["tokens"] for row in rows], [row["truth"] for row in rows]


def _tagger(
    seed: int, quick: bool, *, name: str = "crowd-tagger", truth: bool = False, **options: Any
) -> Mapping[str, float]:
    labels, sentences = crowd()
    rows = list(range(QUICK if quick else labels.n_tasks))
    words = [sentences[str(labels.tasks[row])]["tokens"] for row in rows]
    told = [sentences[str(labels.tasks[row])]["truth"] for row in rows] if truth else labels[rows]
    if quick:
        options |= {name: 1 for name in ("epochs", "majority_epochs") if options.get(name)}
    model = method(name).make(vectors=word_vectors(), random_state=seed, **options).fit(words, told)
    return _scores(model, "valid", "testa") | _scores(model, "test", "testb")


def _scores(model: Any, split: str, name: str) -> dict[str, float]:
    asked, truth = _split(split)
    found = span_scores(model.predict(asked), truth)
    return {
        f"{name} P": found.precision, f"{name} R": found.recall, f"{name} F1": found.f1,
        f"{name} tokens": found.accuracy,
    }  # fmt: skip


def _layer(variant: str) -> dict[str, Any]:
    return {
        "channel": channels.CrowdLayer(variant), "objective": "marginal", "channel_learning_rate": None,
        "average": 0,
    } | WARM  # fmt: skip


SYSTEMS: dict[str, tuple[dict[str, Any], tuple[float, float, float] | None]] = {
    "truth": ({"truth": True, "epochs": 0, "majority_epochs": EPOCHS, "average": 0}, (0.711, 0.740, 0.725)),
    "majority": ({"epochs": 0, "majority_epochs": EPOCHS, "average": 0}, (0.664, 0.464, 0.546)),
    "doctor net": ({"name": "doctor-net-tagger", "epochs": EPOCHS}, (0.723, 0.459, 0.562)),
    "weighted doctor net": ({"name": "weighted-doctor-net-tagger", "epochs": EPOCHS}, (0.611, 0.480, 0.534)),
    "CRF-MA": ({"name": "crf-ma", "epochs": EPOCHS}, (0.494, 0.856, 0.626)),
    "crowd layer MW": (_layer("MW"), (0.660, 0.593, 0.624)),
    "crowd layer VW": (_layer("VW"), (0.709, 0.472, 0.566)),
    "crowd layer VW+B": (_layer("VW+B"), (0.603, 0.609, 0.606)),
    "EM": ({"objective": "em", "epochs": EPOCHS}, (0.679, 0.499, 0.575)),
    "SpeeLFC": ({"objective": "marginal", "epochs": EPOCHS}, None),
    "SpeeLFC after the majority": ({"objective": "marginal"} | WARM, None),
    "SpeeLFC + previous tag": ({"objective": "marginal", "channel": channels.Previous()} | WARM, None),
    "crowd layer MW with averaged weights": (_layer("MW") | {"average": 5}, None),
    "joint": ({"objective": "joint", "epochs": EPOCHS}, None),
    "chained joint": ({"chain": True, "objective": "joint", "epochs": EPOCHS}, None),
    "chained EM": ({"chain": True, "objective": "em", "epochs": EPOCHS}, None),
    "joint + previous tag": ({"objective": "joint", "channel": channels.Previous(), "epochs": EPOCHS}, None),
    "chained joint + previous tag": (
        {"chain": True, "objective": "joint", "channel": channels.Previous(), "epochs": EPOCHS},
        None,
    ),
}


def _paper(figures: tuple[float, float, float] | None) -> dict[str, float]:
    return {} if figures is None else dict(zip(("testa P", "testa R", "testa F1"), figures, strict=True))


TABLE = Table(
    "crowd-layer-3",
    "Crowd Layer, Table 3: taggers from 47 annotators, strict spans",
    tuple(
        Cell("conll-ner", name, partial(_tagger, **options), _paper(figures), seeds=3)
        for name, (options, figures) in SYSTEMS.items()
    ),
    ("testa P", "testa R", "testa F1", "testb F1"),
    "word vectors of 100 numbers (`data/word-vectors`; 300 in the paper), no padding, the crowd layer's loss averaged over "
    f"observed labels, predictions decoded to legal tags, {EPOCHS} epochs for all (the published code: crowd 30, majority 10, "
    "truth 20). EM, SpeeLFC and joint take the mean of the weights of the last five epochs.",
    share=Share("testa F1"),
)
