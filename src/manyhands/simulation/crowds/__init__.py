"""The list of crowds: one file each."""

from ..recipe import Recipe
from . import (
    adversarial,
    biased,
    common,
    confusion,
    copying,
    difficulty,
    groups,
    numbers,
    one_coin,
    ordinal,
    sets,
    soft,
    spammers,
    tags,
    thresholds,
)

__all__ = ["CROWDS"]

CROWDS: dict[str, Recipe] = {
    recipe.name: recipe
    for recipe in (
        confusion.RECIPE,
        one_coin.RECIPE,
        difficulty.RECIPE,
        groups.RECIPE,
        common.RECIPE,
        spammers.RECIPE,
        biased.RECIPE,
        adversarial.RECIPE,
        copying.RECIPE,
        numbers.RECIPE,
        ordinal.RECIPE,
        thresholds.RECIPE,
        tags.RECIPE,
        sets.RECIPE,
        soft.RECIPE,
    )
}
