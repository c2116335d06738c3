"""Estimators, one file a named system. Aggregation without features; the rest stands on it.

Each is loaded on first use: aggregation does without scikit-learn and the networks.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .bsc import BSC as BSC
    from .classifier import CrowdClassifier as CrowdClassifier
    from .clustered_annotators import ClusteredAnnotators as ClusteredAnnotators
    from .cmm import CMM as CMM
    from .common_noise import CommonNoise as CommonNoise
    from .conal import CoNAL as CoNAL
    from .crf_ma import CRFMA as CRFMA
    from .crowd_layer import CrowdLayer as CrowdLayer
    from .crowd_layer_regressor import CrowdLayerRegressor as CrowdLayerRegressor
    from .crowd_layer_tagger import CrowdLayerTagger as CrowdLayerTagger
    from .dawid_skene import DawidSkene as DawidSkene
    from .deep_em import DeepEM as DeepEM
    from .deep_em_regressor import DeepEMRegressor as DeepEMRegressor
    from .doctor_net import DoctorNet as DoctorNet
    from .doctor_net import WeightedDoctorNet as WeightedDoctorNet
    from .doctor_net_regressor import DoctorNetRegressor as DoctorNetRegressor
    from .doctor_net_regressor import WeightedDoctorNetRegressor as WeightedDoctorNetRegressor
    from .doctor_net_tagger import DoctorNetTagger as DoctorNetTagger
    from .doctor_net_tagger import WeightedDoctorNetTagger as WeightedDoctorNetTagger
    from .ebcc import EBCC as EBCC
    from .glad import GLAD as GLAD
    from .hmm_crowd import HMMCrowd as HMMCrowd
    from .ibcc import IBCC as IBCC
    from .kos import KOS as KOS
    from .label_model import LabelModel as LabelModel
    from .lia import LIA as LIA
    from .lia_ml import LIAML as LIAML
    from .ma_lr import MALR as MALR
    from .mace import MACE as MACE
    from .majority import MajorityVote as MajorityVote
    from .max_mig import MaxMIG as MaxMIG
    from .mean import Mean as Mean
    from .median import Median as Median
    from .mmce import MMCE as MMCE
    from .model_saving import load as load
    from .one_coin import OneCoin as OneCoin
    from .one_vs_rest import OneVsRest as OneVsRest
    from .ordinal import OrdinalDawidSkene as OrdinalDawidSkene
    from .personal import PersonalClassifiers as PersonalClassifiers
    from .personal_gp import PersonalGP as PersonalGP
    from .precision_weighted import PrecisionWeighted as PrecisionWeighted
    from .raykar import Raykar as Raykar
    from .regressor import CrowdRegressor as CrowdRegressor
    from .semi_lfc import SemiLFC as SemiLFC
    from .speelfc import SpeeLFC as SpeeLFC
    from .speelfc import SpeeLFCD as SpeeLFCD
    from .tagger import CrowdTagger as CrowdTagger
    from .threshold_vote import ThresholdVote as ThresholdVote
    from .trace_regularised import TraceRegularised as TraceRegularised
    from .two_stage import TwoStage as TwoStage
    from .two_stage_regressor import TwoStageRegressor as TwoStageRegressor
    from .wawa import Wawa as Wawa
    from .zencrowd import ZenCrowd as ZenCrowd

# Where each public name lives.
_HOMES = {
    "CMM": "cmm",
    "CommonNoise": "common_noise",
    "EBCC": "ebcc",
    "GLAD": "glad",
    "BSC": "bsc",
    "HMMCrowd": "hmm_crowd",
    "IBCC": "ibcc",
    "LIA": "lia",
    "LIAML": "lia_ml",
    "MACE": "mace",
    "CoNAL": "conal",
    "CrowdClassifier": "classifier",
    "CrowdLayer": "crowd_layer",
    "CrowdRegressor": "regressor",
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
    "ClusteredAnnotators": "clustered_annotators",
    "KOS": "kos",
    "LabelModel": "label_model",
    "MMCE": "mmce",
    "ZenCrowd": "zencrowd",
    "CrowdLayerRegressor": "crowd_layer_regressor",
    "DeepEMRegressor": "deep_em_regressor",
    "DoctorNetRegressor": "doctor_net_regressor",
    "WeightedDoctorNetRegressor": "doctor_net_regressor",
    "CRFMA": "crf_ma",
    "CrowdLayerTagger": "crowd_layer_tagger",
    "DoctorNetTagger": "doctor_net_tagger",
    "WeightedDoctorNetTagger": "doctor_net_tagger",
    "TwoStageRegressor": "two_stage_regressor",
    "load": "model_saving",
}

__all__ = [
    "BSC",
    "CMM",
    "CRFMA",
    "EBCC",
    "GLAD",
    "IBCC",
    "KOS",
    "LIA",
    "LIAML",
    "MACE",
    "MALR",
    "MMCE",
    "ClusteredAnnotators",
    "CoNAL",
    "CommonNoise",
    "CrowdClassifier",
    "CrowdLayer",
    "CrowdLayerRegressor",
    "CrowdLayerTagger",
    "CrowdRegressor",
    "CrowdTagger",
    "DawidSkene",
    "DeepEM",
    "DeepEMRegressor",
    "DoctorNet",
    "DoctorNetRegressor",
    "DoctorNetTagger",
    "HMMCrowd",
    "LabelModel",
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
    "TwoStageRegressor",
    "Wawa",
    "WeightedDoctorNet",
    "WeightedDoctorNetRegressor",
    "WeightedDoctorNetTagger",
    "ZenCrowd",
    "load",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)


def __dir__() -> list[str]:
    return __all__
