from __future__ import annotations

import numpy as np
import pytest
import torch

import manyhands as mh
from manyhands.errors import ParameterError
from manyhands.networks.generative import Generative


def test_the_evidence_is_below_the_likelihood_of_the_features_and_meets_it() -> None:
    """A decoder that is linear in h: p(x | z) is Gaussian, the posterior of h known; in it the bound is exact."""
    torch.manual_seed(0)
    network = Generative(torch.nn.Linear(2, 2), 2, 2, latent=1, hidden=4)
    with torch.no_grad():
        for part in (network.encoder, network.decoder):
            for p in part.parameters():
                p.zero_()
        network.decoder[2].bias.copy_(torch.tensor([0.3, -0.2]))
    x = torch.randn(5, 2)
    # h has no effect, q(h) = N(0, 1) is the prior: log N(x; m, I)
    expected = -0.5 * ((x - torch.tensor([0.3, -0.2])) ** 2).sum(dim=1) - np.log(2 * np.pi)
    found = network.evidence(x).detach()
    np.testing.assert_allclose(found, expected[:, None].expand(-1, 2), rtol=1e-5)
    with torch.no_grad():
        network.encoder[2].bias.copy_(torch.tensor([0.5, -0.3]))  # another q(h) costs its divergence
    divergence = 0.5 * (0.25 + np.exp(-0.6) - 1) + 0.3
    np.testing.assert_allclose(network.evidence(x).detach(), found - divergence, rtol=1e-4)


def test_the_loss_is_the_bound_written_out() -> None:
    crowd = mh.simulate("confusion", n_tasks=12, n_annotators=5, n_classes=3, n_features=2, seed=0)
    labels = crowd.labels[:5].align(crowd.labels.tasks)
    settings = {
        "epochs": 1,
        "majority_epochs": 0,
        "warm_up": 0,
        "learning_rate": 0.0,
    }
    model = mh.SemiLFC("linear", discriminative=0.5, **settings).fit(crowd.features, labels)
    learner = model.learner_
    torch.manual_seed(7)
    loss, count = learner.compute_loss(torch.arange(12), learner.objective)
    torch.manual_seed(7)
    e = learner.network.evidence(torch.tensor(crowd.features).float()).detach().numpy()
    f, matrices = model.predict_proba(crowd.features), model.channel_.confusions().numpy()
    total, told = 0.0, 0.0
    for i in range(12):
        rows = labels.task == i
        given = list(zip(labels.annotator[rows], np.asarray(labels.answers.values)[rows], strict=True))
        score = [sum(np.log(matrices[j, k, v]) for j, v in given) for k in range(3)]
        total += sum(f[i, k] * (e[i, k] + score[k] - np.log(f[i, k])) for k in range(3))
        told += sum(np.log(f[i] @ matrices[j, :, v]) for j, v in given)
    assert count == 12
    prior = np.log(matrices) * np.where(np.eye(3), 1.0, 0.5)
    spoke = np.isin(range(5), labels.annotator)
    assert loss.item() == pytest.approx(-total - 0.5 * 12 / 5 * told - prior[spoke].sum(), rel=1e-4)


def crowd_of(seed: int) -> tuple:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, 700)
    x = rng.normal(size=(700, 20)) + 0.7 * rng.normal(size=(3, 20))[truth]
    said = np.where(rng.random((20, 2)) < 0.7, truth[:20, None], rng.integers(0, 3, (20, 2)))
    few = mh.Annotations.from_arrays(
        np.repeat(range(20), 2), np.tile([0, 1], 20), said.ravel(), classes=range(3), tasks=range(20)
    )
    return x, few, truth


@pytest.mark.slow
def test_unlabelled_tasks_teach() -> None:
    """20 labelled tasks of two annotators, 480 without; 200 to test. The whole study is benchmarks/unlabelled.py."""
    alone, more = [], []
    for seed in range(3):
        x, few, truth = crowd_of(seed)
        settings = {"hidden": 32, "latent": 4, "learning_rate": 3e-3}
        short = mh.SemiLFC(epochs=200, **settings).fit(x[:20], few)
        long = mh.SemiLFC(epochs=40, **settings).fit(x[:500], few.align(range(500)))
        alone.append((short.predict(x[500:]) == truth[500:]).mean())
        more.append((long.predict(x[500:]) == truth[500:]).mean())
    assert np.mean(more) > np.mean(alone) + 0.03


def test_without_features_of_one_vector_it_says_so() -> None:
    with pytest.raises(ParameterError, match="one vector a task"):
        mh.SemiLFC("cnn").fit(np.zeros((2, 1, 4, 4), dtype=np.float32), [0, 1])


@pytest.mark.parametrize("wrong", [{"latent": 0}, {"discriminative": -1}, {"warm_up": -1}])
def test_parameters_are_checked(wrong: dict) -> None:
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        mh.SemiLFC(**wrong).fit(np.eye(2), [0, 1])
