"""Consensus and tasks as tables, of every kind of label."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import manyhands as mh
from manyhands import Annotations
from manyhands.errors import UnsupportedError


def test_classes() -> None:
    table = Annotations.from_dict({"t": {"ann": "x", "bob": "y", "cid": "x"}, "u": {}, "v": {"ann": "y"}})
    frame = mh.MajorityVote().fit(table).result_.tasks()
    assert frame.columns == ["task", "label", "confidence", "n", "agreement", "entropy"]
    assert frame["task"].to_list() == ["t", "u", "v"]
    assert frame["label"].to_list() == ["x", None, "y"]
    assert frame["confidence"].to_list() == pytest.approx([2 / 3, 1 / 2, 1])
    assert frame["n"].to_list() == [3, 0, 1]
    assert frame["agreement"].to_list()[::2] == pytest.approx([2 / 3, 1])
    assert frame["agreement"][1] is None
    entropy = -(2 / 3 * math.log(2 / 3) + 1 / 3 * math.log(1 / 3))
    assert frame["entropy"].to_list() == pytest.approx([entropy, math.log(2), 0], abs=1e-6)


def test_tags_and_sets_are_written_as_they_were_given() -> None:
    tags = {"s": {"ann": ["O", "B"], "bob": ["O", "B"], "cid": ["B", "B"]}, "e": {}}
    frame = mh.MajorityVote().fit(Annotations.from_dict(tags)).result_.tasks()
    assert frame["label"].to_list() == [["O", "B"], None]
    assert frame["confidence"][0] == pytest.approx((2 / 3 + 1) / 2)
    assert frame["agreement"][0] == pytest.approx((2 / 3 + 1) / 2)
    sets = {"p": {"ann": {"cat"}, "bob": {"cat", "dog"}, "cid": set()}, "q": {"ann": set()}, "r": {}}
    frame = mh.MajorityVote().fit(Annotations.from_dict(sets, kind="set")).result_.tasks()
    assert frame["label"].to_list() == [["cat"], [], None]
    assert frame["confidence"].to_list()[:2] == pytest.approx([2 / 3, 1])


def test_soft_labels_average() -> None:
    soft = {"t": {"a": {"no": 0.9, "yes": 0.1}, "b": {"no": 0.3, "yes": 0.7}}}
    result = mh.MajorityVote().fit(Annotations.from_dict(soft)).result_
    assert result.chances[0].tolist() == pytest.approx([0.6, 0.4])
    assert result.consensus()["label"].to_list() == ["no"]


def test_numbers() -> None:
    table = Annotations.from_matrix([[1.0, 3.0, np.nan], [5.5, np.nan, np.nan], [np.nan] * 3], kind="number")
    frame = mh.Mean().fit(table).result_.tasks()
    assert frame.columns == ["task", "label", "sd", "low", "high", "n", "spread"]
    assert frame["label"].to_list() == [2.0, 5.5, None]
    assert frame["spread"].to_list() == [pytest.approx(2**0.5), None, None]
    # One degree of freedom in all: a deviation of sqrt(2), and its error by the root of the count.
    assert frame["sd"].to_list() == [pytest.approx(1.0), pytest.approx(2**0.5), None]
    result = mh.Median().fit(table).result_
    with pytest.raises(UnsupportedError, match="consensus"):
        _ = result.chances
    with pytest.raises(UnsupportedError, match="consensus"):
        _ = mh.MajorityVote().fit(Annotations.from_matrix([[0, 1]])).result_.numbers


def test_to_dict_is_plain_data() -> None:
    table = Annotations.from_matrix([[0, 1], [1, 1]])
    models = (mh.MajorityVote(), mh.DawidSkene(class_prior=(0.5, 0.5), callback=print), mh.GLAD(n_init=2))
    for model in models:
        data = model.fit(table).result_.to_dict()
        back = json.loads(json.dumps(data, allow_nan=False))
        assert (back["tasks"], back["annotators"], back["answers"]) == (2, 2, 4)
        assert back["iterations"] == len(model.result_.history)
        assert "callback" not in back["settings"] or back["settings"]["callback"] is None


def test_a_result_is_frozen_and_shows_what_it_is() -> None:
    result = mh.MajorityVote().fit(Annotations.from_matrix([[0, 1]])).result_
    with pytest.raises(AttributeError):
        result.method = "else"
    assert repr(result).startswith("Result(method='majority', Annotations(kind='class'")
