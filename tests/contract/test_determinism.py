"""A seed decides everything, nobody else's generator is touched, and threads do not matter."""

from __future__ import annotations

import random

import numpy as np
import pytest
import torch

from manyhands import Annotations

from .crowds import CASES, EM, NAMES, belief, crowd, kind_of, make


@pytest.mark.filterwarnings("ignore::manyhands.errors.ConvergenceWarning")
@pytest.mark.parametrize(("name", "kind"), CASES)
@pytest.mark.slow
def test_a_seed_decides_everything_and_global_generators_are_left_alone(name: str, kind: str) -> None:
    table = crowd(kind).table()
    random.seed(1), np.random.seed(1), torch.manual_seed(1)  # noqa: NPY002
    one = make(name, n_init=2, random_state=5, max_iter=15).fit(table).result_
    after = random.random(), np.random.rand(), torch.rand(1).item()  # noqa: NPY002
    random.seed(1), np.random.seed(1), torch.manual_seed(1)  # noqa: NPY002
    assert after == (random.random(), np.random.rand(), torch.rand(1).item())  # noqa: NPY002
    random.seed(2), np.random.seed(2), torch.manual_seed(2)  # noqa: NPY002
    two = make(name, n_init=2, random_state=5, max_iter=15).fit(table).result_
    np.testing.assert_array_equal(belief(one), belief(two))
    assert one.history == two.history


@pytest.mark.filterwarnings("ignore::manyhands.errors.ConvergenceWarning")
@pytest.mark.parametrize("name", EM)
def test_restarts_differ_from_each_other_and_by_seed(name: str) -> None:
    """D6: a peer starts ten times from one seed."""
    kind = kind_of(name)
    table = crowd(kind).table()

    def first_objectives(seed: int) -> list[float]:
        seen: list[float] = []
        model = make(name, n_init=5, random_state=seed, max_iter=2, tol=0.0, accelerate=False)
        model.set_params(callback=lambda step, value: seen.append(value)).fit(table)
        return seen

    assert len(set(first_objectives(0))) == 5
    assert len(set(first_objectives(0)) & set(first_objectives(1))) == 1  # the plain start


@pytest.mark.filterwarnings("ignore::manyhands.errors.ConvergenceWarning")
@pytest.mark.parametrize("name", EM)
@pytest.mark.slow
def test_the_best_restart_is_kept(name: str) -> None:
    kind = kind_of(name)
    table = crowd(kind, seed=3, n_tasks=8).table()
    objectives = [
        make(name, n_init=n, max_iter=20).fit(table).result_.history[-1]["objective"] for n in (1, 3, 6)
    ]
    assert objectives == sorted(objectives)


def _large(kind: str, n_votes: int) -> Annotations:
    rng = np.random.default_rng(0)
    n_tasks, n_annotators = n_votes // 4, n_votes // 40
    task = np.arange(n_votes) // 4
    annotator = rng.integers(0, n_annotators, n_votes)
    truth = rng.integers(0, 4, n_tasks)[task]
    if kind == "number":
        label = truth + rng.normal(size=n_votes) * (1 + annotator % 3)
    else:
        label = np.where(rng.random(n_votes) < 0.6, truth, rng.integers(0, 4, n_votes))
    if kind == "tags":  # sentences of four tokens
        task, annotator, label = task[::4] // 4, annotator[::4], list(label.reshape(-1, 4).tolist())
    return Annotations.from_arrays(task, annotator, label, kind=kind, repeats="all")


def _bits(name: str, table: Annotations, n_threads: int, **wanted: object) -> tuple[bytes, ...]:
    torch.set_num_threads(n_threads)
    result = make(name, max_iter=4, tol=0.0, **wanted).fit(table).result_
    return (belief(result).tobytes(), str(result.history).encode(), repr(result.annotators()).encode())


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::manyhands.errors.ConvergenceWarning")
@pytest.mark.parametrize("accelerate", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_any_number_of_threads_gives_the_same_bits(name: str, accelerate: bool, threads: None) -> None:
    """200 000 votes: enough for torch to share out its sums among the threads."""
    if accelerate and name not in EM:
        pytest.skip("nothing to accelerate")
    table = _large(kind_of(name), 200_000)
    one, two, four = (_bits(name, table, n, accelerate=accelerate) for n in (1, 2, 4))
    assert one == two == four
