"""Estimators, one file a named system. Aggregation without features; the rest stands on it.

Each is loaded on first use: aggregation does without scikit-learn and the networks.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .classifier import CrowdClassifier as CrowdClassifier
    from .cmm import CMM as CMM
    from .conal import CoNAL as CoNAL
    from .crowd_layer import CrowdLayer as CrowdLayer
    from .dawid_skene import DawidSkene as DawidSkene
    from .deep_em import DeepEM as DeepEM
    from .glad import GLAD as GLAD
    from .lia import LIA as LIA
    from .mace import MACE as MACE
    from .majority import MajorityVote as MajorityVote
    from .mean import Mean as Mean
    from .median import Median as Median
    from .model_saving import load as load
    from .one_coin import OneCoin as OneCoin
    from .precision_weighted import PrecisionWeighted as PrecisionWeighted
    from .speelfc import SpeeLFC as SpeeLFC
    from .speelfc import SpeeLFCD as SpeeLFCD
    from .two_stage import TwoStage as TwoStage
    from .wawa import Wawa as Wawa

# Where each public name lives.
_HOMES = {
    "CMM": "cmm",
    "GLAD": "glad",
    "LIA": "lia",
    "MACE": "mace",
    "CoNAL": "conal",
    "CrowdClassifier": "classifier",
    "CrowdLayer": "crowd_layer",
    "DawidSkene": "dawid_skene",
    "DeepEM": "deep_em",
    "MajorityVote": "majority",
    "Mean": "mean",
    "Median": "median",
    "OneCoin": "one_coin",
    "PrecisionWeighted": "precision_weighted",
    "SpeeLFC": "speelfc",
    "SpeeLFCD": "speelfc",
    "TwoStage": "two_stage",
    "Wawa": "wawa",
    "load": "model_saving",
}

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


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)


def __dir__() -> list[str]:
    return __all__
