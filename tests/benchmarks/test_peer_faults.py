"""Questions that the peer gets wrong, with the answer by hand or closed form."""

from __future__ import annotations

import pytest
from benchmarks.peer_faults import FAULTS, nan_refused
from benchmarks.peers import NEEDED, ask, peer_python


@pytest.mark.filterwarnings("ignore::manyhands.errors.ConvergenceWarning")
@pytest.mark.parametrize("name", FAULTS)
def test_ours_is_right(name: str) -> None:
    assert FAULTS[name].ours() == FAULTS[name].right()


def test_a_missing_label_is_refused_with_its_row() -> None:
    assert nan_refused() == "error: row 150"


@pytest.mark.slow
def test_the_peer_is_still_wrong() -> None:
    if peer_python() is None:
        pytest.skip(NEEDED)
    theirs = ask("faults", 120.0)
    wrong = {name for name, fault in FAULTS.items() if theirs[name] != fault.right()}
    assert wrong == set(FAULTS) - {"nan-ds"}
