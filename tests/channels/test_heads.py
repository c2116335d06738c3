from __future__ import annotations

import numpy as np
import pytest
import torch

from manyhands.channels import Heads, Sizes, Votes
from manyhands.channels import heads as room
from manyhands.errors import ParameterError
from manyhands.objectives.objective import objective_named

from .tiny_batch import batch_of, shake, tiny_votes

WIDTH = 4


def made(votes: Votes, vote: str = "mean") -> tuple:
    module = Heads(vote).build(Sizes(votes.n_annotators, votes.n_labels, votes.n_classes, WIDTH))
    module.start(votes, torch.zeros(votes.n_units, votes.n_classes))
    shake(module, by=1.0)
    said = torch.from_numpy(np.random.default_rng(5).normal(size=(votes.n_units, WIDTH)))
    return module, said


def all_chances(module: torch.nn.Module, said: torch.Tensor, k: int) -> np.ndarray:
    """[tasks, annotators, labels], a loop a head."""
    out = []
    for row in module.table.weight.detach().numpy():
        weights = row.reshape(WIDTH + 1, k)
        logits = said.numpy() @ weights[:-1] + weights[-1]
        out.append(np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True))
    return np.stack(out, axis=1)


def test_each_label_is_of_its_annotators_head() -> None:
    votes = tiny_votes()
    module, said = made(votes)
    batch, chances = batch_of(votes, weighted=True), all_chances(module, said, 3)
    each = [
        w * np.log(chances[i, j, label])
        for i, j, label, w in zip(votes.unit, votes.annotator, votes.label, batch.weight.numpy(), strict=True)
    ]
    loss = objective_named("marginal").loss(said, module, batch, None)
    assert loss.item() == pytest.approx(-sum(each), rel=1e-9)


def test_gradients() -> None:
    votes = tiny_votes()
    module, said = made(votes)
    batch = batch_of(votes)
    said.requires_grad_()

    def loss(*_: torch.Tensor) -> torch.Tensor:
        return objective_named("marginal").loss(said, module, batch, None)

    assert torch.autograd.gradcheck(loss, (said, module.table.weight))

    def averaged(*_: torch.Tensor) -> torch.Tensor:
        return module.averaging_loss(said, batch)

    assert torch.autograd.gradcheck(averaged, (module.say,))


@pytest.mark.parametrize("at_once", [1, 2**20])
def test_votes_of_heads_in_blocks(monkeypatch: pytest.MonkeyPatch, at_once: int) -> None:
    """The third annotator never spoke: its head has no vote."""
    monkeypatch.setattr(room, "AT_ONCE", at_once)
    votes = tiny_votes()
    kept = votes.annotator != 2
    votes = votes._replace(unit=votes.unit[kept], annotator=votes.annotator[kept], label=votes.label[kept])
    for vote in ("mean", "majority"):
        module, said = made(votes, vote)
        w = np.exp(module.say.detach().numpy()[:2])
        np.testing.assert_allclose(module.weights().numpy(), [*(w / w.sum()), 0], atol=1e-12)
        chances = all_chances(module, said, 3)[:, :2]
        if vote == "majority":
            chances = np.eye(3)[chances.argmax(axis=2)]
        expected = np.einsum("ijk,j->ik", chances, w / w.sum())
        np.testing.assert_allclose(module.vote(said).exp().numpy(), expected, atol=1e-12)


def test_the_say_is_learnt_with_the_own_head_left_out() -> None:
    votes = tiny_votes()
    module, said = made(votes)
    w, chances = module.weights().numpy(), all_chances(module, said, 3)
    total = 0.0
    for i, j, label in zip(votes.unit, votes.annotator, votes.label, strict=True):
        others = [a for a in range(3) if a != j]
        total -= np.log(sum(w[a] * chances[i, a, label] for a in others) / sum(w[a] for a in others))
    assert module.averaging_loss(said, batch_of(votes)).item() == pytest.approx(total, rel=1e-9)


def test_one_annotator_has_nobody_to_be_foretold_by() -> None:
    votes = tiny_votes(r=1)
    module, said = made(votes)
    assert module.averaging_loss(said, batch_of(votes)).item() == 0


def test_portraits_are_the_labels_expected_of_each_annotator() -> None:
    votes = tiny_votes()
    module, said = made(votes)
    q, chances = module.vote(said).exp().numpy(), all_chances(module, said, 3)
    module.look(module.vote(said).exp(), said, batch_of(votes))
    counts = np.zeros((3, 3, 3))
    for i, j in zip(votes.unit, votes.annotator, strict=True):
        counts[j] += q[i][:, None] * chances[i, j]
    np.testing.assert_allclose(module.counts.numpy(), counts, rtol=1e-9)
    rows = module.confusions().numpy()
    np.testing.assert_allclose(rows.sum(axis=2), 1)
    np.testing.assert_allclose(
        rows,
        (counts + counts.sum(0) / counts.sum((0, 2))[:, None]) / (counts.sum(2, keepdims=True) + 1),
        atol=5e-3,
    )


def test_the_vote_is_checked() -> None:
    with pytest.raises(ParameterError, match="vote='most'"):
        Heads("most")
