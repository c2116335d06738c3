"""Honest annotators among spammers: random answers, one answer for all, and wrong on purpose."""

from __future__ import annotations

import numpy as np

from ...errors import ParameterError
from ..bounds import chance, interval
from ..confused import Confused
from ..matrices import even_errors
from ..recipe import Recipe
from ..size import Size

__all__ = ["RECIPE", "ROLES", "build"]

ROLES = ("good", "uniform", "one-answer", "adversarial")


def build(
    size: Size,
    rng: np.random.Generator,
    *,
    uniform: float = 0.15,
    one_answer: float = 0.15,
    adversarial: float = 0.05,
    accuracy: tuple[float, float] = (0.6, 0.95),
) -> Confused:
    """Each annotator of one role by chance; `role` has its code, `roles` their names.

    Options:
        uniform, one_answer, adversarial: the chance of each sort of spammer.
        accuracy: the (low, high) chance of a good annotator to be right; an adversary is wrong
            as often.
    """
    bad = [chance("uniform", uniform), chance("one_answer", one_answer), chance("adversarial", adversarial)]
    if sum(bad) > 1 + 1e-9:
        raise ParameterError(f"uniform + one_answer + adversarial = {sum(bad):g}: lower them to 1 or less")
    chances = np.array([max(0.0, 1 - sum(bad)), *bad])
    role = rng.choice(4, size.n_annotators, p=chances / chances.sum())
    ability = rng.uniform(*interval("accuracy", accuracy), size.n_annotators)
    ability = np.where(role == 3, 1 - ability, ability)
    favourite = rng.integers(size.n_classes, size=size.n_annotators)
    confusions = even_errors(ability, size.n_classes)
    confusions[role == 1] = 1 / size.n_classes
    confusions[role == 2] = np.eye(size.n_classes)[favourite[role == 2], None, :]
    known = {"role": role, "roles": np.array(ROLES), "favourite": np.where(role == 2, favourite, -1)}
    return Confused.of(size, confusions, known)


RECIPE = Recipe(
    "spammers", "class", "good annotators among random, one-answer and adversarial ones", build, 2
)
