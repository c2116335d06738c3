"""Small default networks from features to the classes' logits; a user's own is as welcome."""

from .cnn import CNN
from .kernel import Kernel
from .linear import Linear
from .mlp import MLP
from .network import NETWORKS, build_network
from .per_label import PerLabel
from .sentences import Sentences
from .several import Several
from .skip import SkipMLP
from .tagger import Tagger
from .word_window import WordWindow

__all__ = [
    "CNN",
    "MLP",
    "NETWORKS",
    "Kernel",
    "Linear",
    "PerLabel",
    "Sentences",
    "Several",
    "SkipMLP",
    "Tagger",
    "WordWindow",
    "build_network",
]
