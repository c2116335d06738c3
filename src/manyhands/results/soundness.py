"""Whether the parts of a result belong together: asked of what comes from a stranger's folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..annotations import ABSTAINED, KINDS, NOT_ASKED
from .additive_evidence import AdditiveEvidence
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
    r, k = labels.n_annotators, labels.n_classes
    n_labels = k + (result.abstention == "inform" and labels.kind != "soft")
    if isinstance(evidence, (TableEvidence, DirichletEvidence)):
        _shape("evidence.log_rows", evidence.log_rows, r, n_labels, k)
    if isinstance(evidence, CommonEvidence):
        _shape("evidence.common", evidence.common, k, n_labels)
        _shape("evidence.share", evidence.share, r)
    if isinstance(evidence, DirichletEvidence):
        _shape("evidence.confusions", evidence.confusions, 3, r, n_labels, k)
        _shape("evidence.accuracies", evidence.accuracies, 3, r)
        _shape("evidence.classes", evidence.classes, 3, k)
    if isinstance(evidence, SubtypeEvidence):
        _expect("evidence.subtypes", evidence.subtypes.ndim == 2, "a row a class")
        _shape("evidence.subtypes", evidence.subtypes, k, evidence.subtypes.shape[1])
        _shape("evidence.log_states", evidence.log_states, evidence.subtypes.size)
        for name in ("log_rows", "mean_rows"):
            _shape(f"evidence.{name}", getattr(evidence, name), r, n_labels, evidence.subtypes.size)
    if isinstance(evidence, OrdinalEvidence):
        for name in ("discrimination", "shift", "log_width"):
            _shape(f"evidence.{name}", getattr(evidence, name), r)
        _shape("evidence.thresholds", evidence.thresholds, k - 1)
        _shape("evidence.places", evidence.places, k)
        _shape("evidence.size", evidence.size, k + (result.abstention == "inform"), k)
    if isinstance(evidence, AdditiveEvidence):
        _shape("evidence.sigma", evidence.sigma, r, k, k)
        _codes("evidence.pair", evidence.pair, 0, labels.n_units * k)
        _shape("evidence.tau", evidence.tau, len(evidence.pair), k)
        _shape("evidence.penalties", evidence.penalties, 2)
        _shape("evidence.log_truth", evidence.log_truth, k)
    if isinstance(evidence, GroupEvidence):
        n_groups, n_labels = len(evidence.log_matrices), k + (result.abstention == "inform")
        _shape("evidence.belonging", evidence.belonging, r, n_groups)
        _shape("evidence.log_matrices", evidence.log_matrices, n_groups, n_labels, k)
        _shape("evidence.log_truth", evidence.log_truth, k)
    if isinstance(evidence, ThresholdEvidence):
        cut = evidence.thresholds
        _expect("evidence.thresholds", cut.shape in ((0,), (1,), (len(labels.classes or ()),)), "one a label")
        _expect("evidence.thresholds", bool(((cut > 0) & (cut < 1)).all()), "shares above 0 and below 1")
    if isinstance(evidence, AbilityEvidence):
        _shape("evidence.ability", evidence.ability, r)
        _shape("evidence.log_easiness", evidence.log_easiness, labels.n_units)
        _shape("evidence.typical", evidence.typical, 2)
    if isinstance(evidence, (TableEvidence, AbilityEvidence, OrdinalEvidence, DirichletEvidence)):
        a_unit = (labels.n_units,) if evidence.log_truth.ndim == 2 else ()
        _shape("evidence.log_truth", evidence.log_truth, *a_unit, k)
    if isinstance(evidence, SignedWeightEvidence):
        _shape("evidence.given", evidence.given, k)
    if isinstance(evidence, (WeightEvidence, SignedWeightEvidence)):
        _shape("evidence.weights", evidence.weights, r)
    if isinstance(evidence, NumberEvidence):
        _shape("evidence.bias", evidence.bias, r)
        _shape("evidence.log_precision", evidence.log_precision, r)
        _shape("evidence.gain", evidence.gain, r)
        _shape("evidence.prior", evidence.prior, *((labels.n_units,) if evidence.prior.ndim == 2 else ()), 2)


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
