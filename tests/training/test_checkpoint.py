"""A run that was killed and resumed ends with the parameters of the run that was not, bit for bit."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import manyhands as mh
from manyhands.channels import Confusion, CrowdLayer, Difficulty, LowRank, OneCoin, Sizes
from manyhands.errors import FileError, FormatError, ParameterError
from manyhands.io import read_folder, write_folder
from manyhands.models import CrowdClassifier
from manyhands.networks import MLP
from manyhands.training.callbacks import Callback
from manyhands.training.latent import latent_state, restore_latent
from manyhands.training.state_tree import pack_state, unpack_state

CROWD = mh.simulate("confusion", n_tasks=90, n_annotators=5, n_features=3, seed=0)
X, LABELS = CROWD.features, CROWD.labels


class Killed(Exception):
    """In place of a signal."""


class Kill(Callback):
    def __init__(self, epoch: int):
        self.epoch = epoch

    def on_epoch_end(self, learner: Any) -> None:
        if len(learner.history) == self.epoch:
            raise Killed


def model(**options: Any) -> CrowdClassifier:
    given: dict[str, Any] = {
        "input_dropout": "auto",
        "epochs": 6,
        "average": 0,
        "network": MLP((8,)),
        "batch_size": 32,
    } | options
    return CrowdClassifier(**given)


def everything(fitted: CrowdClassifier) -> dict[str, torch.Tensor]:
    kept = {f"network.{k}": v for k, v in fitted.network_.state_dict().items()}
    kept |= {f"channel.{k}": v for k, v in fitted.channel_.state_dict().items()}
    kept["posterior"] = torch.from_numpy(fitted.result_.chances)
    return kept


def assert_equal(one: CrowdClassifier, other: CrowdClassifier) -> None:
    ours, theirs = everything(one), everything(other)
    assert ours.keys() == theirs.keys()
    for name in ours:
        assert torch.equal(ours[name], theirs[name]), name


SETTINGS: dict[str, dict[str, Any]] = {
    "joint": {},
    "marginal": {"objective": "marginal"},
    "em": {"objective": "em", "channel": Confusion(shared=2.0)},
    "em, rounds": {
        "objective": "em",
        "epochs_a_round": 2,
        "marginal_epochs": 2,
        "channel": Confusion(right=2.0),
    },
    "em by gradient": {"objective": "em", "closed_form": False},
    "em-marginal": {"objective": "em-marginal"},
    "majority first": {"majority_epochs": 3},
    "average": {"average": 4},
    "patience": {"validation_fraction": 0.2, "patience": 2, "epochs": 9},
    "cosine": {"schedule": "cosine", "average": 3},
    "sgd": {"optimizer": "sgd", "weight_decay": 0.0},
    "low rank": {"channel": LowRank(), "objective": "em"},
    "difficulty": {"channel": Difficulty()},
    "one coin": {"channel": OneCoin(), "objective": "em"},
    "crowd layer": {"channel": CrowdLayer("MW"), "objective": "marginal"},
    "amsgrad, dropped inputs": {"optimizer": "amsgrad", "input_dropout": 0.3},
}


@pytest.mark.parametrize("options", SETTINGS.values(), ids=SETTINGS)
@pytest.mark.slow
def test_a_resumed_run_ends_where_the_whole_one_does(options: dict[str, Any], tmp_path: Path) -> None:
    whole = model(**options).fit(X, LABELS)
    for epoch in (2, 5):  # killed twice: within epoch 2, and within epoch 5
        with pytest.raises(Killed):
            model(**options, checkpoint=tmp_path, resume=True, callbacks=[Kill(epoch)]).fit(X, LABELS)
    resumed = model(**options, checkpoint=tmp_path, resume=True).fit(X, LABELS)
    assert_equal(resumed, whole)
    assert [e.get("resumed_from") for e in resumed.history_][:5] == [None, 1, None, None, 4]
    plain = [{k: v for k, v in e.items() if k != "resumed_from"} for e in resumed.history_]
    assert plain == whole.history_
    assert resumed.result_.settings == whole.result_.settings


def test_checkpoints_do_not_change_the_run(tmp_path: Path) -> None:
    assert_equal(model(checkpoint=tmp_path).fit(X, LABELS), model().fit(X, LABELS))


def test_a_finished_run_is_taken_as_it_is(tmp_path: Path) -> None:
    whole = model(checkpoint=tmp_path, schedule="cosine", average=3).fit(X, LABELS)
    again = model(checkpoint=tmp_path, schedule="cosine", average=3, resume=True).fit(X, LABELS)
    assert_equal(again, whole)
    assert again.history_ == whole.history_


def test_every_so_many_epochs(tmp_path: Path) -> None:
    with pytest.raises(Killed):
        model(checkpoint=tmp_path, checkpoint_every=3, callbacks=[Kill(6)]).fit(X, LABELS)
    resumed = model(checkpoint=tmp_path, checkpoint_every=3, resume=True).fit(X, LABELS)
    assert [e.get("resumed_from") for e in resumed.history_] == [None] * 3 + [3, None, None]
    assert_equal(resumed, model().fit(X, LABELS))


def test_partial_fit_goes_on_alike_and_is_no_part_of_the_run(tmp_path: Path) -> None:
    whole = model(objective="em", schedule="cosine").fit(X, LABELS)
    with pytest.raises(Killed):
        model(objective="em", schedule="cosine", checkpoint=tmp_path, callbacks=[Kill(3)]).fit(X, LABELS)
    resumed = model(objective="em", schedule="cosine", checkpoint=tmp_path, resume=True).fit(X, LABELS)
    before = read_folder(tmp_path)[2]
    for each in (whole, resumed):
        each.partial_fit(X[:30], LABELS[:30])
    for ours, theirs in zip(whole.network_.parameters(), resumed.network_.parameters(), strict=True):
        assert torch.equal(ours, theirs)
    assert read_folder(tmp_path)[2] == before


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"learning_rate": 0.01}, r"rate=0.001 there, 0.01 here"),
        ({"epochs": 7}, "epochs=6 there, 7 here"),
        ({"objective": "marginal"}, "objective='joint' there, 'marginal' here"),
        ({"random_state": 1}, "random_state=0 there, 1 here"),
        ({"network": MLP((9,))}, "other network"),
        ({"network": MLP((8,), dropout=0.1)}, "other network"),
        ({"channel": Confusion()}, "other channel"),
        ({"average": 3}, "average=0 there, 3 here"),
    ],
)
def test_a_checkpoint_of_other_settings_is_refused(change: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(Killed):
        model(checkpoint=tmp_path, callbacks=[Kill(3)]).fit(X, LABELS)
    with pytest.raises(ParameterError, match=said) as error:
        model(checkpoint=tmp_path, resume=True, **change).fit(X, LABELS)
    assert "resume=False" in str(error.value)
    model(checkpoint=tmp_path, resume=True).fit(X, LABELS)  # and is left as it was
    model(checkpoint=tmp_path, **change).fit(X, LABELS)


def test_a_checkpoint_of_other_data_is_refused(tmp_path: Path) -> None:
    from scipy.sparse import csr_array

    model(checkpoint=tmp_path / "a").fit(X, LABELS)
    moved = X.copy()
    moved[-1, -1] += 1
    fewer = LABELS.where(np.arange(LABELS.n_answers) > 0)
    for x, labels, said in (
        (moved, LABELS, "other features"),
        (csr_array(X), LABELS, "other features"),
        (X, fewer, "other labels"),
        (X, LABELS.with_truth({LABELS.tasks[0]: 1}), "other known truths"),
    ):
        with pytest.raises(ParameterError, match=said):
            model(checkpoint=tmp_path / "a", resume=True).fit(x, labels)


def test_what_is_no_checkpoint_is_said(tmp_path: Path) -> None:
    LABELS_RESULT = mh.MajorityVote().fit(LABELS).result_
    LABELS_RESULT.save(tmp_path / "result")
    with pytest.raises(FormatError, match="not a checkpoint"):
        model(checkpoint=tmp_path / "result", resume=True).fit(X, LABELS)
    (tmp_path / "file").write_text("x")
    with pytest.raises(FileError, match="file"):
        model(checkpoint=tmp_path / "file").fit(X, LABELS)
    model(checkpoint=tmp_path / "run").fit(X, LABELS)
    arrays, texts, meta = read_folder(tmp_path / "run")
    del meta["state"]["dict"][0]
    write_folder(tmp_path / "run", arrays, texts, meta)
    with pytest.raises(FormatError, match="not a whole checkpoint"):
        model(checkpoint=tmp_path / "run", resume=True).fit(X, LABELS)


def test_resume_needs_a_folder_and_a_seed(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="checkpoint="):
        model(resume=True).fit(X, LABELS)
    with pytest.raises(ParameterError, match="random_state=None"):
        model(resume=True, checkpoint=tmp_path, random_state=None).fit(X, LABELS)
    with pytest.raises(ParameterError, match="checkpoint_every=0"):
        model(checkpoint=tmp_path, checkpoint_every=0).fit(X, LABELS)


def test_nothing_is_pickled(tmp_path: Path) -> None:
    model(checkpoint=tmp_path, average=3).fit(X, LABELS)
    for file in tmp_path.iterdir():
        assert file.suffix in (".json", ".safetensors")


def test_states_come_back_as_they_were() -> None:
    params = Confusion().maximise(torch.ones(2, 3, 3).double())
    state = {
        "a": [1, 2.5, None, True, "x", float("-inf")], 3: (torch.tensor(1.0), torch.zeros(0, 2)),
        "half": torch.tensor([1.5], dtype=torch.bfloat16), "params": params, "bytes": torch.get_rng_state(),
    }  # fmt: skip
    arrays: dict[str, np.ndarray] = {}
    back = unpack_state(pack_state(state, arrays, "s"), arrays)
    assert back["a"] == state["a"]
    assert isinstance(back[3], tuple)
    assert back[3][1].shape == (0, 2)
    assert back["half"].dtype is torch.bfloat16
    assert type(back["params"]) is type(params)
    assert all(torch.equal(a, b) for a, b in zip(back["params"], params, strict=True))
    assert torch.equal(back["bytes"], torch.get_rng_state())


def test_latent_state_of_a_channel_goes_to_a_fresh_one() -> None:
    sizes = Sizes(2, 3, 3)
    one, other = Confusion(shared=1.0).build(sizes), Confusion(shared=1.0).build(sizes)
    one.update(torch.rand(2, 3, 3, generator=torch.Generator().manual_seed(0)).double())
    arrays: dict[str, np.ndarray] = {}
    restore_latent(other, unpack_state(pack_state(latent_state(one), arrays, "c"), arrays))
    assert other._params is not None
    assert torch.equal(one._params.log_shared, other._params.log_shared)


SCRIPT = """
import sys
import numpy as np, torch
torch.set_num_threads(1)
import manyhands as mh
from manyhands.networks import MLP
crowd = mh.simulate("confusion", n_tasks=400, n_annotators=8, n_features=4, seed=1)
model = mh.CrowdClassifier(
    MLP((32,)), objective="em", epochs=60, schedule="cosine", average=20, batch_size=16,
    checkpoint=sys.argv[1], resume=True,
).fit(crowd.features, crowd.labels)
weights = torch.cat([p.detach().ravel() for m in (model.network_, model.channel_) for p in m.parameters()])
np.save(sys.argv[2], weights.numpy())
print(sum("resumed_from" in e for e in model.history_))
"""


@pytest.mark.slow
def test_sigkill_at_random_moments(tmp_path: Path) -> None:
    def start(folder: str, out: str) -> subprocess.Popen[bytes]:
        arguments = [sys.executable, "-c", SCRIPT, str(tmp_path / folder), str(tmp_path / out)]
        return subprocess.Popen(arguments, stdout=subprocess.PIPE)

    assert start("whole", "whole.npy").communicate()[0].strip() == b"0"
    luck, kills = random.Random(0), 0
    while kills < 6:
        child = start("killed", "killed.npy")
        seen = newest(tmp_path / "killed")
        while newest(tmp_path / "killed") == seen and child.poll() is None:
            time.sleep(0.001)
        time.sleep(luck.uniform(0, 0.3))
        if child.poll() is not None:
            child.communicate()
            break
        child.send_signal(signal.SIGKILL)
        child.communicate()
        kills += 1
    assert kills >= 2
    resumed = int(start("killed", "killed.npy").communicate()[0])
    assert resumed >= 1
    np.testing.assert_array_equal(np.load(tmp_path / "killed.npy"), np.load(tmp_path / "whole.npy"))


def newest(folder: Path) -> float:
    manifest = folder / "manifest.json"
    return manifest.stat().st_mtime if manifest.exists() else 0.0
