"""Forward, backward and the best path along sentences of unequal length, place by place."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

__all__ = [
    "LEAST",
    "ChainCounts",
    "Layout",
    "Messages",
    "best_paths",
    "forward_backward",
    "forward_messages",
    "messages",
]

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
    order: the units in that order; edges: where the places begin; before: of each row after the first place, the row
    of the same sentence one place before; sentence: of each row; first, last: every sentence's first and
    last unit.

    >>> layout = Layout(np.array([0, 1, 3]))
    >>> layout.order.tolist(), layout.edges
    ([1, 0, 2], [0, 2, 3])
    """

    def __init__(self, starts: np.ndarray, device: Any = "cpu"):
        lengths = np.diff(starts)
        longest_first = np.argsort(-lengths, kind="stable")
        running = np.searchsorted(-lengths[longest_first], -np.arange(lengths.max(initial=0)), side="left")
        edges = np.concatenate([[0], np.cumsum(running)])
        place = np.repeat(np.arange(len(running)), running)
        rank = np.arange(edges[-1]) - edges[place]
        sentence = longest_first[rank]
        self.edges: list[int] = edges.tolist()
        self.n_units, self.n_sentences = int(starts[-1]), len(lengths)
        self.order, self.sentence, self.before, self.last = (
            torch.from_numpy(rows).to(device)
            for rows in (
                starts[sentence] + place,
                sentence,
                (edges[place - 1] + rank)[place > 0],
                (starts[1:] - 1)[lengths > 0],
            )
        )
        self.first = self.order[: len(rank) - len(self.before)]

    def rows(self, place: int) -> slice:
        """The rows at one place."""
        return slice(self.edges[place], self.edges[place + 1])

    def came(self, place: int) -> slice:
        """The rows one place before, of the sentences that reach this one."""
        start = self.edges[place - 1]
        return slice(start, start + self.edges[place + 1] - self.edges[place])

    @property
    def places(self) -> int:
        """The length of the longest sentence."""
        return len(self.edges) - 1


class Messages(NamedTuple):
    """What each row knows of its place, [rows, ..., classes], in the layout's order.

    chance: of the row by itself. forward: with those before it, each row summing to one; mass: what was divided
    out, [rows, ..., 1]. backward: what those after it say.
    """

    chance: Tensor
    forward: Tensor
    backward: Tensor
    mass: Tensor

    def posterior(self) -> Tensor:
        """The chances of every row given its whole sentence."""
        both = self.forward * self.backward
        return both.div_(both.sum(dim=-1, keepdim=True))

    def neighbours(self, layout: Layout, step: Tensor) -> tuple[Tensor, Tensor]:
        r"""Rows a, b of the places that have one before: $p(z_{t-1}, z_t) = a_t(z_{t-1}) A[z_{t-1}, z_t] b_t(z_t)$."""
        before, ahead = self.forward[layout.before], (self.chance * self.backward)[len(layout.first) :]
        return before / ((before @ step) * ahead).sum(dim=-1, keepdim=True), ahead


def messages(chance: Tensor, layout: Layout, step: Tensor) -> Messages:
    """Both ways along the places. chance: [rows, ..., classes] in the layout's order; step: chances or weights."""
    forward, mass = forward_messages(chance, layout, step)
    return Messages(chance, forward, backward_messages(chance, layout, step), mass)


def forward_messages(chance: Tensor, layout: Layout, step: Tensor) -> tuple[Tensor, Tensor]:
    """Forward chances, each row summing to one, and what was divided out."""
    forward, mass = torch.empty_like(chance), chance.new_empty(*chance.shape[:-1], 1)
    for place in range(layout.places):
        here = layout.rows(place)
        seen = chance[here]
        if place:
            seen = torch.matmul(forward[layout.came(place)], step).mul_(seen).clamp_(min=LEAST)
        torch.sum(seen, dim=-1, keepdim=True, out=mass[here])
        torch.div(seen, mass[here], out=forward[here])
    return forward, mass


def backward_messages(chance: Tensor, layout: Layout, step: Tensor) -> Tensor:
    """What those after each row say, in chances that sum to one; ones where nobody comes after."""
    backward, turned = torch.ones_like(chance), step.T.contiguous()
    for place in range(layout.places - 1, 0, -1):
        here = layout.rows(place)
        reach = torch.matmul(chance[here] * backward[here], turned)
        torch.div(reach, reach.sum(dim=-1, keepdim=True), out=backward[layout.came(place)])
    return backward


def forward_backward(
    scores: Tensor, layout: Layout, first: Tensor, step: Tensor
) -> tuple[Tensor, ChainCounts, float]:
    r"""The posterior of every unit under $f_1(z_1) \prod_t A[z_{t-1}, z_t] \prod_t e^{s_t(z_t)}$, counts, and the log mass.

    scores: [units, classes]; first, step: chances, [classes] and [before, after].
    """
    top = scores.amax(dim=1, keepdim=True)
    chance = (scores - top).exp_().clamp_(min=LEAST)[layout.order]
    begin = slice(0, len(layout.first))
    chance[begin] = (chance[begin] * first).clamp_(min=LEAST)
    told = messages(chance, layout, step)
    both = told.posterior()
    before, ahead = told.neighbours(layout, step)
    counts = ChainCounts(
        both[begin].sum(dim=0, dtype=torch.float64), before.double().T @ ahead.double() * step
    )
    posterior = torch.empty_like(both).index_copy_(0, layout.order, both)
    return posterior, counts, float((told.mass.log() + top).sum(dtype=torch.float64))


def best_paths(scores: Tensor, layout: Layout, first: Tensor, step: Tensor) -> Tensor:
    """The likeliest path of every sentence (Viterbi): the class of every unit. first, step: logs."""
    chance, back = scores[layout.order], []
    for place in range(layout.places):
        here = layout.rows(place)
        if not place:
            chance[here] += first
            continue
        before = chance[layout.came(place)]
        best, came = (before[:, :, None] + step).max(dim=1)
        chance[here] += best
        back.append(came)
    path = torch.zeros(layout.n_units, dtype=torch.int64)
    chosen = chance.argmax(dim=1)
    for place in range(layout.places - 1, 0, -1):  # who goes on takes what its next place came from
        chosen[layout.came(place)] = back[place - 1].gather(1, chosen[layout.rows(place)][:, None])[:, 0]
    path[layout.order] = chosen
    return path
