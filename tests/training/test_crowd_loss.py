"""CrowdLoss in loops that a user owns, against sums written out."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import manyhands as mh
from manyhands.channels import Confusion, CrowdLayer, Sizes
from manyhands.errors import ParameterError
from manyhands.training.crowd_loss import CrowdLoss

CROWD = mh.simulate("confusion", n_tasks=300, n_annotators=4, n_classes=3, n_features=3, redundancy=3, seed=0)
X, LABELS = torch.tensor(CROWD.features), CROWD.labels
VOTES = list(
    zip(LABELS.task.tolist(), LABELS.annotator.tolist(), LABELS.answers.values.tolist(), strict=True)
)


def written_out(logits: Tensor, matrices: Tensor, tasks: list[int], joint: bool) -> float:
    f, total, n = logits.softmax(dim=1).double().numpy(), 0.0, 0
    for row, task in enumerate(tasks):
        said = [matrices[j].double().numpy()[:, label] for i, j, label in VOTES if i == task]
        n += len(said)
        if joint:
            total -= np.log((f[row] * np.prod(said, axis=0)).sum())
        else:
            total -= sum(np.log((f[row] * t).sum()) for t in said)
    return total / n


@pytest.mark.parametrize("objective", ["joint", "marginal"])
def test_its_value_is_the_likelihood_a_vote(objective: str) -> None:
    generator = torch.Generator().manual_seed(0)
    loss = CrowdLoss(Confusion(diagonal=1.0), objective, LABELS)
    nn.init.normal_(loss.channel.logits.weight, generator=generator)
    tasks, logits = [7, 3, 250], torch.randn(3, 3, generator=generator)
    found = loss(logits, torch.tensor(tasks)).item()
    assert found == pytest.approx(
        written_out(logits, loss.confusions(), tasks, objective == "joint"), rel=1e-4
    )


def test_a_batch_of_votes_is_a_batch_of_tasks() -> None:
    by_task = CrowdLoss(Confusion(), "joint", LABELS)
    by_vote = CrowdLoss(Confusion(), "joint", n_annotators=4, n_classes=3)
    logits = torch.randn(5, 3, generator=torch.Generator().manual_seed(1))
    rows = torch.tensor([[i - 10, j, label] for i, j, label in VOTES if 10 <= i < 15]).T
    assert by_task(logits, torch.arange(10, 15)) == by_vote(logits, tuple(rows))
    twice = by_vote(logits, (*rows, torch.full((rows.shape[1],), 2.0)))
    assert twice < 2 * by_vote(logits, tuple(rows))


@pytest.mark.parametrize("objective", ["em", "em-marginal"])
def test_em_on_the_spot_has_the_gradient_of_what_it_climbs(objective: str) -> None:
    """Fisher's identity: with targets taken at the same weights both gradients are one."""
    climbed = {"em": "joint", "em-marginal": "marginal"}[objective]
    logits = torch.randn(300, 3, generator=torch.Generator().manual_seed(2))
    grads = []
    for name in (objective, climbed):
        loss, given = CrowdLoss(Confusion(diagonal=1.0), name, LABELS), logits.clone().requires_grad_()
        loss(given, torch.arange(300)).backward()
        grads.append((given.grad, loss.channel.logits.weight.grad))
    for one, other in zip(*grads, strict=True):
        torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-3)


@pytest.mark.parametrize("objective", ["joint", "marginal", "em"])
def test_a_plain_loop(objective: str) -> None:
    torch.manual_seed(0)
    network, loss = nn.Linear(3, 3), CrowdLoss(Confusion(diagonal=2.0), objective, LABELS)
    optimiser = torch.optim.Adam([*network.parameters(), *loss.parameters()], lr=0.05)
    for _ in range(150):
        optimiser.zero_grad()
        loss(network(X), torch.arange(300)).backward()
        optimiser.step()
    assert abs(loss.confusions().detach().numpy() - CROWD.confusions).mean() < 0.06
    posterior = loss.expect(network(X), torch.arange(300))
    assert (posterior.argmax(dim=1).numpy() == CROWD.truth).mean() > 0.8
    twin = CrowdLoss(Confusion(diagonal=2.0), objective, LABELS)
    twin.load_state_dict(loss.state_dict())
    assert twin(network(X), torch.arange(300)) == loss(network(X), torch.arange(300))


class LikeLightning(nn.Module):
    """The two methods that a trainer calls."""

    def __init__(self) -> None:
        super().__init__()
        self.network, self.loss = nn.Linear(3, 3), CrowdLoss(Confusion(shared=1.0), "joint", LABELS)

    def training_step(self, batch: tuple[Tensor, Tensor], index: int) -> Tensor:
        x, tasks = batch
        return self.loss(self.network(x), tasks)

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.Adam(self.parameters(), lr=0.02)


def test_a_module_that_a_trainer_drives() -> None:
    torch.manual_seed(0)
    module = LikeLightning()
    data = torch.utils.data.TensorDataset(X, torch.arange(300))
    loader = torch.utils.data.DataLoader(data, batch_size=50, shuffle=True)
    optimiser, before = module.configure_optimizers(), copy.deepcopy(module.state_dict())
    losses = []
    for _ in range(20):
        for index, batch in enumerate(loader):
            loss = module.training_step(batch, index)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            losses.append(loss.item())
    assert np.mean(losses[-6:]) < np.mean(losses[:6]) - 0.05
    assert all((module.state_dict()[k] != before[k]).any() for k in before if "weight" in k)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # Lightning's own, about workers and loggers
def test_a_real_lightning_trainer(tmp_path: Any) -> None:
    lightning = pytest.importorskip("pytorch_lightning", reason="pytorch-lightning is not installed")

    class Crowd(lightning.LightningModule):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.network, self.loss = nn.Linear(3, 3), CrowdLoss(Confusion(shared=1.0), "joint", LABELS)

        training_step = LikeLightning.training_step
        configure_optimizers = LikeLightning.configure_optimizers

    torch.manual_seed(0)
    module = Crowd()
    data = torch.utils.data.TensorDataset(X, torch.arange(300))
    loader = torch.utils.data.DataLoader(data, batch_size=50, shuffle=True)
    before = float(module.loss(module.network(X), torch.arange(300)).detach())
    trainer = lightning.Trainer(
        max_epochs=20, accelerator="cpu", logger=False, enable_checkpointing=True, default_root_dir=tmp_path,
        enable_progress_bar=False, enable_model_summary=False,
    )  # fmt: skip
    trainer.fit(module, loader)
    after = float(module.loss(module.network(X), torch.arange(300)).detach())
    assert after < before - 0.05
    kept = torch.load(trainer.checkpoint_callback.best_model_path, weights_only=True)["state_dict"]
    assert {name for name in kept if name.startswith("loss.")}  # the channel travels with the model
    assert (module.network(X).argmax(dim=1).numpy() == CROWD.truth).mean() > 0.6  # chance: a third


def test_large_tables_take_any_optimiser_unless_asked() -> None:
    sizes: dict[str, Any] = {"n_annotators": 120_000, "n_classes": 3}
    batch = (torch.tensor([0]), torch.tensor([5]), torch.tensor([1]))
    dense, sparse = CrowdLoss(Confusion(), **sizes), CrowdLoss(Confusion(), sparse=True, **sizes)
    for loss in (dense, sparse):
        loss(torch.zeros(1, 3), batch).backward()
    assert not dense.channel.logits.weight.grad.is_sparse
    assert sparse.channel.logits.weight.grad.is_sparse


def test_what_does_not_fit_is_said() -> None:
    with pytest.raises(ParameterError, match="labels="):
        CrowdLoss(Confusion())
    with pytest.raises(ParameterError, match="must be a specification"):
        CrowdLoss("confusion", labels=LABELS)
    with pytest.raises(ParameterError, match="objective='marginal'"):
        CrowdLoss(CrowdLayer("MW"), "joint", LABELS)
    loss, logits = CrowdLoss(Confusion(), "joint", LABELS), torch.zeros(2, 3)
    ours = CrowdLoss(Confusion().build(Sizes(4, 3, 3)))
    with pytest.raises(ParameterError, match="without labels="):
        ours(logits, torch.arange(2))
    with pytest.raises(ParameterError, match="3 tasks, but there are 2 rows"):
        loss(logits, torch.arange(3))
    with pytest.raises(ParameterError, match="0 to 299, not 300"):
        loss(logits, torch.tensor([0, 300]))
    with pytest.raises(ParameterError, match="ascending"):
        loss(logits, (torch.tensor([1, 0]), torch.tensor([0, 0]), torch.tensor([0, 0])))
    with pytest.raises(ParameterError, match="batch is a str"):
        loss(logits, "all")
