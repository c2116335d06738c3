"""Common noise and individual noise, mixed by a gate on annotator and task: CoNAL's recipe."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...annotations import Names
from ...errors import ParameterError
from ..bounds import chance, choice
from ..categorical import RowDraws, class_tasks
from ..gate import Gate
from ..gaussians import Gaussians
from ..people import People, Said, Tasks
from ..recipe import Recipe
from ..size import Size

__all__ = ["RECIPE", "build"]

FEATURES = 10


def build(
    size: Size,
    rng: np.random.Generator,
    *,
    strength: float = 0.4,
    individual: float = 0.7,
    share: float = 0.5,
    pattern: str = "asymmetric",
    embedding: int = 20,
) -> Common:
    """A label comes from the common matrix with the gate's chance, else from the annotator's own.

    The paper's crowd is n_tasks=10000, n_annotators=30, n_classes=6, redundancy=3.

    Options:
        strength: of the common noise: a row keeps 1 - strength, one wrong class gets the rest.
        individual: strength of the annotators' own noise, always asymmetric. The paper has 0.7,
            and may mean the diagonal: then it is 0.3.
        share: mean share of common labels, 0 or from 0.3 to 0.7: the gate is a sigmoid of the
            product of unit vectors and reaches no further.
        pattern: "asymmetric" (each class errs to another, chosen at random) or "symmetric"
            (random pairs err to each other).
        embedding: length of the gate's unit vectors.
    """
    choice("pattern", pattern, ("asymmetric", "symmetric"))
    gaussians = size.gaussians or Gaussians.random(size.n_classes, FEATURES, rng)
    size = size._replace(gaussians=gaussians)
    common = _moved(_targets(pattern, size.n_classes, rng), chance("strength", strength))
    targets = [_targets("asymmetric", size.n_classes, rng) for _ in range(size.n_annotators)]
    own = _moved(np.stack(targets), chance("individual", individual))
    gate = Gate.of(_share(share), size, embedding, rng)
    by_class = gate.by_class(size, rng)[:, :, None]
    confusions = by_class * common + (1 - by_class) * own
    return Common(
        classes=Names.range(size.n_classes),
        confusions=confusions,
        accuracy=np.einsum("jkk,k->j", confusions, size.prior),
        about=size,
        gate=gate,
        parameters={
            "common": common,
            "individual": own,
            "share": by_class[:, :, 0] @ size.prior,
            **gate.parameters,
        },
    )


@dataclass(frozen=True, kw_only=True)
class Common(People):
    """Annotators with a matrix of their own and one that they share."""

    gate: Gate

    @cached_property
    def _draws(self) -> tuple[RowDraws, RowDraws]:
        return RowDraws.of(self.parameters["common"]), RowDraws.of(self.parameters["individual"])

    def tasks(self, size: int, rng: np.random.Generator, given: np.ndarray | None = None) -> Tasks:
        """Class truths by the prior, features by the truth."""
        return class_tasks(size, self.about, rng, given)

    def answers(
        self, tasks: Tasks, task: np.ndarray, annotator: np.ndarray, rng: np.random.Generator
    ) -> Said:
        """Draw s ~ Bernoulli(w), then the label from the matrix that s says (CoNAL, eq. 1)."""
        assert tasks.features is not None
        w = self.gate.shares(tasks.features, task, annotator)
        shared = rng.random(len(task)) < w
        truth, uniform = tasks.truth[task].astype(np.int64), rng.random(len(task))
        together, alone = self._draws
        label = np.where(
            shared, together(truth, uniform), alone(annotator * self.about.n_classes + truth, uniform)
        )
        return Said(label, {"gate": w, "from_common": shared})


def _targets(pattern: str, n_classes: int, rng: np.random.Generator) -> np.ndarray:
    """The wrong class that each class errs to."""
    if pattern == "asymmetric":
        return (np.arange(n_classes) + rng.integers(1, n_classes, size=n_classes)) % n_classes
    if n_classes % 2:
        raise ParameterError(
            f"pattern='symmetric' pairs the classes, so n_classes={n_classes} must be even; "
            f"or use pattern='asymmetric'"
        )
    pairs = rng.permutation(n_classes).reshape(-1, 2)
    targets = np.empty(n_classes, dtype=np.int64)
    targets[pairs] = pairs[:, ::-1]
    return targets


def _moved(targets: np.ndarray, strength: float) -> np.ndarray:
    """[..., K, K] keeping 1 - strength on the diagonal, the rest on each row's target."""
    eye = np.eye(targets.shape[-1])
    rows: np.ndarray = (1 - strength) * eye + strength * eye[targets]
    return rows


def _share(share: float) -> float:
    if chance("share", share) != 0 and not 0.28 <= share <= 0.72:
        raise ParameterError(
            f"share={share!r} is out of the gate's reach (a sigmoid of -1 to 1): give 0, or 0.28 to 0.72"
        )
    return float(share)


RECIPE = Recipe(
    "common", "class", "common and individual noise behind a gate, with features (CoNAL)", build, 2
)
