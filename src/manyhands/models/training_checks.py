"""The parameters of a classifier checked at the door, before anything is read or trained."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
import torch

from ..channels.votes import ABSTENTION
from ..errors import ParameterError
from ..training.optimisers import OPTIMISERS
from .checks import check_choice, check_flag, check_integer, check_number

__all__ = ["check_training"]


def check_training(owner: Any) -> None:
    """Each parameter that steers training is what it may be, and goes with the others."""
    check_integer(owner, majority_epochs=0, marginal_epochs=0, average=0)
    # None of the objective's own is plain training on the majority, which then must have some.
    check_integer(owner, epochs=0 if owner.majority_epochs else 1, epochs_a_round=1, checkpoint_every=1)
    check_number(owner, learning_rate=0, weight_decay=0)
    if owner.channel_learning_rate is not None:
        check_number(owner, channel_learning_rate=0)
    check_flag(owner, "resume", "closed_form", "use_truth", "mixed_precision")
    check_choice(
        owner,
        abstention=ABSTENTION,
        objective=tuple(owner._truth_class.objectives),
        schedule=(None, "cosine"),
    )
    check_choice(owner, optimizer=tuple(OPTIMISERS))
    if owner.batch_size != "auto":
        _expect(owner, "batch_size", _is_count(owner.batch_size, 1), '"auto" or an integer of at least 1')
    if owner.input_dropout != "auto":
        _expect(
            owner, "input_dropout", _is_share(owner.input_dropout), '"auto" or a number from 0 to below 1'
        )
    _expect(owner, "validation_fraction", _is_share(owner.validation_fraction), "a number from 0 to below 1")
    _expect(owner, "callbacks", isinstance(owner.callbacks, (list, tuple)), "a list of callbacks")
    _check_patience(owner)
    _check_seed(owner)
    _check_device(owner)


def _check_patience(owner: Any) -> None:
    if owner.patience is None:
        return
    check_integer(owner, patience=1)
    if not owner.validation_fraction:
        raise ParameterError(
            f"patience={owner.patience!r} needs annotations to watch: set validation_fraction, such as 0.1"
        )


def _check_seed(owner: Any) -> None:
    seed = owner.random_state
    known = seed is None or isinstance(seed, np.random.RandomState) or _is_count(seed, 0)
    _expect(owner, "random_state", known, "None, an integer of at least 0, or a numpy RandomState")
    if owner.resume and owner.checkpoint is None:
        raise ParameterError("resume=True needs the folder that it is to go on from: set checkpoint=")
    if owner.resume and not _is_count(seed, 0):
        raise ParameterError(
            f"random_state={seed!r} with resume=True must be an integer: the run that is to go on had one"
        )


def _check_device(owner: Any) -> None:
    try:
        torch.empty(0, device=owner.device)
    except (RuntimeError, AssertionError, TypeError) as error:
        first = str(error).splitlines()[0]
        raise ParameterError(
            f"device={owner.device!r} of {type(owner).__name__} is not there ({first}); use 'cpu'"
        ) from None


def _expect(owner: Any, name: str, holds: bool, wanted: str) -> None:
    if not holds:
        raise ParameterError(f"{name}={getattr(owner, name)!r} of {type(owner).__name__} must be {wanted}")


def _is_count(value: Any, least: int) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= least


def _is_share(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and 0 <= float(value) < 1
