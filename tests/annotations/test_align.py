import numpy as np
import pandas as pd
import polars as pl
import pytest

from manyhands.annotations import Annotations
from manyhands.errors import LabelError, MissingLabelError, ParameterError

from .crowds import KINDS, answers, build


@pytest.mark.parametrize("kind", KINDS)
def test_align(kind):
    table = build(kind)
    ids = ["t3", "new", "t1", "t4", "t2"]
    aligned = table.align(ids)
    assert aligned.tasks.to_list() == ids
    assert answers(aligned) == [row for name in ids for row in answers(table) if row[0] == name]
    known = dict(zip(table.tasks, table.truths(), strict=True))
    assert aligned.truths() == [known.get(name) for name in ids]
    assert aligned.align(["t1", "t2", "t3", "t4"], extra="drop").equals(table)


@pytest.mark.parametrize(
    "ids",
    [
        np.array(["t2", "t1"]),
        pd.Series(["t2", "t1"]),
        pd.Index(["t2", "t1"]),
        pl.Series(["t2", "t1"]),
        ("t2", "t1"),
    ],
)
def test_ids_in_any_form(ids):
    assert build("class").align(ids, extra="drop").tasks.to_list() == ["t2", "t1"]


@pytest.mark.parametrize("ids", [[1.0, 0.0], np.array([1, 0], dtype=np.int16), pd.Series([1, 0])])
def test_integer_ids_in_any_form(ids):
    assert Annotations.from_matrix([[0], [1]]).align(ids).tasks.to_list() == [1, 0]


def test_extra():
    with pytest.raises(
        LabelError, match=r"2 labelled tasks .* the first 't1'; leave them out with extra='drop'"
    ):
        build("class").align(["t2", "t4"])


def test_missing():
    with pytest.raises(LabelError, match="'new' has no labels; use missing='unlabelled'") as error:
        build("class").align(["t1", "t2", "t3", "t4", "new"], missing="error")
    assert error.value.row == 4


def test_ids_twice():
    with pytest.raises(LabelError, match="'t1' occurs twice"):
        build("class").align(["t1", "t1"], extra="drop")


def test_empty_id():
    with pytest.raises(MissingLabelError, match="entry 0 is empty"):
        build("class").align([None, "t1"], extra="drop")


def test_ids_of_another_type_never_lose_every_label_in_silence():
    table = Annotations.from_matrix([[0], [1]])
    with pytest.raises(LabelError, match=r"tasks are like 0 \(int\), the ids like '0' \(str\)"):
        table.align(["0", "1"], extra="drop")


@pytest.mark.parametrize("option", [{"missing": "drop"}, {"extra": "ignore"}])
def test_unknown_options(option):
    with pytest.raises(ParameterError, match="must be one of"):
        build("class").align(["t1"], **option)


@pytest.mark.parametrize("kind", KINDS)
def test_with_tasks(kind):
    table = build(kind)
    grown = table.with_tasks(["t8", "t9"])
    assert grown.tasks.to_list() == ["t1", "t2", "t3", "t4", "t8", "t9"]
    assert grown.truths() == [*table.truths(), None, None]
    assert answers(grown) == answers(table)
    assert len(grown.truth) == grown.n_units == grown.unit_offsets[-1]
    assert grown[:4].equals(table)
    with pytest.raises(LabelError, match="'t1' is in the table already"):
        table.with_tasks(["t1"])


def test_with_annotator_features():
    table = build("class")
    rows = table.with_annotator_features(
        {"dan": [3, 3], "ann": [0, 0], "cid": [2, 2], "bob": [1, 1]}
    ).annotator_features
    assert rows.tolist() == [[0, 0], [1, 1], [2, 2], [3, 3]]


@pytest.mark.parametrize(("features", "says"), [({"ann": [1]}, "'bob' has no finite features"), ({"zed": [1]}, "'zed'.*not in the table"),
                                                ([[1.0]], r"shape \(1, 1\)"), ([[np.inf]] * 4, "'ann'"), ({"ann": [1], "bob": [1, 2]}, "as many"),
                                                ([["x"]] * 4, "numbers"), ([1, 2, 3, 4], "shape"), ({}, "'ann'|shape")])  # fmt: skip
def test_wrong_features(features, says):
    with pytest.raises((LabelError, ParameterError), match=says):
        build("class").with_annotator_features(features)
