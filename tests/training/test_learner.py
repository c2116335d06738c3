"""The loop against loops written out: batches, steps, rounds, what unlabelled tasks count."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression
from torch import nn

import manyhands as mh
from manyhands.channels import Confusion, OneCoin, Sizes, votes_of
from manyhands.errors import ParameterError
from manyhands.models import CrowdClassifier
from manyhands.networks import MLP, Linear
from manyhands.objectives.objective import objective_named
from manyhands.training.callbacks import Callback
from manyhands.training.features import features_of
from manyhands.training.learner import Learner
from manyhands.training.rounds import closed_form_counts
from manyhands.training.settings import Settings

CROWD = mh.simulate("confusion", n_tasks=61, n_annotators=5, n_features=3, redundancy=3, seed=0)
X, LABELS = CROWD.features, CROWD.labels
VOTES = list(
    zip(LABELS.task.tolist(), LABELS.annotator.tolist(), LABELS.answers.values.tolist(), strict=True)
)


def learner(objective: str = "joint", network: nn.Module | None = None, **settings: Any) -> Learner:
    torch.manual_seed(0)
    given = {"epochs": 3, "batch_size": 20, "optimizer": "sgd"} | settings
    return Learner(
        network or nn.Linear(3, 3), Confusion(diagonal=1.0).build(Sizes(5, 3, 3, 3, 61)), objective_named(objective),
        features_of(X), votes_of(LABELS), Settings(**given), seed=3,
    )  # fmt: skip


def test_an_epoch_of_gradients_written_out() -> None:
    """Joint likelihood, one vote at a time, plain gradient steps with momentum."""
    ours = learner(rate=0.1, channel_rate=0.1)
    torch.manual_seed(0)
    network = nn.Linear(3, 3)
    logits = torch.eye(3).expand(5, 3, 3).clone().requires_grad_()
    weights: list[torch.Tensor] = [network.weight, network.bias, logits]
    order = torch.randperm(61, generator=torch.Generator().manual_seed(3))
    optimiser = torch.optim.SGD(weights, lr=0.1, momentum=0.9)
    for start in range(0, 61, 20):
        total, n = torch.tensor(0.0), 0
        for task in order[start : start + 20].tolist():
            score = network(torch.tensor(X[task])).log_softmax(dim=0)
            for i, j, label in VOTES:
                if i == task:
                    score, n = score + logits[j].log_softmax(dim=1)[:, label], n + 1
            total = total - score.logsumexp(dim=0)
        optimiser.zero_grad()
        (total / n).backward()
        optimiser.step()
    ours.run_epoch(0)
    torch.testing.assert_close(ours.network.weight, network.weight, atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(ours.channel.logits.weight.view(5, 3, 3), logits, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("per_vote", [False, True])
def test_counts_of_a_round(per_vote: bool) -> None:
    ours = learner("em-marginal" if per_vote else "em")
    rng = np.random.default_rng(0)
    targets = rng.dirichlet(np.ones(3), len(VOTES) if per_vote else 61)
    expected = np.zeros((5, 3, 3))
    for n, (i, j, label) in enumerate(VOTES):
        expected[j, label] += targets[n if per_vote else i]
    by_vote = torch.from_numpy(targets).float()
    by_vote = by_vote if per_vote else by_vote[ours.data_units]
    np.testing.assert_allclose(closed_form_counts(by_vote, ours.data).numpy(), expected, atol=1e-4)


def test_targets_are_refreshed_once_a_round() -> None:
    ours, seen = learner("em", epochs=6, epochs_a_round=3, rate=0.1), []
    for epoch in range(6):
        ours.run_epoch(epoch)
        seen.append(ours.targets)
    assert seen[0] is seen[1] is seen[2]
    assert seen[3] is seen[4] is seen[5]
    assert not torch.equal(seen[2], seen[3])
    torch.testing.assert_close(seen[0], ours.shares)


def test_the_posterior_is_network_times_votes() -> None:
    ours = learner(epochs=2).fit()
    f, t = ours.predict_log().exp().numpy(), ours.channel.confusions().numpy()
    expected = f.copy()
    for i, j, label in VOTES:
        expected[i] *= t[j, :, label]
    np.testing.assert_allclose(
        ours.posterior().numpy(), expected / expected.sum(axis=1, keepdims=True), atol=1e-5
    )


def test_epochs_on_the_majority_are_cross_entropy_of_those_with_labels() -> None:
    part = LABELS.where(LABELS.task < 40)
    model = CrowdClassifier(
        Linear(False), majority_epochs=400, epochs=1, learning_rate=0.05, weight_decay=0.0, average=0, batch_size=61,
        input_dropout=0.0,
    )  # fmt: skip
    grabbed: list[np.ndarray] = []

    class AtTheEnd(Callback):
        def on_epoch_end(self, learner: Any) -> None:
            if len(learner.history) == 400:
                grabbed.append(learner.predict_log().exp().numpy())

    model.set_params(callbacks=[AtTheEnd()]).fit(X, part)
    q = mh.MajorityVote().fit(part).predict_proba()[:40]
    rows, labels = np.repeat(X[:40], 3, axis=0), np.tile(np.arange(3), 40)
    expected = LogisticRegression(C=1e8, max_iter=5000).fit(rows, labels, q.ravel()).predict_proba(X)
    np.testing.assert_allclose(grabbed[0], expected, atol=0.02)


def test_a_last_batch_of_one_joins_the_one_before_under_batch_norm() -> None:
    plain, normed = learner(), learner(network=MLP((4,), batch_norm=True).build(3, 3))
    assert [len(b) for b in plain._batches()] == [20, 20, 20, 1]
    assert [len(b) for b in normed._batches()] == [20, 20, 21]
    normed.fit()
    with pytest.raises(ParameterError, match=r"batches of one task.*batch_size"):
        learner(network=MLP((4,), batch_norm=True).build(3, 3), batch_size=1).fit()


def test_a_batch_of_one_is_a_batch() -> None:
    assert np.isfinite(learner(batch_size=1, epochs=1).fit().history[0]["loss"])


@pytest.mark.parametrize("objective", ["joint", "marginal", "em", "em-marginal"])
def test_partial_fit_keeps_to_its_objective(objective: str) -> None:
    model = CrowdClassifier("linear", objective=objective, epochs=2).fit(X, LABELS)
    model.partial_fit(X[:20], LABELS[:20]).partial_fit(X[20:], LABELS[20:])
    assert [e["phase"] for e in model.history_] == [objective] * 4


def test_partial_fit_from_nothing_is_a_fit() -> None:
    one = CrowdClassifier("linear", epochs=3).partial_fit(X, LABELS)
    np.testing.assert_array_equal(
        one.predict_proba(X), CrowdClassifier("linear", epochs=3).fit(X, LABELS).predict_proba(X)
    )


@pytest.mark.parametrize("objective", ["joint", "em"])
def test_mixed_precision_is_near_the_whole(objective: str) -> None:
    options: dict[str, Any] = {"objective": objective, "epochs": 5, "average": 0}
    whole = CrowdClassifier("linear", **options).fit(X, LABELS).predict_proba(X)
    mixed = CrowdClassifier("linear", mixed_precision=True, **options).fit(X, LABELS).predict_proba(X)
    assert 0 < abs(mixed - whole).max() < 0.05


def test_channels_of_one_number_learn_too() -> None:
    model = CrowdClassifier("linear", OneCoin(), epochs=3).fit(X, LABELS)
    assert np.isfinite(model.score(X, LABELS))


@pytest.mark.parametrize("objective", ["joint", "marginal"])
def test_known_truths_written_out(objective: str) -> None:
    """-log f_z - sum log T[z] of a task whose truth is known, whichever the objective."""
    known = torch.full((61,), -1)
    known[5], known[60] = 2, 0
    ours = learner(objective)
    ours.known = known
    units = torch.tensor([5, 60])
    loss, _ = ours.compute_loss(units, objective_named(objective))
    f = ours.log_truth(torch.tensor(X[[5, 60]]))
    log_t = ours.channel.confusions().log()
    expected = -f[0, 2] - f[1, 0]
    for i, j, label in VOTES:
        if i in (5, 60):
            expected = expected - log_t[j, known[i], label]
    torch.testing.assert_close(loss, expected, atol=1e-4, rtol=1e-4)
    loss.backward()
    assert all(torch.isfinite(p.grad).all() for p in [*ours.network.parameters(), *ours.channel.parameters()])
