"""EBCC against enumeration, IBCC, and a crowd whose classes have subtypes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch

import manyhands as mh
from manyhands.channels import DirichletConfusion, Votes
from manyhands.objectives import JointVB
from manyhands.training import run_em

from ..objectives.tiny import log_dirichlet, tiny_votes


def _evidence(votes: Votes, m: int, spread: float, prior: np.ndarray) -> tuple[float, np.ndarray]:
    """Exact log evidence and posterior of classes, over all classes and subtypes of all units."""
    k, logs, classes = votes.n_classes, [], []
    for states in itertools.product(range(k * m), repeat=votes.n_units):
        s = np.array(states)
        taken = np.bincount(s, minlength=k * m).reshape(k, m)
        counts = np.zeros((votes.n_annotators, k * m, votes.n_labels))
        np.add.at(counts, (votes.annotator, s[votes.unit], votes.label), 1)
        log = log_dirichlet(taken.sum(axis=1), np.ones(k))
        log += sum(log_dirichlet(row, np.full(m, spread / m)) for row in taken)
        log += sum(log_dirichlet(c, prior[state // m]) for who in counts for state, c in enumerate(who))
        logs.append(log)
        classes.append(s // m)
    total = float(np.logaddexp.reduce(logs))
    weight = np.exp(np.array(logs) - total)
    chances = np.stack(
        [[weight[np.array(classes)[:, i] == c].sum() for c in range(k)] for i in range(votes.n_units)]
    )
    return total, chances


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_bound_lies_below_the_evidence(seed: int) -> None:
    votes = tiny_votes(seed, 4, 3, 2)
    channel = DirichletConfusion(4.0, 1.0, 2, each=True)
    evidence, chances = _evidence(votes, 2, 0.3, channel.prior(2, 4).numpy().T[::2])
    problem = JointVB(votes, channel, spread=0.3, dtype=torch.float64)
    run = run_em(problem, max_iter=500, tol=1e-12)
    assert evidence - 3 < run.objective < evidence
    sure = chances.max(axis=1) > 0.75
    found = problem.chances(run.posterior).numpy()
    assert (found.argmax(axis=1) == chances.argmax(axis=1))[sure].all()


def test_one_subtype_is_ibcc() -> None:
    crowd = mh.simulate("biased", n_tasks=100, n_annotators=6, n_classes=3, seed=0).labels
    alike = {"dtype": "float64", "tol": 1e-9}
    one = mh.EBCC(n_subtypes=1, n_init=1, right=3.0, each_wrong=0.5, **alike).fit(crowd).result_
    two = mh.IBCC(right=3.0, wrong=1.0, sweeps=0, **alike).fit(crowd).result_
    np.testing.assert_allclose(one.chances, two.chances, atol=1e-9)
    assert one.history[-1]["objective"] == pytest.approx(two.history[-1]["objective"], rel=1e-9)
    np.testing.assert_allclose(one.confusion("a0"), two.confusion("a0"), atol=1e-9)


def _cloned(seed: int) -> tuple[mh.Annotations, np.ndarray]:
    """Three annotators who repeat one view, right on seven tasks of ten, and six of their own judgement."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, 500)
    view = np.where(rng.random(500) < 0.7, truth, 1 - truth)
    copies = np.where(rng.random((500, 3)) < 0.9, view[:, None], 1 - view[:, None])
    alone = np.where(rng.random((500, 6)) < 0.8, truth[:, None], 1 - truth[:, None])
    return mh.Annotations.from_matrix(np.hstack([copies, alone])), truth


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_annotators_who_err_together_count_as_less(seed: int) -> None:
    labels, truth = _cloned(seed)
    found = [model.fit(labels) for model in (mh.EBCC(n_init=3), mh.IBCC(sweeps=0))]
    right = [float((model.predict() == truth).mean()) for model in found]
    bound = [model.result_.history[-1]["objective"] for model in found]
    assert right[0] > right[1] + 0.005
    assert bound[0] > bound[1] + 50


def test_the_best_bound_of_the_restarts_is_kept() -> None:
    labels, _ = _cloned(1)
    bounds = [
        mh.EBCC(n_init=n, max_iter=60, tol=1e-4).fit(labels).result_.history[-1]["objective"] for n in (1, 3)
    ]
    assert bounds[1] >= bounds[0]
