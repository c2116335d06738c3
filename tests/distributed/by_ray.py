"""Run in a process of its own by `test_ray`: a local Ray cluster, and what came of it as JSON on the last line."""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import manyhands as mh
from manyhands import distributed
from manyhands.errors import ManyhandsError
from manyhands.networks import MLP

CROWD = {"n_tasks": 120, "n_annotators": 9, "n_features": 4, "redundancy": (1, 5), "seed": 3}


def tables() -> tuple[pl.DataFrame, pl.DataFrame]:
    """Labels, and features with the place of each task."""
    made = mh.simulate("confusion", **CROWD)
    t = made.labels
    labels = {"task": [t.tasks[i] for i in t.task], "annotator": [t.annotators[i] for i in t.annotator]}
    columns = {f"x{i}": made.features[:, i] for i in range(4)}
    said = [f"c{code}" for code in t.answers.values]
    return pl.DataFrame({**labels, "label": said}), pl.DataFrame(
        {"task": t.tasks.to_list(), "place": np.arange(t.n_tasks), **columns}
    )


def learn(labels: pl.DataFrame, features: pl.DataFrame, k: np.ndarray) -> dict[str, Any]:
    """The same function alone and in a worker: it trains on the tasks that it is given."""
    table = mh.Annotations.from_frame(labels, tasks=features["task"].to_list(), classes=["c0", "c1", "c2"])
    X = features.select(pl.col("^x.$")).to_numpy().astype(np.float32)
    model = mh.SpeeLFC(MLP((16,), dropout=0.0), epochs=6, batch_size=24, random_state=1)
    model.fit(X, table, places=features["place"].to_numpy())
    aggregated = mh.DawidSkene().fit(table).result_.consensus()
    return {"said": model.predict_proba(k), "processes": distributed.size(), "tasks": table.n_tasks,
            "aggregated": len(aggregated)}  # fmt: skip


def fail(labels: pl.DataFrame) -> None:
    """As one worker may."""
    if distributed.rank() == 1:
        mh.Annotations.from_frame(labels, kind="nonsense")
    distributed.on_ray  # noqa: B018
    from manyhands.processes import gathered

    gathered("here")


def main(folder: Path) -> None:
    labels, features = tables()
    for part in range(3):
        labels[part::3].write_parquet(folder / f"votes-{part}.parquet")
    features.write_csv(folder / "features.csv")
    data = {
        "labels": [folder / f"votes-{part}.parquet" for part in range(3)],
        "features": folder / "features.csv",
    }
    k = features.select(pl.col("^x.$")).to_numpy().astype(np.float32)
    found = distributed.on_ray(partial(learn, k=k), data=data, workers=2)
    alone = learn(labels, features, k)
    try:
        distributed.on_ray(fail, data={"labels": data["labels"]}, workers=2)
        refused = ""
    except ManyhandsError as error:
        refused = f"{type(error).__name__}: {error}"
    far = float(np.abs(found.pop("said") - alone["said"]).max())
    print(json.dumps({"far": far, "refused": refused, **found}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
