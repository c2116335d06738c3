"""Whether the parts of a result belong together: asked of what comes from a stranger's folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..annotations import ABSTAINED, KINDS, NOT_ASKED
from .additive_evidence import AdditiveEvidence
from .chain_evidence import ChainEvidence
from .common_evidence import CommonEvidence
from .dirichlet_evidence import DirichletEvidence
from .evidence import AbilityEvidence, NumberEvidence, TableEvidence, WeightEvidence
from .group_evidence import GroupEvidence
from .ordinal_evidence import OrdinalEvidence
from .signed_weight_evidence import SignedWeightEvidence
from .subtype_evidence import SubtypeEvidence
from .threshold_evidence import ThresholdEvidence

if TYPE_CHECKING:
    from ..annotations import Annotations
    from .result import Result

__all__ = ["refuse_misfits"]

# A letter an axis: j annotators, k classes, l labels, u units, t thresholds; m, s, p as the evidence has them.
SHAPES: dict[type[Any], dict[str, str]] = {
    TableEvidence: {"log_rows": "jlk"},
    CommonEvidence: {"common": "kl", "share": "j"},
    DirichletEvidence: {"log_rows": "jlk", "confusions": "3jlk", "accuracies": "3j", "classes": "3k"},
    SubtypeEvidence: {"subtypes": "km", "log_states": "s", "log_rows": "jls", "mean_rows": "jls"},
    OrdinalEvidence: {
        "discrimination": "j", "shift": "j", "log_width": "j", "thresholds": "t", "places": "k", "size": "lk",
    },
    AdditiveEvidence: {"sigma": "jkk", "tau": "pk", "penalties": "2"},
    GroupEvidence: {"belonging": "jm", "log_matrices": "mlk"},
    AbilityEvidence: {"ability": "j", "log_easiness": "u", "typical": "2"},
    SignedWeightEvidence: {"given": "k", "weights": "j"},
    WeightEvidence: {"weights": "j"},
    NumberEvidence: {"bias": "j", "log_precision": "j", "gain": "j"},
    ChainEvidence: {"log_rows": "jmlk", "before": "jm", "first": "k", "step": "kk", "may_end": "k"},
}  # fmt: skip


def refuse_misfits(result: Result) -> None:
    """A ValueError that names the first part of wrong size, type or range.

    Codes index arrays in compiled code, so none may point outside.
    """
    labels = result.labels
    _expect("kind", labels.kind in KINDS, f"one of {', '.join(KINDS)}")
    _codes("labels.task", labels.task, 0, labels.n_tasks)
    _codes("labels.annotator", labels.annotator, 0, labels.n_annotators)
    _expect("labels.task", bool((np.diff(labels.task) >= 0).all()), "in ascending order")
    _expect("labels.annotator", len(labels.annotator) == len(labels.task), "as long as labels.task")
    _answers(labels)
    if labels.truth is not None:
        _shape("labels.truth", labels.truth, labels.n_units)
        if labels.kind != "number":
            _codes("labels.truth", labels.truth, -1, labels.n_classes)
    _posterior(result)
    _evidence(result)
    for name, part, kind in (("settings", result.settings, dict), ("history", result.history, list)):
        _expect(name, isinstance(part, kind), f"a {kind.__name__}")


def _answers(labels: Annotations) -> None:
    values, n, width = labels.answers.values, labels.n_answers, len(labels.classes or ())
    if labels.kind == "tags":
        starts, units = labels.answers.starts, labels.unit_starts
        assert starts is not None
        assert units is not None
        _offsets("labels.starts", starts, n, len(values))
        _offsets("labels.unit_starts", units, labels.n_tasks, labels.n_units)
        same = np.diff(starts) == np.diff(units)[labels.task]
        _expect("labels.starts", bool(same.all()), "one tag a token")
        n = len(values)
    if labels.kind in ("number", "soft"):
        _shape("labels.values", values, n, *((width,) if labels.kind == "soft" else ()))
        _expect("labels.values", values.dtype.kind == "f", "numbers")
        return
    _shape("labels.values", values, n, *((width,) if labels.kind == "set" else ()))
    _codes("labels.values", values, NOT_ASKED if labels.kind == "set" else ABSTAINED, labels.n_classes)


def _posterior(result: Result) -> None:
    labels = result.labels
    if labels.kind == "number":
        _shape("posterior.mean", result.numbers.mean, labels.n_units)
        _shape("posterior.sd", result.numbers.sd, labels.n_units)
    else:
        _shape("posterior.chances", result.chances, labels.n_units, labels.n_classes)


def _evidence(result: Result) -> None:
    labels, evidence = result.labels, result.evidence
    informs = result.abstention == "inform" and labels.kind != "soft"
    sizes = {"j": labels.n_annotators, "k": labels.n_classes, "l": labels.n_classes + informs}
    sizes |= {"u": labels.n_units, "t": labels.n_classes - 1, "2": 2, "3": 3, **_own_sizes(evidence)}
    for kind, shapes in SHAPES.items():
        for name, letters in shapes.items() if isinstance(evidence, kind) else ():
            _shape(f"evidence.{name}", getattr(evidence, name), *(sizes[letter] for letter in letters))
    log_truth = getattr(evidence, "log_truth", None)
    if log_truth is not None:
        a_unit = (labels.n_units,) if log_truth.ndim == 2 else ()
        _shape("evidence.log_truth", log_truth, *a_unit, labels.n_classes)
    if isinstance(evidence, NumberEvidence):
        a_unit = (labels.n_units,) if evidence.prior.ndim == 2 else ()
        _shape("evidence.prior", evidence.prior, *a_unit, 2)
    if isinstance(evidence, AdditiveEvidence):
        _codes("evidence.pair", evidence.pair, 0, labels.n_units * labels.n_classes)
    if isinstance(evidence, ChainEvidence):
        states = (1, sizes["l"] + 1)
        _expect("evidence.before", evidence.before.shape[-1] in states, "of one state, or one a label before")
    if isinstance(evidence, ThresholdEvidence):
        cut = evidence.thresholds
        _expect("evidence.thresholds", cut.shape in ((0,), (1,), (len(labels.classes or ()),)), "one a label")
        _expect("evidence.thresholds", bool(((cut > 0) & (cut < 1)).all()), "shares above 0 and below 1")


def _own_sizes(evidence: Any) -> dict[str, int]:
    """Sizes that the evidence alone knows: m groups, subtypes or states of mind, s states, p pairs."""
    if isinstance(evidence, SubtypeEvidence):
        _expect("evidence.subtypes", evidence.subtypes.ndim == 2, "a row a class")
        return {"m": evidence.subtypes.shape[1], "s": evidence.subtypes.size}
    if isinstance(evidence, GroupEvidence):
        return {"m": len(evidence.log_matrices)}
    if isinstance(evidence, ChainEvidence):
        return {"m": evidence.before.shape[-1]}
    return {"p": len(evidence.pair)} if isinstance(evidence, AdditiveEvidence) else {}


def _codes(name: str, values: np.ndarray, low: int, end: int) -> None:
    _expect(name, values.dtype.kind in "iub", "whole numbers")
    inside = not values.size or (values.min() >= low and values.max() < end)
    _expect(name, bool(inside), f"codes from {low} to {end - 1}")


def _offsets(name: str, starts: np.ndarray, n: int, total: int) -> None:
    _shape(name, starts, n + 1)
    rising = starts.dtype.kind in "iu" and starts[0] == 0 and starts[-1] == total
    _expect(name, bool(rising and (np.diff(starts) >= 0).all()), f"offsets from 0 to {total}")


def _shape(name: str, values: np.ndarray, *shape: int) -> None:
    _expect(name, values.shape == shape, f"of shape {shape}, not {values.shape}")


def _expect(name: str, holds: bool, what: str) -> None:
    if not holds:
        raise ValueError(f"{name} must be {what}")
