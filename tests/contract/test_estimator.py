"""The manners of a scikit-learn estimator, of every method."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_predict
from sklearn.utils.validation import check_is_fitted

import manyhands as mh
from manyhands.catalog import METHODS
from manyhands.errors import ParameterError, UnsupportedError

from .crowds import CASES, CHEAP, KINDS, NAMES, belief, crowd, kind_of, make

WRONG: dict[str, tuple[Any, ...]] = {
    "max_iter": (0, -1, 2.5, "many", None, True),
    "n_init": (0, 1.0, None),
    "tol": (-1e-9, float("nan"), float("inf"), "tight", None),
    "random_state": (-1, 0.5, "lucky", None),
    "accelerate": ("no", 2, None),
    "use_truth": ("no", 2, None),
    "warm_start": ("no", 2, None),
    "callback": (3, "print"),
    "abstention": ("inform!", None, 0),
    "dtype": ("float16", None, 32),
    "class_prior": ("flat", None, [0.5, 0.5], [0.5, 0.6, -0.1], [1, 1, 1], ["a", "b", "c"], [np.nan] * 3, 7),
    "voting": ("firm", None, 1),
    "threshold": ("firm", None, 0.0, 1.0, -1, [0.5, 0.5], float("nan"), True),
    **{name: (-1, float("nan"), float("inf"), "much", None)
       for name in ("right", "wrong", "shared", "earnest", "spamming", "habit", "strength", "pull", "scale", "smoothing", "alpha", "deviation")},
    "average": ("no", 2, None),
    "rounds": (0, -1, 1.5, "some", None),
    "n_groups": (0, -1, 1.5, "some", None),
    **{name: (0, -1.0, float("nan"), "much", None) for name in ("mass", "word_mass", "spread", "each_wrong")},
    **{name: (-1, float("nan"), "much", None) for name in ("common", "own")},
    "n_subtypes": (0, 2.5, "many", None, True),
    "sweeps": (-1, 2.5, "many", None, True),
    "ability": (float("nan"), float("inf"), 1e4, -1e4, "high", None),
    "easiness": (float("nan"), float("inf"), 1e4, -1e4, "high", None),
}  # fmt: skip


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_fit_returns_self_and_alters_neither_table_nor_parameters(name: str, kind: str) -> None:
    given = crowd(kind)
    table, same = given.table(), given.table()
    model = make(name)
    before = model.get_params()
    assert model.fit(table) is model
    assert model.get_params() == before
    assert table.equals(same)
    check_is_fitted(model, "result_")


@pytest.mark.parametrize("name", NAMES)
def test_parameters_can_be_got_set_and_cloned(name: str) -> None:
    model = make(name)
    for key, value in model.get_params().items():
        assert getattr(model.set_params(**{key: value}), key) is value
    twin = clone(model.fit(crowd(kind_of(name)).table()))
    assert twin.get_params() == model.get_params()
    assert not hasattr(twin, "result_")
    with pytest.raises(NotFittedError):
        twin.predict()
    with pytest.raises(NotFittedError):
        twin.predict_proba(crowd(kind_of(name)).table())


@pytest.mark.parametrize("name", NAMES)
def test_every_parameter_is_checked_and_named(name: str) -> None:
    table = crowd(kind_of(name)).table()
    for parameter in make(name).get_params():
        assert parameter in WRONG, f"add wrong values of {parameter} to this test"
        for value in WRONG[parameter]:
            with pytest.raises(ParameterError) as error:
                make(name).set_params(**{parameter: value}).fit(table)
            assert parameter in str(error.value)
            assert repr(value) in str(error.value)
            assert "must be" in str(error.value)


@pytest.mark.parametrize("name", NAMES)
def test_the_catalogue_refuses_unknown_parameters(name: str) -> None:
    with pytest.raises(ParameterError, match=f"{name}: .*(wings|no arguments)"):
        METHODS[name].make(wings=2)
    own = METHODS[name].make().get_params()
    assert make(name).get_params() == own | {k: v for k, v in CHEAP.items() if k in own}


@pytest.mark.parametrize("name", NAMES)
def test_the_catalogue_says_what_the_class_says(name: str) -> None:
    model = make(name)
    assert set(METHODS[name].kinds) == set(model.kinds)
    assert model.name == name or METHODS[name].settings, "an entry of its own name, or with settings"
    for kind in set(KINDS) - set(model.kinds):
        with pytest.raises(UnsupportedError, match=kind):
            make(name).fit(crowd(kind).table())


@pytest.mark.parametrize(("name", "kind"), CASES)
@pytest.mark.slow
def test_shapes(name: str, kind: str) -> None:
    table = crowd(kind).table()
    model = make(name).fit(table)
    assert len(model.predict()) == table.n_tasks
    assert len(model.fit_predict(table)) == table.n_tasks
    if kind == "number":
        assert model.predict().dtype == np.float64
        with pytest.raises(UnsupportedError, match="consensus"):
            model.predict_proba()
        return
    chances = model.predict_proba()
    assert chances.shape == (table.n_units, table.n_classes)
    assert (chances >= 0).all()
    np.testing.assert_allclose(chances.sum(axis=1), 1, atol=1e-5)
    assert model.classes_.tolist() == table.unit_classes.to_list()


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_pickling_and_saving_keep_everything(name: str, kind: str, tmp_path: Path) -> None:
    truth = None if kind in ("tags", "set", "soft") else {"t0": 5.0 if kind == "number" else "b"}
    model = make(name).fit(crowd(kind).table(truth=truth))
    twin = pickle.loads(pickle.dumps(model))
    loaded = mh.load(model.result_.save(tmp_path / "result"))
    new = crowd(kind, seed=9).table()
    for other in (twin.result_, loaded):
        np.testing.assert_array_equal(belief(other), belief(model.result_))
        assert other.to_dict() == model.result_.to_dict()
        assert other.history == model.result_.history
        assert other.labels.equals(model.result_.labels)
        assert other.consensus().equals(model.result_.consensus())
        assert other.tasks().equals(model.result_.tasks())
        assert other.annotators().equals(model.result_.annotators())
        assert other.explain("t3") == model.result_.explain("t3")
        np.testing.assert_array_equal(belief(other.infer(new)), belief(model.result_.infer(new)))
    np.testing.assert_array_equal(twin.predict(new), model.predict(new))
    json.dumps(model.result_.to_dict(), allow_nan=False)


@pytest.mark.filterwarnings("ignore:ordinal labels given as text")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.slow
def test_frames_and_matrices_are_taken_as_they_are(name: str) -> None:
    import pandas as pd
    import polars as pl

    given = crowd(kind_of(name)).shuffled(0)
    columns = dict(zip(("task", "annotator", "label"), zip(*given.rows, strict=True), strict=True))
    if kind_of(name) == "number":
        return  # decimals must be told to be numbers
    frames = [make(name).fit(frame(columns)).predict().tolist() for frame in (pl.DataFrame, pd.DataFrame)]
    assert frames[0] == frames[1]
    if kind_of(name) == "tags":
        return  # a cell of a matrix is no list
    matrix = np.random.default_rng(0).integers(-1, 3, (10, 5))
    assert make(name).fit(matrix).predict().shape == (10,)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.slow
def test_scikit_learn_can_cross_validate(name: str) -> None:
    """Folds of tasks: annotators learnt on some judge the others."""
    table = crowd(kind_of(name)).table()
    found = cross_val_predict(make(name), table, cv=3 if kind_of(name) == "number" else _blocks(len(table)))
    assert len(found) == len(table)


def _blocks(n: int) -> list[tuple[np.ndarray, np.ndarray]]:
    parts = np.array_split(np.arange(n), 3)
    return [(np.setdiff1d(np.arange(n), part), part) for part in parts]
