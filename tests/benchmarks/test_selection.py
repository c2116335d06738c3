"""Regrets of rules: by hand on a simulated crowd, and the choice of a rule that leaves its crowd out."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.selection import RULES, regrets, summary

import manyhands as mh


def test_regret_is_what_the_best_method_has_more() -> None:
    crowd = mh.simulate("spammers", n_tasks=150, n_annotators=15, redundancy=4, seed=0)
    chosen = mh.select(crowd.labels, methods=["mace", "wawa", "one-coin"], folds=2)
    truth = np.asarray(crowd.truth)
    found = regrets(chosen, truth)
    right = {
        name: float((chosen.models[name].predict() == truth).mean()) for name in ("mace", "wawa", "one-coin")
    }
    assert found["accuracy"] == pytest.approx(max(right.values()), abs=0.01)  # ties are shared there
    assert found["pick"] == pytest.approx(found[f"always {chosen.pick}"])
    assert found["likeliest"] == pytest.approx(found[f"always {chosen.methods[0].name}"])
    assert min(found[f"always {name}"] for name in right) == 0


def test_a_rule_is_chosen_on_the_other_crowds() -> None:
    """The stack is best on two crowds and worst on the third: there the others would have chosen it."""
    lost = {"pick": (0.02, 0.02, 0.0), "stack": (0.0, 0.0, 0.3)}
    rows = [
        {"crowd": f"c{i}", **dict.fromkeys(RULES, 1.0), **{rule: lost[rule][i] for rule in lost}}
        for i in range(3)
    ]
    table = {row["rule"]: row for row in summary(rows)}
    assert table["best of five elsewhere"]["mean regret"] == pytest.approx((0.02 + 0.02 + 0.3) / 3)
    assert table["stack"]["worst"] == 0.3
    assert table["stack"]["there"] == "c2"
    assert table["stack"]["within 0.005"] == 2
