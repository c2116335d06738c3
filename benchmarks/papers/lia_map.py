"""LIA, Figure 2: the annotators' learnt embeddings on a plane, by the mistakes they share, false alarms and misses."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
from sklearn.cluster import AgglomerativeClustering
from sklearn.linear_model import LinearRegression
from sklearn.metrics import silhouette_score

from manyhands import LIA
from manyhands.channels import votes_of

from .lia import PAPERS, QUICK, Tasks, crowd
from .summary import FOLDER
from .table import Cell, Table

__all__ = ["TABLE"]

CLUSTERS = 4  # as many as the paper shows


def _map(name: str, features: bool, seed: int, quick: bool) -> Mapping[str, float]:
    """Draws the picture, and says what the plane and the embedding tell of the real rates."""
    given = crowd(name)
    x = given.x if features else None
    model = LIA(random_state=seed, **(QUICK if quick else PAPERS)).fit(x, given.labels)
    learnt = model.channel_.competence.linear(model.channel_.competence.table.weight).detach().numpy()
    centred = learnt - learnt.mean(axis=0)
    plane = centred @ np.linalg.svd(centred, full_matrices=False)[2][:2].T
    mistakes, rates = _mistakes(given)
    cluster = AgglomerativeClustering(CLUSTERS, metric="l1", linkage="average").fit_predict(mistakes)
    if not quick and seed == 0:
        _draw(name, plane, cluster, rates)
    said = {f"{rate}: R² of the plane": _told(plane, rates[rate]) for rate in rates}
    apart = silhouette_score(plane, cluster) if 1 < len(set(cluster)) < len(cluster) else float("nan")
    return said | {"silhouette of the clusters": float(apart)}


def _mistakes(given: Tasks) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """0 and 1 by annotator and task of a complete crowd; rates of false positives and negatives."""
    labels = given.labels
    wrong = np.zeros((labels.n_annotators, labels.n_tasks))
    wrong[labels.annotator, labels.task] = votes_of(labels).label != given.truth[labels.task]
    no, yes = given.truth == 0, given.truth == 1
    return wrong, {
        "false positives": wrong[:, no].mean(axis=1),
        "false negatives": wrong[:, yes].mean(axis=1),
    }


def _told(plane: np.ndarray, rate: np.ndarray) -> float:
    return float(LinearRegression().fit(plane, rate).score(plane, rate))


def _draw(name: str, plane: np.ndarray, cluster: np.ndarray, rates: Mapping[str, np.ndarray]) -> None:
    import altair as alt
    import polars as pl

    rows = pl.DataFrame({"first": plane[:, 0], "second": plane[:, 1], "cluster": cluster + 1, **rates})
    point = alt.Chart(rows, width=180, height=180).mark_point(filled=True, size=60, opacity=1)
    at = point.encode(alt.X("first:Q", title=None), alt.Y("second:Q", title=None))
    parts = [at.encode(color="cluster:N", shape="cluster:N").properties(title="clusters of mistakes")]
    parts += [
        at.encode(color=alt.Color(f"{rate}:Q", scale=alt.Scale(scheme="viridis"))).properties(title=rate)
        for rate in rates
    ]
    FOLDER.mkdir(parents=True, exist_ok=True)
    alt.hconcat(*parts).resolve_scale(color="independent", shape="independent").save(
        FOLDER / f"lia-f2-{name}.svg"
    )


TABLE = Table(
    "lia-f2",
    "LIA, Figure 2: what the map of annotators tells of their mistakes",
    (
        Cell("bluebirds", "LIA-E", partial(_map, "bluebirds", False), {}, 2),
        Cell("wordsim", "LIA", partial(_map, "wordsim", True), {}, 2),
    ),
    ("false positives: R² of the plane", "false negatives: R² of the plane", "silhouette of the clusters"),
    "two principal directions of the competences C, in place of UMAP; four agglomerative clusters by L1, average linkage; the paper's "
    "steps. R²: of a linear map from the two coordinates to the annotator's real rate. The paper prints pictures alone. Pictures of seed 0: "
    "`lia-f2-bluebirds.svg`, `lia-f2-wordsim.svg`.",
)
