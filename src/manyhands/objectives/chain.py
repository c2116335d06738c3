"""Forward, backward and the best path along sentences of unequal length, place by place."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

__all__ = ["ChainCounts", "Layout", "best_paths", "forward_backward"]

LEAST = 1e-30  # of a chance: a sentence that the chain rules out altogether divides by nothing


class ChainCounts(NamedTuple):
    """What a chain's M-step asks for.

    first: expected firsts, [classes]; pairs: expected neighbours, [before, after].
    """

    first: Tensor
    pairs: Tensor


class Layout:
    """Units in the order place by place, the longest sentence first: a place is one run of rows.

    No row is padding: at place t there are just the sentences that reach it.

    starts: where each sentence starts among the units, and where the last one ends.

    >>> layout = Layout(np.array([0, 1, 3]))
    >>> layout.order.tolist(), layout.edges
    ([1, 0, 2], [0, 2, 3])
    """

    def __init__(self, starts: np.ndarray):
        lengths = np.diff(starts)
        longest_first = np.argsort(-lengths, kind="stable")
        running = np.searchsorted(-lengths[longest_first], -np.arange(lengths.max(initial=0)), side="left")
        places = [starts[longest_first[:n]] + place for place, n in enumerate(running)]
        self.order = torch.from_numpy(np.concatenate([np.empty(0, dtype=np.int64), *places]))
        self.edges = [0, *np.cumsum(running).tolist()]
        self.n_units = int(starts[-1])
        self.last = torch.from_numpy((starts[1:] - 1)[lengths > 0])

    def rows(self, place: int) -> slice:
        """The rows at one place."""
        return slice(self.edges[place], self.edges[place + 1])

    @property
    def places(self) -> int:
        """The length of the longest sentence."""
        return len(self.edges) - 1


def forward_backward(
    scores: Tensor, layout: Layout, first: Tensor, step: Tensor
) -> tuple[Tensor, ChainCounts, float]:
    r"""The posterior of every unit under $f_1(z_1) \prod_t A[z_{t-1}, z_t] \prod_t e^{s_t(z_t)}$, counts, and the log mass.

    scores: [units, classes]; first, step: chances, [classes] and [before, after].
    """
    top = scores.amax(dim=1, keepdim=True)
    chance = (scores - top).exp_().clamp_(min=LEAST)[layout.order]
    forward, mass = _forward(chance, layout, first, step)
    pairs, backward = torch.zeros_like(step, dtype=torch.float64), torch.ones_like(chance)
    for place in range(layout.places - 1, 0, -1):
        here, seen = layout.rows(place), forward[layout.rows(place - 1)][: _size(layout, place)]
        ahead = chance[here] * backward[here]
        reach = ahead @ step.T
        total = reach.sum(dim=1, keepdim=True)
        reach /= total
        pairs += ((seen / (seen * reach).sum(dim=1, keepdim=True)).T @ (ahead / total)).double() * step
        start = layout.edges[place - 1]
        backward[start : start + len(reach)] = reach
    both = forward * backward
    both /= both.sum(dim=1, keepdim=True)
    posterior = torch.empty_like(both)
    posterior[layout.order] = both
    begun = (
        both[layout.rows(0)].sum(dim=0, dtype=torch.float64)
        if layout.places
        else torch.zeros_like(first).double()
    )
    return posterior, ChainCounts(begun, pairs), mass + float(top.sum(dtype=torch.float64))


def best_paths(scores: Tensor, layout: Layout, first: Tensor, step: Tensor) -> Tensor:
    """The likeliest path of every sentence (Viterbi): the class of every unit. first, step: logs."""
    chance, back = scores[layout.order], []
    for place in range(layout.places):
        here = layout.rows(place)
        if not place:
            chance[here] += first
            continue
        before = chance[layout.rows(place - 1)][: _size(layout, place)]
        best, came = (before[:, :, None] + step).max(dim=1)
        chance[here] += best
        back.append(came)
    path = torch.zeros(layout.n_units, dtype=torch.int64)
    chosen = chance.argmax(dim=1)
    for place in range(layout.places - 1, 0, -1):  # who goes on takes what its next place came from
        came = back[place - 1].gather(1, chosen[layout.rows(place)][:, None])[:, 0]
        start = layout.edges[place - 1]
        chosen[start : start + len(came)] = came
    path[layout.order] = chosen
    return path


def _size(layout: Layout, place: int) -> int:
    return layout.edges[place + 1] - layout.edges[place]


def _forward(chance: Tensor, layout: Layout, first: Tensor, step: Tensor) -> tuple[Tensor, float]:
    """Forward chances, each row summing to one, and the log of what was divided out."""
    forward, mass = torch.empty_like(chance), 0.0
    for place in range(layout.places):
        here = layout.rows(place)
        prior = forward[layout.rows(place - 1)][: _size(layout, place)] @ step if place else first
        seen = (prior * chance[here]).clamp_(min=LEAST)
        total = seen.sum(dim=1, keepdim=True)
        torch.div(seen, total, out=forward[here])
        mass += float(total.log().sum(dtype=torch.float64))
    return forward, mass
