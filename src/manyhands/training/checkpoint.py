"""Checkpoints: a killed run goes on, and ends with the parameters of the run that was not killed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn

from ..errors import FileError, FormatError, ParameterError
from ..io.folder import read_folder, read_part, write_folder, write_part
from .callbacks import Callback
from .fingerprint import differences, fingerprint
from .latent import latent_state, restore_latent
from .state_tree import pack_state, unpack_state

if TYPE_CHECKING:
    from .learner import Learner

__all__ = ["Checkpoint"]

FORMAT = "manyhands-checkpoint"


class Checkpoint(Callback):
    """Keep all that training stands on in a folder (safetensors and JSON), every so many epochs.

    resume: go on from what is there; a folder without a checkpoint begins at the first epoch, a
        checkpoint of another run is refused with what differs. Without it the folder is written anew.

    Several processes that train together write one checkpoint: each a part with its own beliefs and
    generators, process 0 what they share and, last, the manifest. All must reach the folder.
    """

    def __init__(self, folder: str | Path, every: int = 1, resume: bool = False):
        self.folder, self.every, self.resume = Path(folder), every, resume
        self._run: dict[str, Any] = {}

    def on_resume(self, learner: Learner) -> None:
        """Put back what was kept, where asked."""
        self._run = fingerprint(learner)
        if not self.resume:
            return
        there = learner.company.gathered((self.folder / "manifest.json").exists())
        if any(there) and not all(there):
            raise FileError(
                "is not seen by all processes: a checkpoint needs a folder that all reach", self.folder
            )
        if all(there):
            self._take_back(learner)

    def on_save(self, learner: Learner) -> None:
        """Write, after every so many epochs and after the last."""
        done = len(learner.history)
        if self._run and (done % self.every == 0 or learner.stopped or done >= learner.settings.total):
            self._write(learner)

    def on_train_end(self, learner: Learner) -> None:
        """What `partial_fit` adds is no part of this run."""
        self._run = {}

    def _write(self, learner: Learner) -> None:
        arrays: dict[str, np.ndarray] = {}
        own = {"run": self._run, "state": pack_state(_own_state(learner), arrays, "own")}
        part = write_part(self.folder, arrays) if learner.company.rank else ""
        each, parts = zip(*learner.company.gathered((own, part)), strict=True)
        if learner.company.rank == 0:
            state = pack_state(_state(learner), arrays, "state")
            write_folder(
                self.folder, arrays, {}, {"what": FORMAT, "state": state, "processes": list(each)}, parts[1:]
            )

    def _take_back(self, learner: Learner) -> None:
        arrays, _, meta = read_folder(self.folder)
        if meta.get("what") != FORMAT:
            raise FormatError(
                f"holds a {meta.get('what')!r}, not a checkpoint: name another folder", self.folder
            )
        rank, each = learner.company.rank, meta.get("processes", [])
        odd = [f"processes={len(each)} there, {learner.company.size} here"]
        if len(each) == learner.company.size:
            odd = differences(each[rank]["run"], self._run)
        if odd:
            raise ParameterError(
                f"the checkpoint in {str(self.folder)!r} is of another run ({'; '.join(odd)}): give what it was "
                f"made with, name another folder, or begin anew with resume=False"
            )
        try:
            own = read_part(self.folder, rank - 1) if rank else arrays
            _restore(learner, unpack_state(meta["state"], arrays), unpack_state(each[rank]["state"], own))
        except (KeyError, TypeError, ValueError, RuntimeError) as error:
            raise FormatError(f"is not a whole checkpoint ({error}): begin anew", self.folder) from error


def _state(learner: Learner) -> dict[str, Any]:
    """What is the same in all processes."""
    return {
        "network": dict(learner.network.state_dict()),
        "channel": dict(learner.channel.state_dict()),
        "optimisers": [optimiser.state_dict() for optimiser in learner.optimisers],
        "callbacks": [state for callback in learner.callbacks if (state := callback.state())],
        "progress": {**learner.progress(), "targets": None},
        "shuffling": learner.generator.get_state(),
    }


def _own_state(learner: Learner) -> dict[str, Any]:
    """What each process has of its own: beliefs of its units, what modules remember of them, dropout."""
    return {
        "network_latent": latent_state(learner.network),
        "channel_latent": latent_state(learner.channel),
        "targets": learner.targets,
        "dropout": _random_state(learner.device),
    }


def _restore(learner: Learner, state: dict[str, Any], own: dict[str, Any]) -> None:
    _load(learner.network, state["network"], own["network_latent"])
    _load(learner.channel, state["channel"], own["channel_latent"])
    for optimiser, kept in zip(learner.optimisers, state["optimisers"], strict=True):
        optimiser.load_state_dict(kept)
    with_state = [callback for callback in learner.callbacks if callback.state()]
    for callback, kept in zip(with_state, state["callbacks"], strict=True):
        callback.restore(kept)
    learner.go_on_from({**state["progress"], "targets": own["targets"]})
    learner.generator.set_state(state["shuffling"])
    torch.set_rng_state(own["dropout"][0])
    if len(own["dropout"]) > 1 and learner.device.type == "cuda":
        torch.cuda.set_rng_state(own["dropout"][1], learner.device)


def _load(module: nn.Module, weights: dict[str, Any], latent: dict[str, Any]) -> None:
    module.load_state_dict(weights)
    restore_latent(module, latent)


def _random_state(device: torch.device) -> list[torch.Tensor]:
    """Dropout draws from the global generator, of the CPU or of the device."""
    states = [torch.get_rng_state()]
    return [*states, torch.cuda.get_rng_state(device)] if device.type == "cuda" else states
