"""Ours in a fresh process: a classifier fitted as a user would, its epochs timed; JSON in, JSON out."""

from __future__ import annotations

import json
import sys
from typing import Any

from benchmarks.measure import Laps, peak_mb

__all__ = ["train"]


def train(crowd: str, system: str, batch: int, epochs: int, rate: float) -> dict[str, Any]:
    """Epochs of one system, from the end of one to the end of the next; "soft" is the network on soft labels."""
    import numpy as np
    import torch

    from manyhands import Annotations
    from manyhands.networks import MLP
    from manyhands.training.callbacks import Callback

    torch.set_num_threads(1)

    class Watch(Callback):
        """A lap an epoch."""

        def on_epoch_end(self, learner: Any) -> None:
            laps.take()
            most.append(peak_mb())

    laps, most = Laps(), []  # type: tuple[Laps, list[float]]
    with np.load(crowd) as file:
        held = dict(file)
    labels = _labels(Annotations, held)
    network = MLP(hidden=(128,), dropout=0.0, standardize=False)
    model = _model(system, epochs, network=network, batch_size=batch, learning_rate=rate, callbacks=[Watch()])
    loaded = peak_mb()
    model.fit(held["features"], labels)
    right = (model.predict(held["features"]).astype(np.int64) == held["truth"]).mean()
    table = sum(p.numel() * 4 for p in model.channel_.parameters()) / 1e6
    cpu = laps.cpu[: epochs - 1]
    return {
        "epoch_cpu": min(cpu), "epochs": epochs, "loaded_mb": loaded, "peak_mb": max(most[:epochs]), "fit_mb": peak_mb(),
        "table_mb": table, "accuracy": float(right),
    }  # fmt: skip


def _labels(kind: Any, held: dict[str, Any]) -> Any:
    """The crowd as a table; annotators who said nothing are declared."""
    import numpy as np

    task = np.repeat(np.arange(len(held["annotator"])), held["annotator"].shape[1])
    return kind.from_arrays(
        task, held["annotator"].ravel(), held["label"].ravel(),
        classes=list(range(int(held["classes"]))), annotators=list(range(int(held["annotators"]))),
    )  # fmt: skip


def _model(system: str, epochs: int, **settings: Any) -> Any:
    from manyhands import CoNAL, CrowdLayer, SpeeLFC

    if system == "soft":  # the last epoch, by votes, is not looked at
        return SpeeLFC(majority_epochs=epochs, epochs=1, **settings)
    return {"crowd-layer": CrowdLayer, "speelfc": SpeeLFC, "conal": CoNAL}[system](epochs=epochs, **settings)


def main() -> None:
    print(json.dumps(train(**json.loads(sys.argv[1]))))


if __name__ == "__main__":
    main()
