from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manyhands import Annotations
from manyhands.errors import ParameterError, UnsupportedError
from manyhands.metrics import krippendorff_alpha

from .tables import GOLDEN, KRIPPENDORFF, NUMBERS, NUMBERS_ALPHA

tables = st.lists(st.lists(st.integers(-1, 3), min_size=4, max_size=4), min_size=2, max_size=9)


def alpha(labels, metric=None):
    return krippendorff_alpha(labels, metric, n_boot=0).value


def slow_alpha(units, distance):
    """As the 2011 paper writes it: every pair of labels of a unit, then every pair of all labels."""
    units = [unit for unit in units if len(unit) > 1]
    values = [v for unit in units for v in unit]
    if not (n := len(values)):
        return np.nan
    observed = sum(distance(a, b, values) / (len(u) - 1) for u in units for a, b in permutations(u, 2)) / n
    expected = sum(distance(a, b, values) for a, b in permutations(values, 2)) / (n * (n - 1))
    return 1 - observed / expected if expected else np.nan


def slow_ordinal(a, b, values):
    low, high = min(a, b), max(a, b)
    between = sum(low <= v <= high for v in values)
    return (between - (values.count(low) + values.count(high)) / 2) ** 2


DISTANCES = {
    "nominal": lambda a, b, values: float(a != b),
    "ordinal": slow_ordinal,
    "interval": lambda a, b, values: float(a - b) ** 2,
}


@pytest.mark.parametrize(("metric", "value"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_krippendorffs_own_example(metric, value):
    labels = Annotations.from_matrix(KRIPPENDORFF, kind="ordinal")
    figure = krippendorff_alpha(labels, metric)
    assert figure.value == pytest.approx(value, abs=5e-4)
    assert figure.n == 11  # unit 12 has one label
    assert figure.low < figure.value < figure.high <= 1


@pytest.mark.parametrize("metric", DISTANCES)
@pytest.mark.parametrize("golden", GOLDEN)
def test_equals_the_krippendorff_package(golden, metric):
    assert alpha(Annotations.from_matrix(golden["table"]), metric) == pytest.approx(golden[metric], rel=1e-12)


def test_numbers_equal_the_krippendorff_package():
    labels = Annotations.from_matrix(np.array(NUMBERS, dtype=float), kind="number")
    assert alpha(labels) == pytest.approx(NUMBERS_ALPHA, rel=1e-12)


@settings(max_examples=60, deadline=None)
@given(tables)
def test_equals_the_slow_definition(table):
    labels = Annotations.from_matrix(table, classes=range(4))
    units = [[v for v in row if v >= 0] for row in table]
    for metric, distance in DISTANCES.items():
        np.testing.assert_allclose(alpha(labels, metric), slow_alpha(units, distance), rtol=0, atol=1e-12)


@settings(max_examples=40, deadline=None)
@given(tables, st.randoms(use_true_random=False))
def test_renaming_and_shuffling_change_nothing(table, random):
    rows, columns, names = list(range(len(table))), list(range(4)), ["p", "q", "r", "s"]
    random.shuffle(rows)
    random.shuffle(columns)
    random.shuffle(names)
    moved = [[None if table[i][j] < 0 else names[table[i][j]] for j in columns] for i in rows]
    before = alpha(Annotations.from_matrix(table, classes=range(4)), "nominal")
    after = alpha(Annotations.from_matrix(moved, classes=["p", "q", "r", "s"]), "nominal")
    np.testing.assert_allclose(after, before, rtol=0, atol=1e-12)


def test_interval_uses_the_numbers_that_classes_are():
    table = [[1, 10], [1, 1], [10, 100], [100, 100]]
    slow = slow_alpha(table, DISTANCES["interval"])
    assert alpha(Annotations.from_matrix(table), "interval") == pytest.approx(slow)
    words = Annotations.from_matrix(
        [["a", "b"], ["a", "a"], ["b", "c"], ["c", "c"]], kind="ordinal", classes=list("abc")
    )
    places = slow_alpha([[0, 1], [0, 0], [1, 2], [2, 2]], DISTANCES["interval"])
    assert alpha(words, "interval") == pytest.approx(places)


def test_origin_and_scale_of_numbers_do_not_matter():
    table = np.array(NUMBERS, dtype=float)
    moved = alpha(Annotations.from_matrix(1e9 + 1e-2 * table, kind="number"))
    assert moved == pytest.approx(NUMBERS_ALPHA, abs=1e-4)  # 1e9 leaves nine digits


@pytest.mark.parametrize("metric", DISTANCES)
def test_one_class_is_undefined_with_a_reason(metric):
    figure = krippendorff_alpha(Annotations.from_matrix([[1, 1, 1], [1, 1, -1]], classes=[0, 1]), metric)
    assert np.isnan([figure.value, figure.low, figure.high]).all()
    assert "every label is the same" in figure.note
    assert figure.n == 2


def test_one_number_only_is_undefined():
    labels = Annotations.from_matrix([[0.1, 0.1], [0.1, 0.1], [0.1, 0.1]], kind="number")
    assert np.isnan(alpha(labels))


@pytest.mark.parametrize("metric", DISTANCES)
def test_perfect_agreement_on_two_classes_is_one(metric):
    figure = krippendorff_alpha(Annotations.from_matrix([[0, 0], [1, 1], [1, 1]]), metric)
    assert figure.value == figure.high == 1.0
    assert figure.low < 0.9  # three tasks are no proof


@pytest.mark.parametrize("metric", DISTANCES)
def test_no_pairable_unit_says_so(metric):
    figure = krippendorff_alpha(Annotations.from_matrix([[0, -1], [-1, 1]]), metric)
    assert np.isnan(figure.value)
    assert (figure.n, figure.note) == (0, "no task has two labels")


def test_abstentions_are_no_labels():
    rows = [[*map(str, row), *("?" for _ in range(2))] for row in [[0, 0], [1, 1], [0, 1]]]
    said = alpha(Annotations.from_matrix(rows, abstain="?"))
    assert said == pytest.approx(slow_alpha([[0, 0], [1, 1], [0, 1]], DISTANCES["nominal"]))


def test_many_classes_are_taken_in_fewer_blocks(monkeypatch):
    labels = Annotations.from_matrix(KRIPPENDORFF, kind="ordinal")
    monkeypatch.setattr("manyhands.metrics.alpha.MAX_CELLS", 1)
    monkeypatch.setattr("manyhands.metrics.alpha.FEWEST_BLOCKS", 4)
    figure = krippendorff_alpha(labels)
    assert figure.value == pytest.approx(0.815, abs=5e-4)
    assert figure.low < figure.value


def test_bad_requests_are_refused():
    classes, numbers = (
        Annotations.from_matrix([["a", "b"]]),
        Annotations.from_matrix([[0.5, 1]], kind="number"),
    )
    with pytest.raises(ParameterError, match="metric='ratio' must be one of 'nominal'"):
        krippendorff_alpha(classes, "ratio")
    with pytest.raises(UnsupportedError, match=r"the classes are \['a', 'b'\]: use metric='nominal'"):
        krippendorff_alpha(classes, "interval")
    with pytest.raises(UnsupportedError, match="metric='nominal' needs classes"):
        krippendorff_alpha(numbers, "nominal")
