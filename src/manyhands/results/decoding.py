"""From chances of tags to sequences that may be: no I- without its B-."""

from __future__ import annotations

import numpy as np

from ..annotations import Annotations
from ..annotations.scheme import Scheme

__all__ = ["legal_tags"]

NEVER = -1e6  # the gain of a step that may not be; chances gain at most one a token


def legal_tags(
    chances: np.ndarray, labels: Annotations, starts: np.ndarray | None = None
) -> np.ndarray | None:
    """The legal tags with the most tokens right, as expected; None where any tag may follow any.

    starts: where sentences start; by default those of the table.

    >>> from manyhands import Annotations
    >>> labels = Annotations.from_dict({"s": {"ann": ["O", "I-X"], "bob": ["B-X", "I-X"], "cid": ["O", "O"]}})
    >>> chances = np.array([[0.4, 0.0, 0.6], [0.0, 0.7, 0.3]])
    >>> [labels.classes[code] for code in legal_tags(chances, labels)]
    ['B-X', 'I-X']
    """
    scheme = Scheme.of(labels.classes or ()) if labels.kind == "tags" else None
    if scheme is None or (scheme.allowed.all() and scheme.may_start.all()):
        return None
    import torch

    from ..objectives.chain import Layout, best_paths

    never = (torch.from_numpy(np.where(may, 0.0, NEVER)) for may in (scheme.may_start, scheme.allowed))
    gains, layout = (
        torch.from_numpy(chances.astype(np.float64)),
        Layout(labels.unit_offsets if starts is None else starts),
    )
    gains[layout.last] += torch.from_numpy(np.where(scheme.may_end, 0.0, NEVER))
    path: np.ndarray = best_paths(gains, layout, *never).numpy()
    return path
