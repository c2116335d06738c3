"""Estimators, one file a named system. Aggregation without features; the rest stands on it."""

from .classifier import CrowdClassifier
from .dawid_skene import DawidSkene
from .deep_em import DeepEM
from .glad import GLAD
from .mace import MACE
from .majority import MajorityVote
from .mean import Mean
from .median import Median
from .model_saving import load
from .one_coin import OneCoin
from .precision_weighted import PrecisionWeighted
from .two_stage import TwoStage
from .wawa import Wawa

__all__ = [
    "GLAD",
    "MACE",
    "CrowdClassifier",
    "DawidSkene",
    "DeepEM",
    "MajorityVote",
    "Mean",
    "Median",
    "OneCoin",
    "PrecisionWeighted",
    "TwoStage",
    "Wawa",
    "load",
]
