"""What is said of rows that are written by hand."""

from __future__ import annotations

from typing import Any

from manyhands.selection.judged import Judged
from manyhands.selection.verdict import verdict


def row(name: str, **given: Any) -> Judged:
    plain = {"heldout_log_likelihood": -0.5, "se": 0.01, "behind": 0.1, "behind_se": 0.001, "calibration": 0.0,
             "weight": 0.0, "differs": 0.0, "doubt": 0.05, "seconds": 1.0}  # fmt: skip
    return Judged(name, **(plain | given))


def said(rival: Judged, is_number: bool = False, tellable: bool = True) -> Any:
    return verdict([row("a", weight=0.6, behind=0.0), rival], "a", is_number, tellable)


def test_methods_that_agree_are_trusted() -> None:
    found = said(row("b", weight=0.4, differs=0.01))
    assert found.trust
    assert "hardly matters" in found.advice


def test_disagreement_beyond_their_doubts_is_not() -> None:
    found = said(row("b", weight=0.4, differs=0.08, doubt=0.01))
    assert not found.trust
    assert (found.rival, found.disagreement) == ("b", 0.08)
    assert "at least one is wrong about itself" in found.advice
    assert said(row("b", weight=0.4, differs=0.08, doubt=0.04)).trust


def test_a_tenth_is_too_much_whatever_they_say() -> None:
    found = said(row("b", weight=0.4, differs=0.11, doubt=0.3))
    assert not found.trust
    assert "wrong about itself" not in found.advice


def test_who_has_no_say_is_not_asked() -> None:
    far = row("b", weight=0.01, differs=0.5)
    found = verdict([row("a", weight=0.99, behind=0.0), far], "a", False, True)
    assert found.trust
    assert found.leaders == ("a",)
    level = row("b", weight=0.01, differs=0.5, behind=0.001, behind_se=0.001)
    assert verdict([row("a", weight=0.99, behind=0.0), level], "a", False, True).leaders == ("a", "b")


def test_numbers_and_single_answers() -> None:
    assert not said(row("b", weight=0.4, differs=0.2), is_number=True).trust
    assert said(row("b", weight=0.4, differs=0.05), is_number=True).trust
    assert not said(row("b", weight=0.4), tellable=False).trust


def test_the_reason_says_which_is_likelier() -> None:
    rows = [row("b", weight=0.4, behind=0.0), row("a", weight=0.6, behind=0.02, behind_se=0.005)]
    assert (
        "of single methods b does, by 0.0200 an answer (s.e. 0.0050)" in verdict(rows, "a", False, True).why
    )
    assert "hidden answers are likeliest by it (by a, the next" in verdict(rows, "b", False, True).why
