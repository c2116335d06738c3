"""Forward, backward and Viterbi against all paths one by one."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
import torch

from manyhands.objectives.chain import Layout, best_paths, forward_backward

LENGTHS = ([3, 0, 1, 2], [1], [0], [4, 4], [2, 3, 1, 0, 3])


def _problem(lengths: list[int], seed: int, ruled_out: bool) -> tuple[torch.Tensor, ...]:
    generator = torch.Generator().manual_seed(seed)
    scores = 3 * torch.randn(sum(lengths), 3, generator=generator, dtype=torch.float64)
    first = torch.rand(3, generator=generator, dtype=torch.float64)
    step = torch.rand(3, 3, generator=generator, dtype=torch.float64)
    if ruled_out:
        first[2], step[0, 2] = 0.0, 0.0
    return scores, first / first.sum(), step / step.sum(dim=1, keepdim=True)


@pytest.mark.parametrize("lengths", LENGTHS, ids=str)
@pytest.mark.parametrize("ruled_out", [False, True])
def test_all_paths(lengths: list[int], ruled_out: bool) -> None:
    starts = np.concatenate([[0], np.cumsum(lengths)])
    scores, first, step = _problem(lengths, len(lengths), ruled_out)
    posterior, counts, mass = forward_backward(scores, Layout(starts), first, step)
    best = best_paths(scores, Layout(starts), first.clamp(min=1e-300).log(), step.clamp(min=1e-300).log())
    total, firsts, pairs = 0.0, np.zeros(3), np.zeros((3, 3))
    for a, b in pairwise(starts):
        if a == b:
            continue
        weights = {
            path: _weight(path, scores[a:b].numpy(), first.numpy(), step.numpy())
            for path in product(range(3), repeat=int(b - a))
        }
        whole = sum(weights.values())
        total += float(np.log(whole))
        for place in range(b - a):
            for k in range(3):
                share = sum(w for path, w in weights.items() if path[place] == k) / whole
                assert float(posterior[a + place, k]) == pytest.approx(share, abs=1e-9)
        for path, weight in weights.items():
            firsts[path[0]] += weight / whole
            for before, after in pairwise(path):
                pairs[before, after] += weight / whole
        assert tuple(best[a:b].tolist()) == max(weights, key=lambda path: weights[path])
    assert mass == pytest.approx(total, abs=1e-8)
    np.testing.assert_allclose(counts.first.numpy(), firsts, atol=1e-8)
    np.testing.assert_allclose(counts.pairs.numpy(), pairs, atol=1e-8)


def _weight(path: tuple[int, ...], scores: np.ndarray, first: np.ndarray, step: np.ndarray) -> float:
    chance = first[path[0]]
    for before, after in pairwise(path):
        chance *= step[before, after]
    return float(chance * np.exp(sum(scores[place, k] for place, k in enumerate(path))))


def test_nothing_underflows_on_a_long_sentence() -> None:
    scores, first, step = _problem([2000], 0, ruled_out=True)
    posterior, _, mass = forward_backward(1e3 * scores, Layout(np.array([0, 2000])), first, step)
    assert np.isfinite(mass)
    torch.testing.assert_close(posterior.sum(dim=1), torch.ones(2000, dtype=torch.float64))


def test_no_place_is_padding() -> None:
    starts = np.concatenate([[0], np.cumsum(np.random.default_rng(0).integers(0, 30, 200))])
    assert len(Layout(starts).order) == starts[-1]
    assert sorted(Layout(starts).order.tolist()) == list(range(starts[-1]))
