"""Units that are (task, label) pairs, against sets written out."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import torch
from torch import nn

import manyhands as mh
from manyhands.channels import Batch, Confusion, LowRank, Sizes, votes_of
from manyhands.channels.label_embedding import BesideLabel, LabelEmbedding
from manyhands.errors import LabelError, UnsupportedError
from manyhands.networks import PerLabel
from manyhands.objectives.objective import objective_named
from manyhands.training.features import features_of
from manyhands.training.kinds import units_of
from manyhands.training.pair_units import PairUnits
from manyhands.training.vote_data import VoteData

LABELS = mh.Annotations.from_dict(
    {"t0": {"ann": {"a"}, "bob": {"a", "c"}}, "t1": {"bob": set(), "cid": {"a": True, "b": False}}},
    kind="set", classes=["a", "b", "c"],
)  # fmt: skip


def test_rows_are_the_task_s_then_which_label() -> None:
    x = np.arange(6.0).reshape(2, 3)
    pairs = PairUnits(3).features(features_of(x))
    rows = pairs.rows(torch.arange(6)).numpy()
    expected = np.array([[*x[i], *np.eye(3)[k]] for i in range(2) for k in range(3)])
    np.testing.assert_array_equal(rows, expected)
    assert (len(pairs), pairs.shape, pairs.of_task) == (6, (6,), (3,))
    assert [part.shape[0] for _, part in pairs.all(4)] == [4, 2]
    assert len(np.unique(pairs.sample()[:, 3:].numpy(), axis=0)) == 2  # another label for each task


def test_pictures_are_refused_with_a_cure() -> None:
    with pytest.raises(UnsupportedError, match=r"shape \(1, 4, 4\).*OneVsRest"):
        PairUnits(2).features(features_of(np.zeros((3, 1, 4, 4))))


def test_gold_in_any_form() -> None:
    units, names = PairUnits(3), np.array(["a", "b", "c"])
    expected = [["a", "c"], []]
    assert units.truth(names, [{"c", "a"}, []]).tolist() == expected
    assert units.truth(names, np.array([[1, 0, 1], [0, 0, 0]])).tolist() == expected
    with pytest.raises(LabelError, match="'z' is none of the labels"):
        units.truth(names, [{"z"}])


def tiny() -> tuple[nn.Module, nn.Module, Batch]:
    torch.manual_seed(0)
    votes = votes_of(LABELS)
    features = units_of(LABELS).features(features_of(np.array([[0.3, -1.0], [1.2, 0.4]])))
    network = PerLabel(nn.Linear(2, 3), 3)
    channel = Confusion(shared=0.0).build(Sizes(3, 2, 2))
    nn.init.normal_(channel.logits.weight)
    units = torch.arange(6)
    return network, channel, VoteData(votes).batch(units, features.rows(units))


def by_enumeration(f: np.ndarray, matrices: np.ndarray) -> tuple[float, np.ndarray]:
    """Log-likelihood, and chances of yes: over every subset that may be true of each task."""
    total, chances = 0.0, np.zeros((2, 3))
    said = [(0, 0, (1, 0, 0)), (0, 1, (1, 0, 1)), (1, 1, (0, 0, 0)), (1, 2, (1, 0, None))]
    for task in range(2):
        mass = 0.0
        for subset in product((0, 1), repeat=3):
            p = np.prod([f[task, k] if z else 1 - f[task, k] for k, z in enumerate(subset)])
            for i, who, answer in said:
                if i == task:
                    p *= np.prod(
                        [matrices[who, z, a] for z, a in zip(subset, answer, strict=True) if a is not None]
                    )
            mass += p
            chances[task] += p * np.array(subset)
        total, chances[task] = total + np.log(mass), chances[task] / mass
    return total, chances


def test_joint_and_posterior_are_sums_over_all_subsets() -> None:
    network, channel, batch = tiny()
    network.requires_grad_(False), channel.requires_grad_(False)
    log_truth = network(batch.features).log_softmax(dim=1)
    f = log_truth.exp()[:, 1].reshape(2, 3).numpy()
    total, chances = by_enumeration(f.astype(float), channel.confusions().numpy().astype(float))
    assert float(objective_named("joint").loss(log_truth, channel, batch, None)) == pytest.approx(
        -total, abs=1e-5
    )
    found = objective_named("em").expect(log_truth, channel, batch)[:, 1].reshape(2, 3)
    np.testing.assert_allclose(found.numpy(), chances, atol=1e-6)


def test_gradients_of_the_shared_network_and_of_label_embeddings() -> None:
    torch.manual_seed(0)
    _, _, batch = tiny()
    rows = batch.features.double()
    network = PerLabel(nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 3)), 3).double()
    embedded = nn.Sequential(BesideLabel(nn.Identity(), LabelEmbedding(3, 2)), nn.Linear(4, 2)).double()
    sizes = Sizes(3, 2, 2, 5, 6, n_describing=3, units_a_task=3)
    channel = LowRank(hidden=(3,), embedding=2, label_embedding=2).build(sizes).double().eval()
    for part in (network, embedded):
        weights = [p for p in [*part.parameters(), *channel.parameters()] if p.requires_grad]

        def loss(*_: torch.Tensor, part: nn.Module = part) -> torch.Tensor:
            log_truth = part(rows).log_softmax(dim=1)
            return objective_named("joint").loss(log_truth, channel, batch._replace(features=rows), None)

        assert torch.autograd.gradcheck(loss, weights, atol=1e-6)


def test_dropout_of_features_leaves_the_label_alone() -> None:
    model = mh.CrowdClassifier("linear", epochs=1, input_dropout=0.9)
    model.fit(np.ones((2, 40)), LABELS)
    learner = model.learner_
    learner.network.train()
    rows = learner._with_dropout(learner.features.rows(torch.arange(6)))
    np.testing.assert_array_equal(rows[:, 40:].numpy(), np.tile(np.eye(3), (2, 1)))
    assert (rows[:, :40] != 1.0).any() or learner.network.body[0].mean[0] == 1.0
