"""What the default method makes of a table: some oddities are only seen against a consensus."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from ...errors import ConvergenceWarning

if TYPE_CHECKING:
    from ...annotations import Annotations
    from ...results import Result

__all__ = ["believed"]

CLASSES = 50


def believed(labels: Annotations) -> Result | None:
    """Without the known truths, which may be what is odd; None where there is nothing to see in it.

    >>> from manyhands import Annotations
    >>> believed(Annotations.from_dict({"t": {"ann": "x", "bob": "y"}})).method
    'dawid-skene'
    """
    from ...annotations.moments import moment_column
    from ...catalog import default_method
    from ...results import COPYING_KINDS

    if labels.kind not in COPYING_KINDS and moment_column(labels) is None:
        return None
    if not labels.n_answers or (labels.kind != "number" and not 1 < labels.n_classes <= CLASSES):
        return None
    model = default_method(labels.kind).make()
    if "use_truth" in model.get_params():
        model.set_params(use_truth=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        result: Result = model.fit(labels).result_
    return result
