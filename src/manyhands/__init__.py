"""manyhands learns from people who disagree: truth, trust and models from many labels.

Every public name stands here and is loaded on first use (PEP 562), so that `import manyhands`
and `manyhands --help` cost nothing.

>>> import manyhands as mh
>>> labels = mh.Annotations.from_matrix([[0, 1, 1], [1, 1, 1], [0, 0, 1]])
>>> mh.DawidSkene().fit(labels).result_.consensus()["label"].to_list()
[1, 1, 0]
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .annotations import Annotations as Annotations
    from .annotations import folds as folds
    from .annotations import split as split
    from .assignment import Assignment as Assignment
    from .assignment import assign as assign
    from .catalog import METHODS as METHODS
    from .catalog import method as method
    from .errors import ManyhandsError as ManyhandsError
    from .io import Blocks as Blocks
    from .io import read as read
    from .io import write as write
    from .metrics import agreement as agreement
    from .models import BSC as BSC
    from .models import CMM as CMM
    from .models import CRFMA as CRFMA
    from .models import EBCC as EBCC
    from .models import GLAD as GLAD
    from .models import IBCC as IBCC
    from .models import KOS as KOS
    from .models import LIA as LIA
    from .models import LIAML as LIAML
    from .models import MACE as MACE
    from .models import MALR as MALR
    from .models import MMCE as MMCE
    from .models import ClusteredAnnotators as ClusteredAnnotators
    from .models import CommonNoise as CommonNoise
    from .models import CoNAL as CoNAL
    from .models import CrowdClassifier as CrowdClassifier
    from .models import CrowdLayer as CrowdLayer
    from .models import CrowdLayerRegressor as CrowdLayerRegressor
    from .models import CrowdLayerTagger as CrowdLayerTagger
    from .models import CrowdRegressor as CrowdRegressor
    from .models import CrowdTagger as CrowdTagger
    from .models import DawidSkene as DawidSkene
    from .models import DeepEM as DeepEM
    from .models import DeepEMRegressor as DeepEMRegressor
    from .models import DoctorNet as DoctorNet
    from .models import DoctorNetRegressor as DoctorNetRegressor
    from .models import DoctorNetTagger as DoctorNetTagger
    from .models import HMMCrowd as HMMCrowd
    from .models import LabelModel as LabelModel
    from .models import MajorityVote as MajorityVote
    from .models import MaxMIG as MaxMIG
    from .models import Mean as Mean
    from .models import Median as Median
    from .models import OneCoin as OneCoin
    from .models import OneVsRest as OneVsRest
    from .models import OrdinalDawidSkene as OrdinalDawidSkene
    from .models import PersonalClassifiers as PersonalClassifiers
    from .models import PersonalGP as PersonalGP
    from .models import PrecisionWeighted as PrecisionWeighted
    from .models import Raykar as Raykar
    from .models import SemiLFC as SemiLFC
    from .models import SpeeLFC as SpeeLFC
    from .models import SpeeLFCD as SpeeLFCD
    from .models import ThresholdVote as ThresholdVote
    from .models import TraceRegularised as TraceRegularised
    from .models import TwoStage as TwoStage
    from .models import TwoStageRegressor as TwoStageRegressor
    from .models import Wawa as Wawa
    from .models import WeightedDoctorNet as WeightedDoctorNet
    from .models import WeightedDoctorNetRegressor as WeightedDoctorNetRegressor
    from .models import WeightedDoctorNetTagger as WeightedDoctorNetTagger
    from .models import ZenCrowd as ZenCrowd
    from .models import load as load
    from .reports import Report as Report
    from .reports import report as report
    from .results import Result as Result
    from .selection import Selection as Selection
    from .selection import select as select
    from .simulation import CROWDS as CROWDS
    from .simulation import Crowd as Crowd
    from .simulation import simulate as simulate
    from .simulation import simulate_blocks as simulate_blocks
    from .training import Checkpoint as Checkpoint
    from .training import CrowdLoss as CrowdLoss

__version__ = "0.1.0"

_MODELS = (
    "SemiLFC",
    "PersonalGP",
    "PersonalClassifiers",
    "WeightedDoctorNet",
    "DoctorNet",
    "CMM",
    "CRFMA",
    "CoNAL",
    "CrowdClassifier",
    "CrowdLayer",
    "CrowdRegressor",
    "TwoStageRegressor",
    "WeightedDoctorNetRegressor",
    "WeightedDoctorNetTagger",
    "DoctorNetRegressor",
    "DoctorNetTagger",
    "DeepEMRegressor",
    "CrowdLayerRegressor",
    "CrowdLayerTagger",
    "CrowdTagger",
    "DawidSkene",
    "DeepEM",
    "CommonNoise",
    "EBCC",
    "GLAD",
    "BSC",
    "IBCC",
    "HMMCrowd",
    "LIA",
    "LIAML",
    "MACE",
    "MajorityVote",
    "Mean",
    "Median",
    "OneCoin",
    "OneVsRest",
    "OrdinalDawidSkene",
    "PrecisionWeighted",
    "SpeeLFC",
    "SpeeLFCD",
    "ThresholdVote",
    "TwoStage",
    "MALR",
    "MaxMIG",
    "Raykar",
    "TraceRegularised",
    "Wawa",
    "ClusteredAnnotators",
    "KOS",
    "LabelModel",
    "MMCE",
    "ZenCrowd",
)
_ROOMS = (
    "annotations",
    "assignment",
    "channels",
    "distributed",
    "errors",
    "io",
    "metrics",
    "models",
    "networks",
    "reports",
    "results",
    "processes",
    "selection",
    "simulation",
)
_HOMES: dict[str, tuple[str, str]] = {
    "load": ("models", "load"),
    **{name: ("annotations", name) for name in ("Annotations", "folds", "split")},
    **{name: ("assignment", name) for name in ("Assignment", "assign")},
    **{name: ("catalog", name) for name in ("METHODS", "method")},
    **{name: ("errors", name) for name in ("ManyhandsError",)},
    **{name: ("io", name) for name in ("Blocks", "read", "write")},
    **{name: ("metrics", name) for name in ("agreement",)},
    **{name: ("models", name) for name in _MODELS},
    **{name: ("reports", name) for name in ("Report", "report")},
    **{name: ("results", name) for name in ("Result",)},
    **{name: ("selection", name) for name in ("Selection", "select")},
    **{name: ("simulation", name) for name in ("CROWDS", "Crowd", "simulate", "simulate_blocks")},
    **{name: ("training", name) for name in ("Checkpoint", "CrowdLoss")},
}

__all__ = [*sorted(_HOMES), "__version__"]


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f".{name}", __name__)
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    room, original = _HOMES[name]
    value = getattr(import_module(f".{room}", __name__), original)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
