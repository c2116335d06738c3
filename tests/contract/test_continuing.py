"""Going on from a fit: warm starts, more labels, tasks and annotators that the fit has not seen."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from manyhands import Annotations
from manyhands.catalog import METHODS
from manyhands.channels import Ability, Incidence, votes_of
from manyhands.errors import ParameterError, UnsupportedError

from .crowds import CASES, CLASSES, EM_CASES, belief, crowd, exact, make, objective

pytestmark = pytest.mark.filterwarnings("ignore::manyhands.errors.ConvergenceWarning")
HARD = [case for case in CASES if case.values[1] == "class"]
TABLES = ("dawid-skene", "dawid-skene-map", "one-coin", "mace")


def _parts(kind: str) -> tuple[Any, Any, Any]:
    """The whole crowd, its first 30 tasks without j5, and all the rest."""
    whole = crowd(kind, seed=4, n_tasks=40, worst=0.8)
    first = set(whole.tasks[:30])
    start = replace(
        whole.where(lambda t, j, v: t in first and j != "j5"),
        tasks=whole.tasks[:30],
        annotators=whole.annotators[:5],
    )
    rest = whole.where(lambda t, j, v: not (t in first and j != "j5"))
    return whole, start, rest


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_partial_fit_arrives_where_fit_on_everything_does(name: str, kind: str) -> None:
    whole, start, rest = _parts(kind)
    settled = {"tol": 1e-8, "max_iter": 1500, "accelerate": True, "n_init": 1}
    at_once = exact(name, **settled).fit(whole.table())
    in_parts = exact(name, **settled).partial_fit(start.table())
    assert in_parts.partial_fit(rest.table()) is in_parts
    assert in_parts.labels_.equals(at_once.labels_) or in_parts.labels_.n_answers == at_once.labels_.n_answers
    if at_once.result_.history:
        assert objective(in_parts) == pytest.approx(objective(at_once), rel=1e-4)
    else:
        np.testing.assert_allclose(belief(in_parts.result_), belief(at_once.result_), rtol=1e-6)


@pytest.mark.parametrize(("name", "kind"), EM_CASES)
def test_a_warm_start_goes_on_and_arrives_sooner(name: str, kind: str) -> None:
    table = crowd(kind, seed=4).table()
    settled = {"tol": 1e-6, "max_iter": 3000}
    cold = exact(name, **settled).fit(table)
    model = exact(name, warm_start=True, **settled).fit(table)
    steps, reached = len(model.result_.history), objective(model)
    model.fit(table)
    assert objective(model) >= reached - 1e-4 * abs(reached)
    assert objective(model) == pytest.approx(objective(cold), rel=1e-4)
    assert len(model.result_.history) <= max(3, steps)


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_shards_of_the_tasks_sum_to_the_whole(name: str, kind: str) -> None:
    """Expected counts are sums: over shards of the tasks they add up to those of all."""
    table = crowd(kind).table()
    result = make(name).fit(table).result_
    if kind == "number":
        pytest.skip("counts are of classes")
    counts, chances = [], result.chances.astype(np.float64)
    for part in (slice(0, 7), slice(7, 8), slice(8, None)):
        votes = votes_of(table[part])
        units = slice(*table.unit_offsets[[part.start, part.stop or len(table)]])
        counts.append(_counts(votes, chances[units]))
    np.testing.assert_allclose(sum(counts), _counts(votes_of(table), chances), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(
        result.counts, _counts(votes_of(table), chances).transpose(0, 2, 1), rtol=1e-6, atol=1e-9
    )


def _counts(votes: Any, chances: np.ndarray) -> np.ndarray:
    import torch

    cells = Incidence(votes, torch.float64).to_cells(torch.tensor(chances))
    return cells.numpy().reshape(votes.n_annotators, votes.n_labels, votes.n_classes)


NEW = {"n0": {"j1": "a", "j4": "b", "stranger": "a"}, "n1": {"j5": "c"}, "n2": {}, "n3": {"stranger": "b"}}


@pytest.mark.parametrize("name", TABLES)
def test_new_tasks_by_products_written_out(name: str) -> None:
    model = exact(name).fit(crowd("class").table())
    new = Annotations.from_dict(NEW, classes=CLASSES)
    matrix = {j: model.result_.confusion(j) for j in model.labels_.annotators}
    matrix["stranger"] = np.mean(list(matrix.values()), axis=0)
    expected = []
    for votes in NEW.values():
        chances = np.exp(model.result_.evidence.log_truth)
        for annotator, label in votes.items():
            chances = chances * matrix[annotator][:, CLASSES.index(label)]
        expected.append(chances / chances.sum())
    np.testing.assert_allclose(model.predict_proba(new), expected, rtol=1e-6)
    assert model.predict(new).tolist() == [CLASSES[int(np.argmax(row))] for row in expected]


def test_new_tasks_by_weighted_votes() -> None:
    model = make("wawa").fit(crowd("class").table())
    weight = dict(model.result_.annotators().select("annotator", "weight").iter_rows())
    weight["stranger"] = np.mean(list(weight.values()))
    expected = []
    for votes in NEW.values():
        row = np.zeros(3)
        for annotator, label in votes.items():
            row[CLASSES.index(label)] += weight[annotator]
        expected.append(row / row.sum() if row.sum() else np.full(3, 1 / 3))
    new = Annotations.from_dict(NEW, classes=CLASSES)
    np.testing.assert_allclose(model.predict_proba(new), expected, rtol=1e-6)


@pytest.mark.parametrize("easiness", [1.0, -0.5])
def test_new_tasks_by_ability(easiness: float) -> None:
    """GLAD learns the easiness of a new task: at its optimum, found here on a grid, belief is the E-step."""
    model = make("glad", easiness=easiness, tol=1e-10, max_iter=3000).fit(crowd("class").table())
    ability = dict(model.result_.annotators().select("annotator", "ability").iter_rows())
    ability["stranger"] = np.mean(list(ability.values()))
    judged = model.result_.infer(Annotations.from_dict(NEW, classes=CLASSES))
    grid = np.linspace(-4, 4, 8001)
    for task, votes in enumerate(NEW.values()):
        scores = np.zeros((len(grid), 3))
        for annotator, label in votes.items():
            logit = ability[annotator] * np.exp(grid)
            for k in range(3):
                right = CLASSES[k] == label
                scores[:, k] -= np.logaddexp(0, -logit if right else logit) + (0 if right else np.log(2))
        total = np.logaddexp.reduce(scores, axis=1) - np.log(3) - 0.5 * (grid - easiness) ** 2
        best = int(total.argmax())
        expected = np.exp(scores[best]) / np.exp(scores[best]).sum()
        np.testing.assert_allclose(judged.chances[task], expected, atol=5e-3)
        assert judged.evidence.log_easiness[task] == pytest.approx(grid[best], abs=0.03)
    assert Ability().easiness == 1.0


def test_new_numbers_by_precision() -> None:
    model = make("precision-weighted").fit(crowd("number").table())
    evidence = model.result_.evidence
    new = Annotations.from_dict(
        {"n0": {"j1": 4.0, "stranger": 6.0}, "n1": {"j5": 2.5}, "n2": {}}, kind="number"
    )
    centre, spread = evidence.prior[0], math.exp(evidence.prior[1])
    precision = np.append(np.exp(evidence.log_precision), np.exp(evidence.log_precision.mean()))
    bias = np.append(evidence.bias, 0.0)
    expected = []
    for votes in ({1: 4.0, 6: 6.0}, {5: 2.5}, {}):
        total = 1 / spread + sum(precision[j] for j in votes)
        mean = (centre / spread + sum(precision[j] * (v - bias[j]) for j, v in votes.items())) / total
        expected.append((mean, total**-0.5))
    judged = model.result_.infer(new)
    np.testing.assert_allclose(belief(judged), expected, rtol=1e-9)
    assert judged.consensus()["label"][2] is None


@pytest.mark.parametrize(("name", "kind"), CASES)
@pytest.mark.slow
def test_a_judged_table_keeps_its_own_names(name: str, kind: str) -> None:
    """Tasks and annotators in another order, one unseen: everything said is about the new table."""
    model = exact(name).fit(crowd(kind).table())
    new = crowd(kind, seed=7)
    rows = tuple((f"new {t}", "stranger" if j == "j2" else j, v) for t, j, v in new.rows)
    mixed = replace(
        new,
        rows=rows,
        tasks=tuple(f"new {t}" for t in new.tasks),
        annotators=("stranger", "j5", "j0", "j4", "j1", "j3"),
    )
    judged = model.result_.infer(mixed.table())
    people = judged.annotators()
    assert people["annotator"].to_list() == list(mixed.annotators)
    for column in ("weight", "ability"):
        if column in people.columns:
            fitted = dict(model.result_.annotators().select("annotator", column).iter_rows())
            assert people[column].to_list()[1:] == [fitted[j] for j in mixed.annotators[1:]]
    if name in TABLES:
        np.testing.assert_array_equal(judged.confusion("j4"), model.result_.confusion("j4"))
    assert judged.tasks().height == 20
    for task in ("new t0", "new t11"):
        why = judged.explain(task)
        said = {j for t, j, v in mixed.rows if t == task}
        assert {vote.annotator for vote in why.votes} == said
        if why.unit_of_weight == "log-odds":
            unit = judged.labels.unit_offsets[judged.task_code(task)] + (why.position or 0)
            chance = np.sort(judged.chances[unit].astype(float))
            assert why.prior + sum(v.weight for v in why.votes) == pytest.approx(
                math.log(chance[-1] / chance[-2]), rel=1e-4, abs=1e-4
            )


@pytest.mark.parametrize(("name", "kind"), CASES)
@pytest.mark.slow
def test_judging_the_fitted_table_again(name: str, kind: str) -> None:
    """What was learnt about annotators gives back what was believed."""
    if name == "kos":
        pytest.skip(
            "in the fit a task's own votes have no say in its annotators' weights; judged again they have"
        )
    model = exact(name, tol=1e-12, max_iter=5000).fit(crowd(kind, seed=4).table())
    again = model.result_.infer(model.labels_)
    np.testing.assert_allclose(
        belief(again), belief(model.result_), atol=5e-3 if name in ("glad", "mmce") else 1e-5
    )


@pytest.mark.parametrize(("name", "kind"), CASES)
@pytest.mark.slow
def test_other_classes_or_kinds_are_a_clear_error(name: str, kind: str) -> None:
    model = make(name).fit(crowd(kind).table())
    if kind != "number":
        other = crowd(kind)
        wide = replace(other, classes=("a", "b", "c", "d"))
        with pytest.raises(ParameterError, match=r"fitted on classes .*'c'\].* given .*'d'\].*classes="):
            model.predict(wide.table())
        more = replace(wide, tasks=("new",), rows=tuple(("new", j, v) for t, j, v in wide.rows if t == "t0"))
        with pytest.raises(UnsupportedError, match=r"\['d'\].*classes="):
            model.partial_fit(more.table())
    different = "class" if kind == "number" else "number"
    with pytest.raises((ParameterError, UnsupportedError), match=different):
        model.predict(crowd(different).table())
    assert METHODS[name].make().fit(crowd(kind).table()).predict().tolist() == model.predict().tolist()
