"""Results to a folder and back: JSON and safetensors, nothing pickled."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np

from ..annotations import Annotations, Answers, Names
from ..errors import FormatError, UnsupportedError
from ..io.folder import read_folder, write_folder
from .additive_evidence import AdditiveEvidence
from .chain_evidence import ChainEvidence
from .common_evidence import CommonEvidence
from .dirichlet_evidence import DirichletEvidence
from .evidence import EVIDENCE
from .group_evidence import GroupEvidence
from .label_evidence import LabelEvidence
from .ordinal_evidence import OrdinalEvidence
from .posterior import ClassPosterior, NumberPosterior, Posterior
from .result import Result
from .signed_weight_evidence import SignedWeightEvidence
from .soundness import refuse_misfits
from .subtype_evidence import SubtypeEvidence
from .threshold_evidence import ThresholdEvidence

__all__ = ["load_result", "save_result"]

FORMAT = "manyhands-result"
KINDS = EVIDENCE | {
    kind.name: kind
    for kind in (
        AdditiveEvidence,
        ChainEvidence,
        CommonEvidence,
        DirichletEvidence,
        GroupEvidence,
        OrdinalEvidence,
        SignedWeightEvidence,
        SubtypeEvidence,
        ThresholdEvidence,
    )
}
NAMED = ("tasks", "annotators", "classes")


def save_result(result: Result, path: str | Path) -> Path:
    """Write a result; a reader sees the old one or the new one, whole."""
    if isinstance(result.evidence, LabelEvidence):
        raise UnsupportedError(
            "this result has a model a label: save each by itself, model.estimators_[label].result_.save(path)"
        )
    names = {what: _pack_names(getattr(result.labels, what), what) for what in NAMED}
    arrays = _label_arrays(result.labels) | _posterior_arrays(result.posterior)
    arrays |= {f"names.{what}": packed for what, packed in names.items() if isinstance(packed, np.ndarray)}
    arrays |= {f"evidence.{k}": v for k, v in _fields(result.evidence).items() if isinstance(v, np.ndarray)}
    texts = {what: packed for what, packed in names.items() if isinstance(packed, list)}
    meta = {
        "kind": result.labels.kind,
        "sizes": {what: len(getattr(result.labels, what) or ()) for what in NAMED},
        "columns": list(result.labels.columns),
        "evidence": result.evidence.name,
        "rules": {k: v for k, v in _fields(result.evidence).items() if isinstance(v, str)},
        **{name: getattr(result, name) for name in ("method", "settings", "history", "converged")},
    }
    write_folder(Path(path), arrays, texts, {"what": FORMAT, **json.loads(json.dumps(meta, default=str))})
    return Path(path)


def load_result(path: str | Path) -> Result:
    """Open a saved result; no code of the folder's writer runs."""
    arrays, texts, meta = read_folder(Path(path))
    if meta.get("what") != FORMAT:
        raise FormatError(
            f"holds a {meta.get('what')!r}, not a result: open it with the tool that wrote it", path
        )
    try:
        result = _result(arrays, texts, meta)
        refuse_misfits(result)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise FormatError(f"is not a whole result ({error}): save it again", path) from error
    return result


def _result(arrays: dict[str, np.ndarray], texts: dict[str, list[str]], meta: dict[str, Any]) -> Result:
    fields = {key.removeprefix("evidence."): v for key, v in arrays.items() if key.startswith("evidence.")}
    evidence = KINDS[meta["evidence"]](**fields, **meta["rules"])
    return Result(
        meta["method"], _labels(arrays, texts, meta), _posterior(arrays), evidence,
        meta["settings"], meta["history"], meta["converged"],
    )  # fmt: skip


def _pack_names(names: Names | None, what: str) -> np.ndarray | list[str] | None:
    """Integers as an array, text as text; plain codes as nothing but their number."""
    if names is None or names.are_codes:
        return None
    values = names.to_list()
    for kind, pack in ((bool, np.array), (int, np.array), (str, list), (float, np.array)):
        if all(type(v) is kind for v in values):
            return pack(values)  # type: ignore[operator, no-any-return]
    odd = next(v for v in values if type(v) not in (bool, int, str, float))
    raise UnsupportedError(f"{what} such as {odd!r} cannot be saved: name them by text or integers")


def _names(
    what: str, arrays: dict[str, np.ndarray], texts: dict[str, list[str]], meta: dict[str, Any]
) -> Names:
    if what in texts:
        return Names(texts[what], what)
    if f"names.{what}" in arrays:
        return Names(arrays[f"names.{what}"].tolist(), what)
    return Names.range(int(meta["sizes"][what]))


def _label_arrays(labels: Annotations) -> dict[str, np.ndarray]:
    optional = {
        "labels.starts": labels.answers.starts,
        "labels.unit_starts": labels.unit_starts,
        "labels.truth": labels.truth,
        "labels.annotator_features": labels.annotator_features,
    }
    columns = {
        f"column.{name}": values for name, values in labels.columns.items() if values.dtype.kind in "iufb"
    }
    given = {
        "labels.task": labels.task,
        "labels.annotator": labels.annotator,
        "labels.values": labels.answers.values,
    }
    return given | columns | {name: array for name, array in optional.items() if array is not None}


def _labels(arrays: dict[str, np.ndarray], texts: dict[str, list[str]], meta: dict[str, Any]) -> Annotations:
    classes = None if meta["kind"] == "number" else _names("classes", arrays, texts, meta)
    return Annotations(
        meta["kind"],
        _names("tasks", arrays, texts, meta),
        _names("annotators", arrays, texts, meta),
        arrays["labels.task"],
        arrays["labels.annotator"],
        Answers(arrays["labels.values"], classes, np.empty(0, dtype=np.int64), arrays.get("labels.starts")),
        arrays.get("labels.unit_starts"),
        arrays.get("labels.truth"),
        arrays.get("labels.annotator_features"),
        {name: arrays[f"column.{name}"] for name in meta["columns"] if f"column.{name}" in arrays},
    )


def _posterior_arrays(posterior: Posterior) -> dict[str, np.ndarray]:
    if isinstance(posterior, ClassPosterior):
        return {"posterior.chances": posterior.chances}
    return {"posterior.mean": posterior.mean, "posterior.sd": posterior.sd}


def _posterior(arrays: dict[str, np.ndarray]) -> Posterior:
    if "posterior.chances" in arrays:
        return ClassPosterior(arrays["posterior.chances"])
    return NumberPosterior(arrays["posterior.mean"], arrays["posterior.sd"])


def _fields(evidence: Any) -> dict[str, Any]:
    return {f.name: getattr(evidence, f.name) for f in dataclasses.fields(evidence)}
