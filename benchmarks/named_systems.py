"""Every named system by one command on the crowds that have features: test accuracy of one seed.

    python -m benchmarks.named_systems [--crowds labelme,...] [--methods conal,...] [--seed 0]

Each system has its own defaults, those of its paper where it states them; nothing was tuned. The
papers' own settings, many seeds and their figures belong to the papers' tables.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from typing import Any

from manyhands.catalog import CLASSIFIERS

from .real_crowds import NEEDED, data_folder, table_of
from .tables import publish

__all__ = ["main"]

FEATURES = {
    "labelme": "features.npz",
    "music-genre": "features.npz",
    "sentiment-polarity": "features-minilm.npz",
}


def main() -> None:
    """Run the command once a system and crowd; print and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--crowds", default=",".join(FEATURES))
    parser.add_argument("--methods", default=",".join(CLASSIFIERS))
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if data_folder() is None:
        raise SystemExit(NEEDED)
    crowds = options.crowds.split(",")
    rows = [_truth(crowds)]
    rows += [_row(method, crowds, options.seed) for method in options.methods.split(",")]
    publish(
        "named_systems",
        f"Test accuracy of every named system, one seed ({options.seed})",
        rows,
        notes="Tasks outside the training split (LabelMe: valid and test). `two-stage` is the soft majority "
        "and the same network as the others' default. One seed: gaps of a point or two are noise.",
    )


def _row(method: str, crowds: list[str], seed: int) -> dict[str, Any]:
    row: dict[str, Any] = {"system": method}
    for crowd in crowds:
        answer = _train(method, crowd, seed)
        row[crowd] = _accuracy(answer)
        row[f"{crowd} s"] = round(answer["seconds"], 1)
        print(method, crowd, row[crowd], row[f"{crowd} s"], file=sys.stderr, flush=True)
    return row


def _train(method: str, crowd: str, seed: int) -> dict[str, Any]:
    folder = table_of(crowd).parent
    with tempfile.TemporaryDirectory() as out:
        command = [
            sys.executable, "-m", "manyhands", "train", str(folder), "--features", str(folder / FEATURES[crowd]),
            "--method", method, "--out", f"{out}/model", "--train-split", "train", "--truth",
            str(folder / "truth.csv"), "--seed", str(seed), "--json", "--quiet",
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{method} on {crowd}: {done.stderr}")
    return json.loads(done.stdout)


def _accuracy(answer: dict[str, Any]) -> float:
    """Over all tasks outside the training split together."""
    parts = [s for name, s in answer["scores"].items() if name in ("valid", "test")]
    total = sum(part["tasks"] for part in parts)
    return round(sum(part["tasks"] * part["accuracy"] for part in parts) / total, 4)


def _truth(crowds: list[str]) -> dict[str, Any]:
    """The two-stage network trained on the truth itself: what there is to win."""
    import numpy as np

    from manyhands import TwoStage
    from manyhands.io import read_features, read_truth

    row: dict[str, Any] = {"system": "(truth)"}
    for crowd in crowds:
        folder = table_of(crowd).parent
        table, truth = read_features(folder / FEATURES[crowd]), read_truth(folder / "truth.csv")
        labels = np.array([str(truth.get(str(i), "")) for i in table.ids])
        known = labels != ""
        train = np.array([split == "train" for split in table.splits]) & known
        model = TwoStage().fit(np.asarray(table.X)[train], labels[train])
        rest = ~train & known
        row[crowd] = round(float((model.predict(np.asarray(table.X)[rest]) == labels[rest]).mean()), 4)
    return row


if __name__ == "__main__":
    main()
