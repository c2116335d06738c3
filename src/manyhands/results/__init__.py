"""What was learnt: truths, annotators, history. Needs no model; saved and loaded without pickle."""

from .copying import KINDS as COPYING_KINDS
from .evidence import AbilityEvidence, Evidence, NoEvidence, NumberEvidence, TableEvidence, WeightEvidence
from .explanation import Explanation
from .result import Result
from .saving import load_result, save_result

__all__ = [
    "COPYING_KINDS",
    "AbilityEvidence",
    "Evidence",
    "Explanation",
    "NoEvidence",
    "NumberEvidence",
    "Result",
    "TableEvidence",
    "WeightEvidence",
    "load_result",
    "save_result",
]
