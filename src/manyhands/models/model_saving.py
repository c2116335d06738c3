"""Fitted networks to a folder and back: JSON and safetensors, nothing pickled, nothing imported."""

from __future__ import annotations

import re
import secrets
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn

from ..errors import FormatError, ManyhandsError, ParameterError, UnsupportedError
from ..io.folder import read_folder, write_folder
from ..results import Result, load_result
from ..training.features import Features
from ..training.latent import latent_state, restore_latent
from ..training.settings import Extent
from ..training.state_tree import pack_state, unpack_state
from .soft_label_fit import is_soft_network
from .spec_json import pack_parameter, registry, unpack_parameter

if TYPE_CHECKING:
    from .crowd_estimator import CrowdEstimator

__all__ = ["load", "save_model"]

FORMAT = "manyhands-model"
RESULT = re.compile(r"result-[0-9a-f]{12}")
OF_THE_RUN = ("callbacks", "checkpoint", "checkpoint_every", "resume", "vectors")
REBUILT = ("learner_", "network_", "channel_", "history_", "result_", "labels_", "classes_", "shard_")


def save_model(model: CrowdEstimator, path: str | Path, result: Result) -> None:
    """Write a fitted network and its result; a reader sees the old one or the new one, whole.

    Its result lies in a folder inside, written first; the manifest, renamed last, makes it count.
    """
    if is_soft_network(model.network):
        raise UnsupportedError(
            f"network={type(model.network).__name__} is scikit-learn's, which only pickle would keep: save "
            f"result_, or fit a torch network"
        )
    folder, name = Path(path), f"result-{secrets.token_hex(6)}"
    arrays: dict[str, np.ndarray] = {}
    meta = {
        "what": FORMAT,
        "class": _class_name(model),
        "parameters": _parameters(model),
        "shape": list(model.learner_.features.of_task),
        "state": pack_state(_state(model), arrays, "state"),
        "result": name,
    }
    result.save(folder / name)
    write_folder(folder, arrays, {}, meta)
    for old in folder.iterdir():
        if RESULT.fullmatch(old.name) and old.name != name:
            shutil.rmtree(old, ignore_errors=True)


def load(path: str | Path, *, network: Any = None, channel: Any = None, device: str | None = None) -> Any:
    """Open what was saved: a classifier, a regressor, or the `Result` of an aggregator. No code of the folder runs.

    network, channel: the module (or specification) of your own that it was fitted with; those of
        manyhands are rebuilt.
    device: in place of the one that it was fitted on.

    >>> import tempfile
    >>> from manyhands import CrowdClassifier, simulate
    >>> crowd = simulate("groups", n_tasks=100, n_annotators=5, n_features=2, seed=0)
    >>> model = CrowdClassifier("linear", epochs=2).fit(crowd.features, crowd.labels)
    >>> twin = load(model.save(tempfile.mkdtemp()))
    >>> bool((twin.predict_proba(crowd.features) == model.predict_proba(crowd.features)).all())
    True
    """
    arrays, _, meta = read_folder(path)
    if meta.get("what") != FORMAT:
        if network is not None or channel is not None:
            raise ParameterError(
                f"{str(path)!r} holds a result, which has no network and no channel of yours"
            )
        return load_result(path)
    try:
        return _model(arrays, meta, Path(path), network, channel, device)
    except ManyhandsError:
        raise
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, RuntimeError) as error:
        raise FormatError(f"is not a whole model ({error}): save it again", path) from error


def _class_name(model: CrowdEstimator) -> str:
    name = next((key for key, cls in registry().items() if cls is type(model)), None)
    if name is None:
        raise UnsupportedError(
            f"{type(model).__name__} is a class of your own: save its network_ and result_, or fit the class "
            f"that it stands on"
        )
    return name


def _parameters(model: CrowdEstimator) -> dict[str, Any]:
    given = model.get_params(deep=False)
    return {k: pack_parameter(k, v) for k, v in given.items() if k not in OF_THE_RUN}


def _state(model: CrowdEstimator) -> dict[str, Any]:
    learner = model.learner_
    return {
        "network": dict(learner.network.state_dict()),
        "network_latent": latent_state(learner.network),
        "channel": dict(learner.channel.state_dict()),
        "channel_latent": latent_state(learner.channel),
        "progress": {**learner.progress(), "targets": None},
        "shuffling": learner.generator.get_state(),
        "attributes": _attributes(model),
    }


def _attributes(model: CrowdEstimator) -> dict[str, Any]:
    """What else was learnt, as far as it is plain: n_features_in_, feature names, the seed ..."""
    found = {}
    for name, value in vars(model).items():
        if not name.endswith("_") or name.startswith("_") or name in REBUILT:
            continue
        if isinstance(value, np.ndarray):
            value = {"names": value.tolist()} if value.dtype == object else torch.from_numpy(value.copy())
        if isinstance(value, (bool, int, float, str, torch.Tensor, dict, tuple, np.generic)):
            found[name] = value
    return found


def _model(
    arrays: dict[str, np.ndarray],
    meta: dict[str, Any],
    path: Path,
    network: Any,
    channel: Any,
    device: str | None,
) -> CrowdEstimator:
    packed = meta["parameters"]
    own = {"network": network, "channel": channel}
    for name, given in own.items():
        _check_own(packed.get(name), name, given, path)
    parameters = {k: unpack_parameter(v, own.get(k)) for k, v in packed.items()}
    if device is not None:
        parameters["device"] = device
    model = registry()[meta["class"]](**parameters)
    state = unpack_state(meta["state"], arrays)
    if RESULT.fullmatch(meta["result"]) is None:
        raise FormatError(f"names {meta['result']!r} as its result: do not trust it", path)
    result = load_result(path / meta["result"])
    _revive(model, result, tuple(map(int, meta["shape"])), state)
    return model


def _check_own(packed: Any, name: str, given: Any, path: Path) -> None:
    is_own = isinstance(packed, dict) and "own" in packed
    if is_own and given is None:
        raise ParameterError(
            f"{str(path)!r} was fitted with a {name} of your own ({packed['own']}), of which only the weights "
            f"are saved: give it, manyhands.load(path, {name}=...)"
        )
    if given is not None and not is_own:
        raise ParameterError(f"{name}= is given, but {str(path)!r} holds its own: leave it out")


def _revive(model: Any, result: Result, shape: tuple[int, ...], state: dict[str, Any]) -> None:
    for name, value in state["attributes"].items():
        setattr(model, name, _attribute(value))
    labels = result.labels
    truth = model._truth(labels)
    votes = truth.votes(labels, model.abstention)
    features = truth.units.features(Features(torch.zeros(1, *shape), labels.n_tasks, model.device))
    sample = features.sample(1)
    network, channel = model._parts(sample, labels, votes)
    learner = model._loop(network)(
        network, channel, truth.objective(model.objective), features, votes,
        model._settings_for(sample, labels, Extent.of(labels)), truth=truth, seed=model.seed_, device=model.device,
    )  # fmt: skip
    _fill(learner.network, state["network"], state["network_latent"])
    _fill(learner.channel, state["channel"], state["channel_latent"])
    learner.go_on_from(state["progress"])
    learner.resumed_from = None
    learner.generator.set_state(state["shuffling"])
    model._put(learner, result)


def _attribute(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.numpy()
    return np.array(value["names"], dtype=object) if isinstance(value, dict) else value


def _fill(module: nn.Module, weights: dict[str, Any], latent: dict[str, Any]) -> None:
    try:
        module.load_state_dict(weights)
    except RuntimeError as error:
        raise ParameterError(
            f"the {type(module).__name__} given does not fit the weights that were saved: {error}"
        ) from None
    restore_latent(module, latent)
