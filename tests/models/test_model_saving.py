"""A saved classifier predicts as the one that was saved, bit for bit; its folder runs no code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import manyhands as mh
from manyhands.catalog import CLASSIFIERS
from manyhands.channels import Confusion
from manyhands.channels import CrowdLayer as CrowdLayerChannel
from manyhands.errors import FormatError, ParameterError, UnsupportedError
from manyhands.io import read_folder, write_folder
from manyhands.models import CrowdClassifier, DawidSkene, DeepEM, TwoStage
from manyhands.models.model_saving import load
from manyhands.networks import CNN, MLP, Linear
from manyhands.training.callbacks import OnEpoch

CROWD = mh.simulate("confusion", n_tasks=60, n_annotators=5, n_features=3, seed=0)
X, LABELS = CROWD.features, CROWD.labels
PICTURES = np.random.default_rng(0).normal(size=(60, 2, 8, 8)).astype(np.float32)


class Doubled(nn.Module):
    """A network of a user's own."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return 2 * self.layer(x)


MODELS: dict[str, tuple[Any, Any]] = {
    "by name": (CrowdClassifier(epochs=2), X),
    "specification": (CrowdClassifier(MLP((8, 4), batch_norm=True), Confusion(shared=2.0, right=1.0), "em", epochs=3), X),
    "direct channel": (CrowdClassifier(Linear(False), CrowdLayerChannel("VW"), "marginal", epochs=2), X),
    "pictures": (CrowdClassifier(CNN((4, 4), 8), epochs=2), PICTURES),
    "deep-em": (DeepEM("linear", right=2.0, epochs=2), X),
    "two stages": (TwoStage("linear", DawidSkene(shared=3.0), epochs=2), X),
    "abstentions, seed": (CrowdClassifier("mlp", abstention="inform", random_state=None, epochs=2), X),
}  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
def test_everything_comes_back(name: str, tmp_path: Path) -> None:
    model, x = MODELS[name]
    model.fit(x, LABELS)
    twin = load(model.save(tmp_path / "model"))
    assert type(twin) is type(model)
    np.testing.assert_array_equal(twin.predict_proba(x), model.predict_proba(x))
    np.testing.assert_array_equal(twin.result_.chances, model.result_.chances)
    assert twin.result_.annotators().equals(model.result_.annotators())
    assert twin.result_.tasks().equals(model.result_.tasks())
    assert twin.result_.explain(LABELS.tasks[7]) == model.result_.explain(LABELS.tasks[7])
    assert torch.equal(twin.channel_.confusions(), model.channel_.confusions())
    assert twin.score(x, LABELS) == model.score(x, LABELS)
    assert twin.history_ == model.history_
    assert twin.classes_.tolist() == model.classes_.tolist()
    given, ours = twin.get_params(deep=False), model.get_params(deep=False)
    assert repr(given) == repr(ours)
    for kept in ("seed_", "n_features_in_"):
        assert getattr(twin, kept, None) == getattr(model, kept, None)


def test_a_loaded_model_goes_on(tmp_path: Path) -> None:
    """Only the optimiser's moments begin anew."""
    model = CrowdClassifier("linear", objective="em", optimizer="sgd", epochs=2, weight_decay=0.0)
    twin = load(model.fit(X, LABELS).save(tmp_path))
    for optimiser in model.learner_.optimisers:
        optimiser.state.clear()
    for each in (model, twin):
        each.partial_fit(X[:20], LABELS[:20])
    np.testing.assert_array_equal(twin.predict_proba(X), model.predict_proba(X))
    assert len(twin.history_) == 3


def test_names_of_features_and_classes_come_back(tmp_path: Path) -> None:
    import pandas as pd

    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    named = mh.Annotations.from_arrays(
        LABELS.task, LABELS.annotator, np.array(["x", "y", "z"])[LABELS.answers.values]
    )
    model = CrowdClassifier("linear", epochs=1).fit(frame, named)
    twin = load(model.save(tmp_path))
    assert twin.predict(frame).tolist() == model.predict(frame).tolist()
    assert twin.feature_names_in_.tolist() == ["a", "b", "c"]


def test_a_network_of_the_users_own(tmp_path: Path) -> None:
    model = CrowdClassifier(Doubled(), epochs=2).fit(X, LABELS)
    model.save(tmp_path)
    with pytest.raises(ParameterError, match=r"your own \(Doubled\).*network="):
        load(tmp_path)
    twin = load(tmp_path, network=Doubled())
    np.testing.assert_array_equal(twin.predict_proba(X), model.predict_proba(X))
    with pytest.raises(ParameterError, match="does not fit the weights"):
        load(tmp_path, network=nn.Linear(3, 3))
    by_factory = CrowdClassifier(lambda d, k: nn.Linear(d, k), epochs=1).fit(X, LABELS)
    twin = load(by_factory.save(tmp_path), network=lambda d, k: nn.Linear(d, k))
    np.testing.assert_array_equal(twin.predict_proba(X), by_factory.predict_proba(X))


def test_what_is_ours_needs_no_network(tmp_path: Path) -> None:
    CrowdClassifier("linear", epochs=1).fit(X, LABELS).save(tmp_path / "model")
    with pytest.raises(ParameterError, match="leave it out"):
        load(tmp_path / "model", network=Doubled())
    mh.MajorityVote().fit(LABELS).result_.save(tmp_path / "result")
    assert load(tmp_path / "result").method == "majority"
    with pytest.raises(ParameterError, match="no network"):
        load(tmp_path / "result", network=Doubled())


class Own(CrowdClassifier):
    """A class of a user's own."""


def test_what_cannot_be_saved_is_said(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match="Own is a class of your own"):
        Own("linear", epochs=1).fit(X, LABELS).save(tmp_path)


def test_saving_again_replaces_the_whole(tmp_path: Path) -> None:
    CrowdClassifier("linear", epochs=1).fit(X, LABELS).save(tmp_path)
    (tmp_path / "notes.txt").write_text("mine")
    second = CrowdClassifier("mlp", epochs=2).fit(X, LABELS)
    second.save(tmp_path)
    assert load(tmp_path).network == "mlp"
    names = sorted(p.name.split("-")[0] for p in tmp_path.iterdir())
    assert names == ["arrays", "manifest.json", "meta", "notes.txt", "result", "texts"]


def test_a_strangers_folder_runs_nothing(tmp_path: Path) -> None:
    CrowdClassifier("linear", epochs=1).fit(X, LABELS).save(tmp_path)
    arrays, texts, meta = read_folder(tmp_path)
    kinds = {file.suffix for file in tmp_path.rglob("*") if file.is_file()}
    assert kinds == {".json", ".safetensors"}
    for change in (
        {"class": "os.system"},
        {"class": "models.DawidSkene"},
        {"result": "../elsewhere"},
        {"shape": ["x"]},
        {"state": {"dict": []}},
        {"parameters": meta["parameters"] | {"network": {"spec": "builtins.eval", "fields": {}}}},
        {"parameters": meta["parameters"] | {"wings": 2}},
    ):
        write_folder(tmp_path, arrays, texts, json.loads(json.dumps(meta | change)))
        with pytest.raises((FormatError, ParameterError)):
            load(tmp_path)


def test_saving_needs_a_fit(tmp_path: Path) -> None:
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        CrowdClassifier().save(tmp_path)


BRIEF = {"epochs": 3, "rounds": 2, "steps": 10, "fine_tuning": 5, "learning_rate": 0.01}


def brief(name: str, **options: Any) -> Any:
    made = CLASSIFIERS[name].make()
    wanted = {k: v for k, v in BRIEF.items() if k in made.get_params()}
    return made.set_params(**wanted, **options)


def labels_for(name: str) -> mh.Annotations:
    """Of a kind that the system takes: answers of one class, or sets of one label each."""
    if "class" in CLASSIFIERS[name].kinds:
        return LABELS
    sets = [[k] for k in LABELS.answers.values.tolist()]
    return mh.Annotations.from_arrays(
        LABELS.task, LABELS.annotator, sets, kind="set", tasks=range(len(LABELS))
    )


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.slow
def test_every_system_comes_back(name: str, tmp_path: Path) -> None:
    labels = labels_for(name)
    model = brief(name).fit(X, labels)
    twin = mh.load(model.save(tmp_path))
    assert type(twin) is type(model)
    np.testing.assert_array_equal(twin.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(twin.result_.chances, model.result_.chances)
    assert torch.equal(twin.channel_.confusions(), model.channel_.confusions())
    assert twin.result_.annotators().equals(model.result_.annotators())
    assert twin.score(X, labels) == model.score(X, labels)
    assert repr(twin.get_params(deep=False)) == repr(model.get_params(deep=False))


class Killed(Exception):
    """In place of a signal."""


def kill(entry: dict[str, Any]) -> None:
    if entry["epoch"] == 1:
        raise Killed


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.slow
def test_every_system_goes_on_after_a_kill(name: str, tmp_path: Path) -> None:
    labels = labels_for(name)
    whole = brief(name).fit(X, labels)
    with pytest.raises(Killed):
        brief(name, callbacks=[OnEpoch(kill), mh.Checkpoint(tmp_path)]).fit(X, labels)
    resumed = brief(name, callbacks=[mh.Checkpoint(tmp_path, resume=True)]).fit(X, labels)
    assert resumed.history_[1]["resumed_from"] == 1
    np.testing.assert_array_equal(resumed.predict_proba(X), whole.predict_proba(X))
    assert torch.equal(resumed.channel_.confusions(), whole.channel_.confusions())
