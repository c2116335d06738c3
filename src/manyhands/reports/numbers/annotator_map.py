"""A map of the annotators: what a network learnt of them, laid flat (LIA, Figure 2; by principal components)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...results import Result
from .words import name_of

__all__ = ["AnnotatorMap", "Colouring", "annotator_map"]

MOST = 2000  # annotators on a map, the busiest
CLUSTERS = 4
COMPLETE = 0.9  # of the tasks that an annotator must have answered, for mistakes to be compared


@dataclass(frozen=True)
class Colouring:
    """One way to colour the dots: by a share, or by names of clusters."""

    title: str
    values: tuple[float | str, ...]


@dataclass(frozen=True)
class AnnotatorMap:
    """places: [annotators] two coordinates; kept: the share of the variance that two dimensions keep."""

    names: tuple[str, ...]
    labels: tuple[int, ...]
    places: tuple[tuple[float, float], ...]
    kept: float
    colourings: tuple[Colouring, ...]
    left_out: int


def annotator_map(model: Any, result: Result) -> AnnotatorMap | None:
    """Of models that learn an embedding of each annotator (LIA, CoNAL); else None."""
    rows = embeddings(model)
    if rows is None or len(rows) < 3:
        return None
    n = np.bincount(result.votes.annotator, minlength=len(rows))
    busiest = np.argsort(-n, kind="stable")[:MOST]
    chosen = np.sort(busiest[n[busiest] > 0])
    if len(chosen) < 3:
        return None
    places, kept = _flat(rows[chosen])
    return AnnotatorMap(
        tuple(name_of(result.labels.annotators[int(j)]) for j in chosen), tuple(n[chosen].tolist()),
        tuple((round(x, 4), round(y, 4)) for x, y in places.tolist()), kept, _colourings(result, chosen),
        int((n > 0).sum()) - len(chosen),
    )  # fmt: skip


def embeddings(model: Any) -> np.ndarray | None:
    """What the channel knows of each annotator, [annotators, width]: its table, or features through its map."""
    channel = getattr(model, "channel_", None)
    competence, gate = getattr(channel, "competence", None), getattr(channel, "gate", None)
    part = competence if competence is not None else gate
    table = getattr(part, "table", None)
    rows = table.weight if table is not None else getattr(part, "described", None)
    if rows is None:
        return None
    found = np.asarray(rows.detach().cpu().double().numpy())
    if competence is not None:  # only what the linear map sees of an embedding is learnt
        return found @ competence.linear.weight.detach().cpu().double().numpy().T
    return found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-12)


def _flat(rows: np.ndarray) -> tuple[np.ndarray, float]:
    centred = rows - rows.mean(axis=0)
    left, size, _ = np.linalg.svd(centred, full_matrices=False)
    places = np.zeros((len(rows), 2))
    width = min(2, len(size))
    places[:, :width] = left[:, :width] * size[:width]
    # The sign of a component is anybody's; ours has its largest entry positive, on every machine.
    places *= np.where(places[np.abs(places).argmax(axis=0), [0, 1]] < 0, -1.0, 1.0)
    return places, float((size[:width] ** 2).sum() / max((size**2).sum(), 1e-300))


def _colourings(result: Result, chosen: np.ndarray) -> tuple[Colouring, ...]:
    accuracy = result.annotators()["accuracy"].fill_null(0.0).to_numpy()[chosen]
    found = [Colouring("accuracy", tuple(accuracy.round(4).tolist()))]
    if len(result.classes) == 2:
        counts = result.counts[chosen]
        rates = counts / np.maximum(counts.sum(axis=2, keepdims=True), 1e-9)
        first, second = (name_of(name) for name in result.classes)
        found.append(
            Colouring(f"how often {second} is said of {first}", tuple(rates[:, 0, 1].round(4).tolist()))
        )
        found.append(
            Colouring(f"how often {first} is said of {second}", tuple(rates[:, 1, 0].round(4).tolist()))
        )
    clusters = _mistakes_alike(result, chosen)
    return (clusters, *found) if clusters else tuple(found)


def _mistakes_alike(result: Result, chosen: np.ndarray) -> Colouring | None:
    """Clusters by which tasks they get wrong (L1, average linkage), where everybody answered nearly all."""
    votes, labels = result.votes, result.labels
    if labels.n_units * len(chosen) > 4_000_000 or len(chosen) <= CLUSTERS or len(chosen) > 500:
        return None
    place = np.full(labels.n_annotators, -1)
    place[chosen] = np.arange(len(chosen))
    wrong = np.full((len(chosen), labels.n_units), np.nan)
    rows = np.flatnonzero((place[votes.annotator] >= 0) & (votes.label < len(result.classes)))
    chance = result.chances[votes.unit[rows], votes.label[rows]]
    wrong[place[votes.annotator[rows]], votes.unit[rows]] = 1 - chance
    if np.isnan(wrong).mean(axis=1).max() > 1 - COMPLETE:
        return None
    from scipy.cluster.hierarchy import fcluster, linkage

    filled = np.where(np.isnan(wrong), np.nanmean(wrong, axis=1, keepdims=True), wrong)
    code = fcluster(linkage(filled, "average", metric="cityblock"), CLUSTERS, "maxclust")
    return Colouring("mistakes alike", tuple(f"cluster {c}" for c in code))
