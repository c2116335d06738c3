"""Labels of a set that were not asked about, and one label alone."""

from __future__ import annotations

import numpy as np
import pytest

import manyhands as mh
from manyhands import Annotations
from manyhands.annotations import NOT_ASKED
from manyhands.channels import votes_of
from manyhands.errors import LabelError, UnknownClassError, UnsupportedError

ANSWERS = {
    "t0": {"ann": {"a": True, "b": False}, "bob": {"a", "c"}},
    "t1": {"ann": {"c": None, "a": True}, "bob": None, "cid": {"b": True}},
}


def table(**options: object) -> Annotations:
    return Annotations.from_dict(ANSWERS, kind="set", classes=["a", "b", "c"], missing="abstain", **options)  # type: ignore[arg-type]


def test_they_have_no_vote() -> None:
    labels = table()
    assert labels.answers.values.tolist() == [[1, 0, -2], [1, 0, 1], [1, -2, -1], [-1, -1, -1], [-2, 1, -2]]
    votes = votes_of(labels)
    said = list(zip(votes.unit.tolist(), votes.annotator.tolist(), votes.label.tolist(), strict=True))
    assert sorted(said) == [(0, 0, 1), (0, 1, 1), (1, 0, 0), (1, 1, 0), (2, 1, 1), (3, 0, 1), (4, 2, 1)]
    informed = votes_of(labels, "inform")
    assert (informed.label == 2).sum() == 4  # ann of c, and bob of all three: who was asked and could not say
    assert len(informed.unit) == 11
    shares = mh.MajorityVote().fit(labels).result_.chances[:, 1]
    assert shares.tolist() == [1.0, 0.0, 1.0, 1.0, 1.0, 0.5]


def test_as_they_were_given() -> None:
    labels = table()
    assert labels.to_frame()["label"].to_list() == [
        {"a": True, "b": False}, ["a", "c"], {"a": True, "c": None}, None, {"b": True}
    ]  # fmt: skip
    again = Annotations.from_frame(labels.to_frame(), kind="set", classes=["a", "b", "c"], missing="abstain")
    assert again.equals(labels)
    assert labels.summary().abstentions == 1
    assert labels.summary().classes == {"a": 3, "b": 1, "c": 1}


def test_tables_joined_slices_and_folders(tmp_path: object) -> None:
    labels = table()
    more = Annotations.from_dict({"t2": {"ann": {"d"}, "bob": {"d": False}}}, kind="set", classes=["d"])
    whole = Annotations.concat([labels, more])
    assert whole.answers.values.tolist() == [
        [1, 0, -2, -2], [1, 0, 1, 0], [1, -2, -1, -2], [-1] * 4, [-2, 1, -2, -2], [0, 0, 0, 1], [0, 0, 0, 0]
    ]  # fmt: skip
    assert labels[1:].answers.values.tolist() == labels.answers.values[2:].tolist()
    result = mh.DawidSkene().fit(labels).result_
    assert mh.load(result.save(tmp_path)).labels.equals(labels)  # type: ignore[arg-type]


def test_what_is_wrong_is_named() -> None:
    with pytest.raises(UnknownClassError, match="'z'"):
        Annotations.from_dict({"t": {"ann": {"z": False}}}, kind="set", classes=["a"])
    with pytest.raises(LabelError, match="has an empty label"):
        Annotations.from_dict({"t": {"ann": {}}}, kind="set", classes=["a"])


def test_one_label_alone() -> None:
    labels = table(truth={"t0": {"a": True}, "t1": ["b"]})
    one = labels.of_label("a")
    assert (one.kind, one.classes.to_list()) == ("class", [False, True])  # type: ignore[union-attr]
    assert one.answers.values.tolist() == [1, 1, 1, -1]
    assert one.annotator.tolist() == [0, 1, 0, 1]
    assert one.truth.tolist() == [1, 0]  # type: ignore[union-attr]
    assert labels.of_label("c").truth.tolist() == [-1, 0]  # type: ignore[union-attr]
    assert (labels.answers.values == NOT_ASKED).sum() == 4
    with pytest.raises(LabelError, match=r"no label 'z'; the labels are \['a', 'b', 'c'\]"):
        labels.of_label("z")
    with pytest.raises(UnsupportedError, match="of_label is for sets"):
        one.of_label("a")


def test_labels_one_by_one_are_the_votes_of_all() -> None:
    crowd = mh.simulate("sets", n_tasks=40, n_annotators=5, n_classes=3, redundancy=2, seed=0)
    votes, unit, label = votes_of(crowd.labels), [], []
    for k in range(3):
        own = votes_of(crowd.labels.of_label(k))
        unit.append(own.unit * 3 + k)
        label.append(own.label)
    order = np.argsort(np.concatenate(unit), kind="stable")
    np.testing.assert_array_equal(np.concatenate(unit)[order], votes.unit)
    np.testing.assert_array_equal(np.concatenate(label)[order], votes.label)
