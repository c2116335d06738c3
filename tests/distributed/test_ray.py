"""Ray begins the processes and divides the data; what comes out is what one process gives."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import manyhands as mh
from manyhands.errors import ParameterError
from tests.cli.crowd_with_features import put

ROOT = Path(__file__).parents[2]
needs_ray = pytest.mark.skipif(
    find_spec("ray") is None, reason="Ray is not installed: pip install -e '.[ray]'"
)


def said(*command: object) -> str:
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": path, "RAY_ADDRESS": ""}
    done = subprocess.run(
        [sys.executable, *map(str, command)], env=environment, capture_output=True, text=True, timeout=900
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@needs_ray
@pytest.mark.slow
def test_a_worker_is_given_its_own_tasks_and_all_train_one_model(tmp_path: Path) -> None:
    found = json.loads(said("-m", "tests.distributed.by_ray", tmp_path).splitlines()[-1])
    assert found["far"] < 1e-5
    assert found["processes"] == 2
    assert 20 < found["tasks"] == found["aggregated"] < 100
    assert found["refused"].startswith("ParameterError")
    assert "nonsense" in found["refused"]


@needs_ray
@pytest.mark.slow
def test_the_command_on_ray_writes_the_model_of_one_process(tmp_path: Path) -> None:
    crowd = put(tmp_path / "crowd")
    base = ["-m", "manyhands", "train", crowd, "--features", crowd / "features.npz", "--method", "speelfc",
            "--network", "linear", "--epochs", 5]  # fmt: skip
    assert "wrote model" in said(*base, "--out", tmp_path / "ray", "--engine", "ray", "--workers", 2)
    said(*base, "--out", tmp_path / "one")
    X = np.load(crowd / "features.npz")["X"]
    ours, one = mh.load(tmp_path / "ray"), mh.load(tmp_path / "one")
    np.testing.assert_allclose(ours.predict_proba(X), one.predict_proba(X), atol=1e-5)
    assert ours.result_.consensus()["label"].equals(one.result_.consensus()["label"])


@pytest.mark.skipif(find_spec("ray") is not None, reason="Ray is installed")
def test_without_ray_it_is_said_how_to_get_it() -> None:
    with pytest.raises(ParameterError, match=r"pip install 'manyhands\[ray\]'"):
        mh.distributed.on_ray(print)
