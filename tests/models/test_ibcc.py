"""IBCC against enumeration, closed forms, and crowds drawn from its own prior."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import torch
from benchmarks.coverage import DESIGNS, Design, cover, draw_crowd
from scipy.special import digamma
from scipy.stats import beta

import manyhands as mh
from manyhands.channels import DirichletConfusion, Votes, votes_of
from manyhands.errors import ParameterError, UnsupportedError
from manyhands.objectives import JointVB
from manyhands.training import run_em
from manyhands.training.gibbs import posterior_widths

from ..objectives.tiny import log_dirichlet, tiny_votes


def _enumerate(votes: Votes, prior: np.ndarray) -> tuple[float, np.ndarray, list[tuple[float, np.ndarray]]]:
    """The exact log evidence, the posterior of truths, and each assignment's weight with its counts."""
    k, terms = votes.n_classes, []
    for truths in itertools.product(range(k), repeat=votes.n_units):
        z = np.array(truths)
        counts = np.zeros((votes.n_annotators, k, votes.n_labels))
        np.add.at(counts, (votes.annotator, z[votes.unit], votes.label), 1)
        log = log_dirichlet(np.bincount(z, minlength=k), np.ones(k))
        log += sum(log_dirichlet(counts[j, t], prior[t]) for j in range(len(counts)) for t in range(k))
        terms.append((log, z, counts))
    evidence = float(np.logaddexp.reduce([t[0] for t in terms]))
    posterior = np.zeros((votes.n_units, k))
    for log, z, _ in terms:
        posterior[np.arange(votes.n_units), z] += math.exp(log - evidence)
    return evidence, posterior, [(math.exp(log - evidence), counts) for log, _, counts in terms]


PRIOR = DirichletConfusion(3.0, 1.0)


def _prior(votes: Votes) -> np.ndarray:
    return PRIOR.prior(votes.n_labels, votes.n_classes).numpy().T


@pytest.mark.parametrize("shape", [(5, 3, 2), (4, 3, 3), (1, 2, 3), (6, 1, 2)], ids=str)
def test_the_bound_lies_below_the_evidence_and_beliefs_are_near(shape: tuple[int, int, int]) -> None:
    votes = tiny_votes(sum(shape), *shape)
    evidence, posterior, _ = _enumerate(votes, _prior(votes))
    problem = JointVB(votes, PRIOR, dtype=torch.float64)
    run = run_em(problem, max_iter=500, tol=1e-12)
    assert run.objective < evidence
    assert run.objective > evidence - 1.5
    sure = posterior.max(axis=1) > 0.6
    assert (run.posterior.numpy().argmax(axis=1) == posterior.argmax(axis=1))[sure].all()


def test_known_truths_have_the_closed_form() -> None:
    """No truth is in doubt: the bound is the evidence itself, beliefs are Dirichlets, intervals are Betas."""
    votes = tiny_votes(3, 30, 2, 2)
    known = np.random.default_rng(0).integers(0, 2, 30)
    problem = JointVB(votes, PRIOR, known=known, dtype=torch.float64)
    run = run_em(problem, max_iter=3, tol=-1.0)
    counts = np.zeros((2, 2, 2))
    np.add.at(counts, (votes.annotator, known[votes.unit], votes.label), 1)
    prior = _prior(votes)
    exact = log_dirichlet(np.bincount(known), np.ones(2))
    exact += sum(log_dirichlet(counts[j, k], prior[k]) for j in range(2) for k in range(2))
    assert run.objective == pytest.approx(exact, rel=1e-9)
    a = (prior + counts).transpose(0, 2, 1)
    expected = digamma(a) - digamma(a.sum(axis=1, keepdims=True))
    np.testing.assert_allclose(PRIOR.log_rows(run.params.channel).numpy(), expected, rtol=1e-9)
    table = mh.Annotations.from_arrays(
        votes.unit, votes.annotator, votes.label, classes=[0, 1], tasks=range(30)
    )
    result = mh.IBCC(right=3.0, wrong=1.0, sweeps=3).fit(table.with_truth((range(30), known))).result_
    low, high = result.confusion_interval(0, 0.9)
    row = a[0, :, 0]
    assert [low[0, 0], high[0, 0]] == pytest.approx(list(beta(row[0], row[1]).ppf([0.05, 0.95])), rel=1e-6)
    np.testing.assert_allclose(result.confusion(0), (a[0] / a[0].sum(axis=0)).T, rtol=1e-9)


@pytest.mark.slow
def test_the_sampler_has_the_moments_of_the_enumerated_posterior() -> None:
    votes = tiny_votes(8, 5, 3, 2)
    prior = _prior(votes)
    _, _, terms = _enumerate(votes, prior)
    a = [(weight, counts + prior) for weight, counts in terms]
    means = [(w, c / c.sum(axis=2, keepdims=True)) for w, c in a]
    mean = sum(w * m for w, m in means)
    inner = sum(
        w * m * (1 - m) / (c.sum(axis=2, keepdims=True) + 1) for (w, m), (_, c) in zip(means, a, strict=True)
    )
    variance = inner + sum(w * (m - mean) ** 2 for w, m in means)
    problem = JointVB(votes, PRIOR, dtype=torch.float64)
    run = run_em(problem, max_iter=100)
    found = posterior_widths(problem, run.params, 2500, seed=0).confusion
    np.testing.assert_allclose(found.mean.numpy().transpose(0, 2, 1), mean, atol=0.02)
    np.testing.assert_allclose(found.variance.numpy().transpose(0, 2, 1), variance, atol=0.006)
    narrow = posterior_widths(problem, run.params, 0, seed=0).confusion.variance
    assert narrow.sum() < found.variance.sum()


def test_accuracies_have_the_moments_of_their_parts() -> None:
    """By drawing from the Dirichlets themselves."""
    votes = tiny_votes(1, 40, 2, 3)
    problem = JointVB(votes, PRIOR, dtype=torch.float64)
    run = run_em(problem, max_iter=50)
    counts = run.params.channel.log_counts.exp().numpy()
    found = posterior_widths(problem, run.params, 0, seed=0).accuracy
    rng = np.random.default_rng(0)
    shares = rng.dirichlet(problem.class_counts(run.params).numpy(), 200_000)
    right = np.stack([rng.dirichlet(counts[0, :, k], 200_000)[:, k] for k in range(3)], axis=1)
    accuracy = (shares * right).sum(axis=1)
    assert float(found.mean[0]) == pytest.approx(accuracy.mean(), abs=1e-3)
    assert float(found.variance[0]) == pytest.approx(accuracy.var(), rel=0.03)


@pytest.mark.slow
def test_intervals_cover_crowds_drawn_from_the_prior() -> None:
    """The benchmark in small: 20 crowds of 10 annotators; those of variational Bayes alone do not."""
    design = DESIGNS["2 classes, 2 votes, weak"]
    for sweeps, low, high in ((200, 0.86, 0.99), (0, 0.5, 0.85)):
        inside = np.concatenate([cover(design, seed, sweeps)["accuracy"] for seed in range(20)])
        assert low < inside.mean() < high


def test_a_simulated_crowd_is_recovered() -> None:
    """Busy annotators: what was drawn lies close to what is found, and within its intervals."""
    drawn = draw_crowd(Design(tasks=1000, annotators=6, votes=5), seed=5)
    result = mh.IBCC(sweeps=50).fit(drawn.labels).result_
    names = result.labels.annotators
    assert np.abs(np.stack([result.confusion(name) for name in names]) - drawn.confusions).mean() < 0.03
    low, high = (np.stack(ends) for ends in zip(*(result.confusion_interval(n) for n in names), strict=True))
    assert ((low <= drawn.confusions) & (drawn.confusions <= high)).mean() > 0.85
    np.testing.assert_allclose(result.annotators()["accuracy"].to_numpy(), drawn.accuracies, atol=0.06)


def test_others_have_no_beliefs_and_levels_lie_between_0_and_1() -> None:
    labels = mh.Annotations.from_matrix([[0, 1, 1], [1, 1, 0]])
    with pytest.raises(UnsupportedError, match=r"majority has point estimates.*ibcc"):
        mh.MajorityVote().fit(labels).result_.class_interval()
    result = mh.IBCC(sweeps=5).fit(labels).result_
    with pytest.raises(ParameterError, match=r"level=1.5 must lie between"):
        result.class_interval(1.5)
    wide, narrow = (np.subtract(*result.class_interval(level)[::-1]) for level in (0.99, 0.5))
    assert (wide > narrow).all()
    assert votes_of(labels).n_labels == 2
