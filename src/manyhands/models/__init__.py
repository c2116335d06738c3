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
    from .doctor_net import DoctorNet as DoctorNet
    from .doctor_net import WeightedDoctorNet as WeightedDoctorNet
    from .glad import GLAD as GLAD
    from .lia import LIA as LIA
    from .lia_ml import LIAML as LIAML
    from .ma_lr import MALR as MALR
    from .mace import MACE as MACE
    from .majority import MajorityVote as MajorityVote
    from .max_mig import MaxMIG as MaxMIG
    from .mean import Mean as Mean
    from .median import Median as Median
    from .model_saving import load as load
    from .one_coin import OneCoin as OneCoin
    from .one_vs_rest import OneVsRest as OneVsRest
    from .ordinal import OrdinalDawidSkene as OrdinalDawidSkene
    from .personal import PersonalClassifiers as PersonalClassifiers
    from .personal_gp import PersonalGP as PersonalGP
    from .precision_weighted import PrecisionWeighted as PrecisionWeighted
    from .raykar import Raykar as Raykar
    from .semi_lfc import SemiLFC as SemiLFC
    from .speelfc import SpeeLFC as SpeeLFC
    from .speelfc import SpeeLFCD as SpeeLFCD
    from .tagger import CrowdTagger as CrowdTagger
    from .threshold_vote import ThresholdVote as ThresholdVote
    from .trace_regularised import TraceRegularised as TraceRegularised
    from .two_stage import TwoStage as TwoStage
    from .wawa import Wawa as Wawa

# Where each public name lives.
_HOMES = {
    "CMM": "cmm",
    "GLAD": "glad",
    "LIA": "lia",
    "LIAML": "lia_ml",
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
    "CrowdTagger": "tagger",
    "OneVsRest": "one_vs_rest",
    "OrdinalDawidSkene": "ordinal",
    "PrecisionWeighted": "precision_weighted",
    "SpeeLFC": "speelfc",
    "SpeeLFCD": "speelfc",
    "ThresholdVote": "threshold_vote",
    "TwoStage": "two_stage",
    "Wawa": "wawa",
    "MALR": "ma_lr",
    "MaxMIG": "max_mig",
    "Raykar": "raykar",
    "TraceRegularised": "trace_regularised",
    "DoctorNet": "doctor_net",
    "WeightedDoctorNet": "doctor_net",
    "PersonalClassifiers": "personal",
    "PersonalGP": "personal_gp",
    "SemiLFC": "semi_lfc",
    "load": "model_saving",
}

__all__ = [
    "CMM",
    "GLAD",
    "LIA",
    "LIAML",
    "MACE",
    "MALR",
    "CoNAL",
    "CrowdClassifier",
    "CrowdLayer",
    "CrowdTagger",
    "DawidSkene",
    "DeepEM",
    "DoctorNet",
    "MajorityVote",
    "MaxMIG",
    "Mean",
    "Median",
    "OneCoin",
    "OneVsRest",
    "PersonalClassifiers",
    "PersonalGP",
    "PrecisionWeighted",
    "Raykar",
    "SemiLFC",
    "SpeeLFC",
    "SpeeLFCD",
    "ThresholdVote",
    "TraceRegularised",
    "TwoStage",
    "Wawa",
    "WeightedDoctorNet",
    "load",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)


def __dir__() -> list[str]:
    return __all__
