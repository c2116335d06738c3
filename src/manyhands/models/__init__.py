"""Estimators, one file a named system. Aggregation without features; the rest stands on it."""

from .classifier import CrowdClassifier
from .cmm import CMM
from .conal import CoNAL
from .crowd_layer import CrowdLayer
from .dawid_skene import DawidSkene
from .deep_em import DeepEM
from .glad import GLAD
from .lia import LIA
from .mace import MACE
from .majority import MajorityVote
from .mean import Mean
from .median import Median
from .model_saving import load
from .one_coin import OneCoin
from .precision_weighted import PrecisionWeighted
from .speelfc import SpeeLFC, SpeeLFCD
from .two_stage import TwoStage
from .wawa import Wawa

__all__ = [
    "CMM",
    "GLAD",
    "LIA",
    "MACE",
    "CoNAL",
    "CrowdClassifier",
    "CrowdLayer",
    "DawidSkene",
    "DeepEM",
    "MajorityVote",
    "Mean",
    "Median",
    "OneCoin",
    "PrecisionWeighted",
    "SpeeLFC",
    "SpeeLFCD",
    "TwoStage",
    "Wawa",
    "load",
]
