"""Crowds with a known truth: every kind of label, any size, one seed."""

from .blocks import simulate, simulate_blocks
from .crowd import Crowd
from .crowds import CROWDS
from .recipe import Recipe

__all__ = ["CROWDS", "Crowd", "Recipe", "simulate", "simulate_blocks"]
