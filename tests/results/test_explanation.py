"""An explanation adds up to the label's log-odds, and says who said what."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import manyhands as mh
from manyhands import Annotations
from manyhands.catalog import METHODS
from manyhands.errors import ParameterError

MULTIPLY = ("dawid-skene", "dawid-skene-map", "one-coin", "mace", "glad")


def _matrix(seed: int, k: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, 60)
    said = np.where(rng.random((60, 6)) < 0.7, truth[:, None], rng.integers(0, k, (60, 6)))
    return np.where(rng.random((60, 6)) < 0.6, said, -1)


@pytest.mark.filterwarnings("ignore::manyhands.errors.ConvergenceWarning")
@pytest.mark.parametrize("prior", [None, "uniform", [0.2, 0.5, 0.3]], ids=str)
@pytest.mark.parametrize("name", MULTIPLY)
def test_prior_and_weights_are_the_log_odds(name: str, prior: object) -> None:
    table = Annotations.from_matrix(_matrix(0, 3), classes=[0, 1, 2])
    model = METHODS[name].make()
    model.set_params(**({} if prior is None else {"class_prior": prior}))
    if "dtype" in model.get_params():
        model.set_params(dtype="float64")
    result = model.fit(table).result_
    for task in range(60):
        why, chances = result.explain(task), result.chances[task]
        order = np.argsort(-chances, kind="stable")
        assert (why.label, why.rival) == (order[0], order[1])
        odds = math.log(chances[order[0]] / chances[order[1]])
        assert why.prior + sum(vote.weight for vote in why.votes) == pytest.approx(odds, rel=1e-9, abs=1e-9)
        assert {(v.annotator, v.label) for v in why.votes} == {
            (j, said) for j, said in enumerate(_matrix(0, 3)[task]) if said >= 0
        }
        weights = [abs(vote.weight) for vote in why.votes]
        assert weights == sorted(weights, reverse=True)


def test_soft_votes_weigh_by_their_share() -> None:
    rng = np.random.default_rng(1)
    soft = {f"t{i}": {f"j{j}": dict(zip("xy", rng.dirichlet([2, 1]).tolist(), strict=True)) for j in range(4)}
            for i in range(20)}  # fmt: skip
    result = mh.DawidSkene(dtype="float64", max_iter=300).fit(Annotations.from_dict(soft)).result_
    for i, task in enumerate(soft):
        why, chance = result.explain(task), np.sort(result.chances[i])
        assert why.prior + sum(v.weight for v in why.votes) == pytest.approx(
            math.log(chance[1] / chance[0]), rel=1e-6
        )


def test_abstentions_weigh_where_they_inform() -> None:
    answers = {
        f"t{i}": {"ann": "xy"[i % 2], "bob": "xy"[i % 2], "cid": "x" if i % 2 == 0 else None}
        for i in range(20)
    }
    table = Annotations.from_dict(answers, missing="abstain")
    why = mh.DawidSkene(abstention="inform").fit(table).result_.explain("t1")
    weight = {vote.annotator: (vote.label, vote.weight) for vote in why.votes}
    assert why.label == "y"
    assert weight["cid"][0] is None
    assert weight["cid"][1] > 1  # silence means y
    ignored = mh.DawidSkene().fit(table).result_.explain("t1")
    assert {vote.annotator for vote in ignored.votes} == {"ann", "bob"}


def test_counted_votes_count() -> None:
    table = Annotations.from_dict({"t": {"ann": "x", "bob": "y", "cid": "x"}, "u": {"ann": "x", "cid": "x"}})
    plain = mh.MajorityVote().fit(table).result_.explain("t")
    assert plain.unit_of_weight == "votes"
    assert [(v.annotator, v.weight) for v in plain.votes] == [("ann", 1.0), ("bob", 1.0), ("cid", 1.0)]
    weighted = mh.Wawa().fit(table).result_.explain("t")
    assert {v.annotator: v.weight for v in weighted.votes} == {"ann": 1.0, "cid": 1.0, "bob": 0.0}


def test_numbers_share_the_mean() -> None:
    table = Annotations.from_matrix(
        np.random.default_rng(0).normal(size=(30, 3)) * [0.1, 1, 3], kind="number"
    )
    result = mh.PrecisionWeighted().fit(table).result_
    why = result.explain(4)
    assert sum(v.weight for v in why.votes) == pytest.approx(1)
    assert [v.annotator for v in why.votes] == [0, 1, 2]
    assert why.label == result.numbers.mean[4]


def test_positions_of_tags_and_sets() -> None:
    table = Annotations.from_dict({"s": {"ann": ["O", "B", "O"], "bob": ["O", "O", "O"]}})
    result = mh.MajorityVote().fit(table).result_
    assert result.explain("s").position == 1  # the one in most doubt
    assert [v.label for v in result.explain("s", 1).votes] == ["B", "O"]
    for position in (-1, 3):
        with pytest.raises(ParameterError, match=f"position={position}.* 0 to 2"):
            result.explain("s", position)


def test_words_and_plain_data() -> None:
    table = Annotations.from_dict({"t": {"ann": "x", "bob": "y", "cid": "x"}, "u": {"ann": "y", "bob": "y"}})
    why = mh.DawidSkene(right=2.0, wrong=1.0).fit(table).result_.explain("t")
    text = str(why)
    assert text.startswith("task 't': ")
    assert all(name in text for name in ("'ann' said 'x'", "'bob' said 'y'", "in log-odds"))
    assert json.loads(json.dumps(why.to_dict()))["votes"][0].keys() == {"annotator", "label", "weight"}
    with pytest.raises(ParameterError, match=r"no task 'v'.*'t'"):
        mh.MajorityVote().fit(table).result_.explain("v")
