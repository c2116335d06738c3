"""How far people agree, in the words of people."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ...metrics import Agreement, Figure

__all__ = ["AgreementRow", "agreement_rows", "headline"]

NAMES = {
    "percentage": (
        "observed agreement",
        "of two labels of one task, how often both are the same; chance is not taken off",
    ),
    "alpha_nominal": ("Krippendorff's alpha", "1: always; 0: no more than by chance"),
    "alpha_ordinal": ("Krippendorff's alpha, ordinal", "classes far apart count as worse"),
    "alpha_interval": (
        "Krippendorff's alpha, interval",
        "by squared distance; 1: always, 0: no more than by chance",
    ),
    "fleiss_kappa": ("Fleiss' kappa", "beyond chance, with one habit for all"),
    "gwet_ac1": ("Gwet's AC1", "beyond chance; steady where one class is rare"),
    "cohen_kappa": ("Cohen's kappa", "the mean over pairs of annotators with tasks in common"),
    "correlation": ("correlation", "the mean over pairs of annotators with tasks in common"),
}
HEADLINES = ("alpha_nominal", "alpha_interval", "percentage")


@dataclass(frozen=True)
class AgreementRow:
    """A figure with its interval; None where it cannot be said. n: what it rests on."""

    title: str
    says: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    note: str


def agreement_rows(agreed: Agreement) -> tuple[AgreementRow, ...]:
    """Every figure of the kind.

    >>> from manyhands import Annotations, agreement
    >>> labels = Annotations.from_matrix([[0, 0, 0], [1, 1, 0], [0, 1, 1], [1, 1, 1], [0, 0, 0]])
    >>> agreement_rows(agreement(labels))[1].title
    "Krippendorff's alpha"
    """
    return tuple(_row(figure) for figure in agreed.figures)


def headline(agreed: Agreement) -> AgreementRow | None:
    """The one figure to show first: alpha, or what there is in its place."""
    named = {figure.name: figure for figure in agreed.figures}
    return next((_row(named[name]) for name in HEADLINES if name in named), None)


def _row(figure: Figure) -> AgreementRow:
    title, says = NAMES.get(figure.name, (figure.name.replace("_", " "), ""))
    value, low, high = (None if math.isnan(v) else float(v) for v in (figure.value, figure.low, figure.high))
    return AgreementRow(title, says, value, low, high, figure.n, figure.note)
