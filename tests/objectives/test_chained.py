"""The chain in the tagger's objectives, against all paths of short sentences one by one."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
import torch
from torch import Tensor

from manyhands.annotations.scheme import Scheme
from manyhands.channels import Batch, Confusion, Sizes
from manyhands.networks.chained import NEVER, Chained, ChainScores
from manyhands.objectives.chain import Layout
from manyhands.objectives.chain_mass import chain_mass, chain_pairs
from manyhands.objectives.chained import CHAINED, apart, chances_of, cross_entropy

LENGTHS = [3, 1, 4, 2]
TAGS = ["O", "B-X", "I-X"]


def _starts() -> np.ndarray:
    return np.concatenate([[0], np.cumsum(LENGTHS)])


def _said(seed: int = 0, legal: bool = True) -> ChainScores:
    generator = torch.Generator().manual_seed(seed)
    chain = Chained(torch.nn.Identity(), 3, Scheme.of(TAGS) if legal else None)
    with torch.no_grad():
        for weights in (chain.ends, chain.steps):
            weights.copy_(torch.randn(weights.shape, generator=generator))
    first, last, step = (part.double() for part in chain.weights())
    scores = 2 * torch.randn(sum(LENGTHS), 3, generator=generator, dtype=torch.float64)
    for a, b in pairwise(_starts()):
        scores[a] += first
        scores[b - 1] += last
    return ChainScores(scores.requires_grad_(), step.detach().requires_grad_(), torch.tensor(LENGTHS))


def _votes(seed: int = 0) -> tuple[Batch, torch.nn.Module]:
    generator = torch.Generator().manual_seed(seed)
    n = sum(LENGTHS)
    unit = torch.arange(n).repeat_interleave(2)
    annotator, label = torch.arange(2).repeat(n), torch.randint(0, 3, (2 * n,), generator=generator)
    channel = Confusion().build(Sizes(2, 3, 3)).double()
    with torch.no_grad():
        channel.logits.weight.copy_(torch.randn(2, 9, generator=generator))
    return Batch(unit, annotator, label, None, torch.arange(n)), channel


def _paths(scores: Tensor, step: Tensor) -> list[tuple[list[tuple[int, ...]], Tensor]]:
    """Every sentence's paths and the logs of their weights, with gradients."""
    found = []
    for a, b in pairwise(_starts()):
        paths = list(product(range(3), repeat=int(b - a)))
        weights = [
            sum((scores[a + t, k] for t, k in enumerate(path)), torch.zeros((), dtype=torch.float64))
            + sum(step[k, m] for k, m in pairwise(path))
            for path in paths
        ]
        found.append((paths, torch.stack(weights)))
    return found


def _mass(scores: Tensor, step: Tensor) -> Tensor:
    return torch.stack([weights.logsumexp(0) for _, weights in _paths(scores, step)])


def test_masses_and_their_gradients_are_those_of_all_paths() -> None:
    generator = torch.Generator().manual_seed(1)
    scores = torch.randn(sum(LENGTHS), 2, 3, generator=generator, dtype=torch.float64).requires_grad_()
    step = torch.randn(3, 3, generator=generator, dtype=torch.float64).requires_grad_()
    weight = torch.rand(len(LENGTHS), 2, generator=generator, dtype=torch.float64)
    ours = chain_mass(scores, step.exp(), Layout(_starts()))
    slow = torch.stack([_mass(scores[:, 0], step), _mass(scores[:, 1], step)], dim=1)
    torch.testing.assert_close(ours, slow)
    for mine, theirs in zip(
        torch.autograd.grad((ours * weight).sum(), (scores, step)),
        torch.autograd.grad((slow * weight).sum(), (scores, step)),
        strict=True,
    ):
        torch.testing.assert_close(mine, theirs)


@pytest.mark.parametrize("legal", [True, False])
@pytest.mark.parametrize("known", [False, True])
def test_the_joint_is_the_sum_over_all_legal_paths(legal: bool, known: bool) -> None:
    said, (batch, channel) = _said(legal=legal), _votes()
    if known:  # the third token is certain
        told = torch.zeros_like(said.scores)
        told[2, [0, 2]] = NEVER
        said = said._replace(told=told)
    rows = batch.per_unit(channel(batch)) + (0 if said.told is None else said.told)
    slow = (_mass(said.scores, said.step) - _mass(said.scores + rows, said.step)).sum()
    ours = CHAINED["joint"].loss(said, channel, batch, None)
    torch.testing.assert_close(ours, slow)
    wanted = (said.scores, said.step, channel.logits.weight)
    for mine, theirs in zip(
        torch.autograd.grad(ours, wanted), torch.autograd.grad(slow, wanted), strict=True
    ):
        torch.testing.assert_close(mine, theirs)


def test_targets_are_the_posterior_of_paths_and_em_lowers_the_joint() -> None:
    said, (batch, channel) = _said(), _votes()
    em, joint = CHAINED["em"], CHAINED["joint"]
    targets = em.expect(said, channel, batch)
    rows = batch.per_unit(channel(batch))
    chances, pairs = torch.zeros(sum(LENGTHS), 3), torch.zeros(sum(LENGTHS), 3, 3)
    for start, (paths, weights) in zip(_starts(), _paths(said.scores + rows, said.step), strict=False):
        for path, share in zip(paths, weights.softmax(0).tolist(), strict=True):
            for place, k in enumerate(path):
                chances[start + place, k] += share
            for place, (k, m) in enumerate(pairwise(path)):
                pairs[start + place + 1, k, m] += share
    torch.testing.assert_close(targets.float(), torch.cat([chances, pairs.flatten(1)], dim=1))
    wanted = (said.scores, said.step, channel.logits.weight)  # at the E-step both have one gradient (Fisher)
    mine = torch.autograd.grad(em.loss(said, channel, batch, targets), wanted)
    theirs = torch.autograd.grad(joint.loss(said, channel, batch, None), wanted)
    for a, b in zip(mine, theirs, strict=True):
        torch.testing.assert_close(a, b)


def test_a_chain_of_nothing_is_tokens_alone() -> None:
    from manyhands.objectives.objective import OBJECTIVES

    said, (batch, channel) = _said(legal=False), _votes()
    said = said._replace(step=torch.zeros(3, 3, dtype=torch.float64))
    alone = said.scores.log_softmax(dim=1)
    torch.testing.assert_close(chances_of(said), alone.exp())
    for name in ("joint", "marginal"):
        ours, theirs = (
            CHAINED[name].loss(said, channel, batch, None),
            OBJECTIVES[name].loss(alone, channel, batch, None),
        )
        torch.testing.assert_close(ours, theirs)


def test_the_cross_entropy_to_a_path_is_its_own() -> None:
    said = _said()
    path = torch.tensor([0, 1, 2, 1, 0, 0, 1, 2, 1, 2])
    follows = torch.ones(10, dtype=torch.bool)
    follows[torch.from_numpy(_starts()[:-1])] = False
    targets = apart(torch.eye(3, dtype=torch.float64)[path], follows, said.step > NEVER / 2)
    slow = []
    for a, (paths, weights) in zip(_starts(), _paths(said.scores, said.step), strict=False):
        place = paths.index(tuple(path[a : a + len(paths[0])].tolist()))
        slow.append(-weights.log_softmax(0)[place])
    torch.testing.assert_close(cross_entropy(said, targets), torch.stack(slow))


def test_a_long_sentence_neither_overflows_nor_vanishes() -> None:
    scores = 100 * torch.randn(3000, 1, 5, generator=torch.Generator().manual_seed(0))
    scores.requires_grad_()
    mass = chain_mass(scores, torch.ones(5, 5), Layout(np.array([0, 3000])))
    torch.testing.assert_close(mass[0, 0], scores.logsumexp(2).sum())
    mass.sum().backward()
    torch.testing.assert_close(scores.grad.sum(2), torch.ones(3000, 1))
    chances, pairs = chain_pairs(scores[:, 0].detach(), torch.ones(5, 5), Layout(np.array([0, 3000])))
    torch.testing.assert_close(pairs.sum(1)[1:], chances[1:])
