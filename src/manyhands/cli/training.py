"""Training a network of the catalogue: its parameters, its progress, its checkpoints."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import FileError, LabelError, UnsupportedError
from ..processes import gathered, rank, restarted, size
from .failures import say
from .settings import parse_settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..annotations import Annotations
    from ..catalog import Method
    from .matching import Matched
    from .progress import Work

__all__ = ["Fitting", "check_folder", "check_kind", "estimator", "fit_shares", "suit", "watched"]

# Set by the command itself, or no text.
NOT_SET = ("callbacks", "random_state", "checkpoint", "checkpoint_every", "resume", "channel", "vectors")
PATIENCE = 10
CHECKPOINTS = 20  # in a run, so that they cost little


@dataclass(frozen=True)
class Fitting:
    """What of the fit is asked for most."""

    network: Annotated[
        str | None,
        typer.Option(
            "--network", metavar="NAME", help="linear, mlp, skip or cnn. Default: the method's own."
        ),
    ] = None
    epochs: Annotated[
        int | None, typer.Option("--epochs", metavar="N", min=1, help="Default: the method's own.")
    ] = None
    validation: Annotated[
        float | None,
        typer.Option(
            "--validation", metavar="SHARE",
            help="Hold out this share of the labels, and stop when they become no likelier.",
        ),
    ] = None  # fmt: skip
    vectors: Annotated[
        Path | None,
        typer.Option(
            "--vectors", metavar="FILE", show_default=False,
            help="Of a tagger: vectors of words to begin with, as GloVe's text (.gz too), or .npz (X) with the words.",
        ),
    ] = None  # fmt: skip
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on from where an interrupted run of the same stood.")
    ] = False
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            "--checkpoint", metavar="FOLDER", show_default=False,
            help="Where that is kept while it trains. Default: in MODEL. Processes on several hosts must all reach it.",
        ),
    ] = None  # fmt: skip

    def going_on(self) -> bool:
        """Whether to go on from a checkpoint: where asked, or where torchrun began the processes again."""
        return self.resume or restarted()


def estimator(method: Method, given: Sequence[str] | None, fitting: Fitting, seed: int) -> Any:
    """The estimator, with what the options say."""
    model = method.make()
    known = model.get_params(deep=False)
    settable = {key: value for key, value in known.items() if key not in NOT_SET}
    chosen = parse_settings(given, settable, method.name)
    if fitting.network is not None:
        chosen["network"] = fitting.network
    _check_network(method, chosen.get("network"))
    if fitting.epochs is not None:
        if "epochs" not in known:
            raise typer.BadParameter(
                f"{method.name} counts in other things than epochs: see --set, such as "
                f"{', '.join(f'{k}={v}' for k, v in settable.items() if type(v) is int)}",
                param_hint="'--epochs'",
            )
        chosen["epochs"] = fitting.epochs
    if fitting.validation is not None:
        if not 0 < fitting.validation < 1:
            raise typer.BadParameter(
                f"{fitting.validation} must lie between 0 and 1", param_hint="'--validation'"
            )
        chosen = {"patience": PATIENCE, "validation_fraction": fitting.validation} | chosen
    if fitting.vectors is not None:
        chosen |= _with_vectors(method, known, fitting.vectors)
    return model.set_params(**chosen, random_state=seed)


def _with_vectors(method: Method, known: dict[str, Any], path: Path) -> dict[str, Any]:
    """The vectors, and the network of a tagger as wide as they are."""
    from ..io import read_vectors
    from ..networks import Tagger

    if "vectors" not in known:
        raise typer.BadParameter(f"{method.name} takes no vectors of words", param_hint="'--vectors'")
    words, rows = read_vectors(path)
    fresh = {"network": Tagger(dim=rows.shape[1])} if "network" in known and known["network"] is None else {}
    return {"vectors": (words, rows), **fresh}


def check_kind(method: Method, labels: Annotations) -> None:
    """Refuse a method that has no answer to labels of this kind."""
    from ..catalog import methods_for

    if labels.kind not in method.kinds:
        raise UnsupportedError(
            f"labels are of kind {labels.kind!r}; {method.name} takes {' or '.join(method.kinds)}. Take one of "
            f"{', '.join(m.name for m in methods_for(labels.kind, features=True))}"
        )


def _check_network(method: Method, name: Any) -> None:
    from ..catalog import TAGS
    from ..networks import NETWORKS

    if name is not None and method.kinds == TAGS:
        raise typer.BadParameter(
            f"{method.name} has a network of its own; another goes with Python", param_hint="'--network'"
        )
    if name is not None and name not in [*NETWORKS]:
        raise typer.BadParameter(
            f"{name!r} must be one of {', '.join(NETWORKS)}; a network of your own goes with Python",
            param_hint="'--network'",
        )


def suit(model: Any, X: Any, is_text: bool) -> None:
    """Refuse a network that does not go with such features; give words, which have a scale, none."""
    from ..networks import MLP, NETWORKS, Linear

    if is_text:
        unscaled = {"mlp": MLP(standardize=False), "linear": Linear(standardize=False)}
        model.network = unscaled.get(model.network, model.network)
    pictures = len(X.shape) == 4
    if len(X.shape) not in (2, 4) or pictures != (model.network == "cnn"):
        shape = " x ".join(map(str, X.shape[1:]))
        flat = ", ".join(name for name in NETWORKS if name != "cnn")
        cure = "--network cnn" if pictures else f"--network {flat}"
        raise LabelError(
            f"each task has features of shape {shape}, which do not go with this network: use {cure}, or save "
            f"them in another shape (one row a task; pictures height x width x channels)"
        )


def check_folder(folder: Path) -> None:
    """Refuse what cannot be written, or would be mixed with other things, before hours are spent."""
    if folder.exists() and not folder.is_dir():
        raise FileError("is a file; a model is saved as a folder: give another name", folder)
    ours = ("manifest.json", "checkpoint")
    if folder.is_dir() and any(folder.iterdir()) and not any((folder / name).exists() for name in ours):
        raise FileError("is a folder that holds other things; name a new one for the model", folder)


def fit_shares(model: Any, X: Any, matched: Matched) -> None:
    """Fit it: alone on all tasks, in a group each process on those that their ids give it."""
    import numpy as np

    from ..annotations.hashing import shard_of

    rows, labels = matched.rows, matched.labels
    if size() == 1:
        model.fit(X[rows], labels)
        return
    mine = np.flatnonzero(shard_of(labels.tasks, size()) == rank())
    model.fit(X[rows[mine]], labels[mine], places=mine)


@contextmanager
def watched(model: Any, title: str, work: Work, folder: Path, fitting: Fitting) -> Iterator[None]:
    """While it trains and is saved: a bar of epochs, and checkpoints, by default in the folder of the model.

    The checkpoints are gone when all went well.
    """
    from ..training.callbacks import OnEpoch
    from ..training.checkpoint import Checkpoint

    place, resume = fitting.checkpoint or folder / "checkpoint", fitting.going_on()
    if size() > 1 and not resume:  # what another run left: a restart of this one must not take it for its own
        if rank() == 0:
            shutil.rmtree(place, ignore_errors=True)
        gathered("ready")

    class Spaced(Checkpoint):
        def on_trial(self, place: int, total: int) -> None:
            step(place, "choosing the input noise", total)

        def on_train_begin(self, learner: Any) -> None:
            self.every = max(1, learner.settings.total // CHECKPOINTS)
            total.append(learner.settings.total)

    total: list[int] = []
    with work.bar(title, None) as step:
        told = OnEpoch(lambda entry: step(entry["epoch"] + 1, _word(entry), total[0]))
        model.callbacks = [told, Spaced(place, 1, resume)]
        try:
            yield
        except KeyboardInterrupt:
            if (place / "manifest.json").exists():
                say("warning", "the same command with --resume goes on from the last checkpoint")
            raise
        model.callbacks = ()
    if rank() == 0:
        shutil.rmtree(place, ignore_errors=True)


def _word(entry: dict[str, Any]) -> str:
    held_out = entry.get("held_out_log_likelihood")
    said = f"loss {entry['loss']:.4f}"
    return said if held_out is None else f"{said}, held-out log-likelihood {held_out:.4f} a label"
