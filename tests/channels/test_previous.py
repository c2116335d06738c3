"""The channel that knows the annotator's tag before: its numbers, its priors, and matrices recovered."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import manyhands as mh
from manyhands import channels
from manyhands.channels import Batch, Previous, Sizes, Votes
from manyhands.channels.previous import previous_labels, with_memory
from manyhands.channels.sparse import ridge
from manyhands.errors import ParameterError
from manyhands.networks import Tagger

TAGS = ["O", "B-X", "I-X"]


def _votes() -> Votes:
    rng = np.random.default_rng(0)
    unit = np.repeat(np.arange(7), 2)
    annotator, label = np.tile([0, 2], 7), rng.integers(0, 3, 14)
    return Votes(
        unit, annotator.astype(np.int32), label.astype(np.int32), None, 7, 3, 3, 3, np.array([0, 3, 4, 7])
    )


def _batch(votes: Votes) -> Batch:
    before = torch.from_numpy(previous_labels(votes).astype(np.int64))
    parts = (torch.from_numpy(part.astype(np.int64)) for part in (votes.unit, votes.annotator, votes.label))
    return Batch(*parts, None, torch.arange(votes.n_units), None, before)


def _shaken(n_annotators: int = 3) -> Any:
    module = Previous().build(Sizes(n_annotators, 3, 3))
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for part in module.parameters():
            part.copy_(torch.randn(part.shape, generator=generator))
    return module


def test_a_row_is_the_softmax_of_the_sum_in_a_table_and_by_itself() -> None:
    votes = _votes()
    batch, module = _batch(votes), _shaken()
    slow = []
    for j, p, label in zip(batch.annotator, batch.before, batch.label, strict=True):
        rows = module.after.weight[p] + module.own.weight[j] + module.both.weight[4 * j + p]
        slow.append((module.common + rows.view(3, 3)).log_softmax(dim=1)[:, label])
    torch.testing.assert_close(module(batch), torch.stack(slow))
    many = _shaken(9)  # more states of mind than votes
    assert len(many.both.weight) > len(batch.label)
    torch.testing.assert_close(
        many(batch), many.minds()[batch.annotator, batch.before, :, batch.label].log(), rtol=1e-4, atol=1e-5
    )


def test_priors_of_all_batches_together_are_those_of_the_tables() -> None:
    votes = _votes()
    module, batch = _shaken(), _batch(votes)
    module.start(votes, torch.zeros(7, 3))
    spoken = module.met > 0
    rows = [
        module.own.weight[spoken.any(1)],
        module.after.weight[spoken.any(0)],
        module.both.weight[spoken.flatten()],
    ]
    assert float(module.penalty(batch).detach()) == pytest.approx(
        sum(float((r.detach() ** 2).sum()) for r in rows) / 2, rel=1e-5
    )
    np.testing.assert_array_equal(
        module.met.numpy().ravel(), np.bincount(with_memory(votes).annotator, minlength=12)
    )


def test_a_ridge_by_rows_is_that_of_the_table() -> None:
    table = torch.nn.Embedding(4, 5)
    row, answers = torch.tensor([0, 3, 3, 1, 0]), torch.tensor([2.0, 3.0, 1.0, 4.0])
    slow = 0.5 * ((table(row) ** 2).sum(1) / answers[row]).sum()
    torch.testing.assert_close(ridge(table, row, answers), slow)
    torch.testing.assert_close(
        ridge(table, row[:2], answers), 0.5 * ((table(row[:2]) ** 2).sum(1) / answers[row[:2]]).sum()
    )


def test_labels_without_neighbours_are_refused() -> None:
    votes = _votes()._replace(starts=None)
    with pytest.raises(ParameterError, match="no tags"):
        Previous().build(Sizes(3, 3, 3)).start(votes, torch.zeros(7, 3))
    with pytest.raises(ParameterError, match="no tags"):
        mh.CrowdClassifier("linear", channels.Previous(), epochs=1).fit(
            np.zeros((4, 2)), mh.Annotations.from_matrix(np.eye(4, 2, dtype=int))
        )
    with pytest.raises(ParameterError, match="negative"):
        Previous(memory=-1)


def _minds() -> np.ndarray:
    """[annotators, before, classes, labels]: two who go on where they have begun, one who hardly begins."""
    good = np.full((4, 3, 3), 0.03)
    good[:, range(3), range(3)] = 0.94
    lazy = good.copy()
    lazy[0, 2], lazy[3, 2], lazy[0, 1] = [0.9, 0.05, 0.05], [0.9, 0.05, 0.05], [0.6, 0.38, 0.02]
    keen = good.copy()
    keen[1, 0], keen[2, 0] = [0.5, 0.05, 0.45], [0.6, 0.05, 0.35]  # takes spans one token too far
    return np.stack([good, lazy, keen])


def _crowd(n: int, seed: int = 0) -> tuple[list[list[str]], mh.Annotations, np.ndarray]:
    """Words, tags, and how often each annotator was in each state of mind at each truth."""
    rng, minds = np.random.default_rng(seed), _minds()
    words, answers, counts = [], {}, np.zeros((3, 4, 3))
    for task in range(n):
        truth = [int(rng.choice(2, p=[0.6, 0.4]))]
        for _ in range(int(rng.integers(2, 9))):
            truth.append(int(rng.choice(3, p=[[0.7, 0.3, 0.0], [0.3, 0.1, 0.6], [0.5, 0.1, 0.4]][truth[-1]])))
        words.append([f"{'oxi'[k]}{rng.integers(4)}" for k in truth])
        answers[task] = {f"a{j}": _said(minds[j], truth, rng) for j in range(3)}
        for j in range(3):
            before = [3, *(TAGS.index(tag) for tag in answers[task][f"a{j}"][:-1])]
            np.add.at(counts[j], (before, truth), 1)
    return words, mh.Annotations.from_dict(answers, kind="tags", classes=TAGS), counts


def _said(mind: np.ndarray, truth: list[int], rng: np.random.Generator) -> list[str]:
    before, said = 3, []
    for k in truth:
        before = int(rng.choice(3, p=mind[before, k]))
        said.append(TAGS[before])
    return said


@pytest.mark.slow
@pytest.mark.parametrize("chain", [False, True])
def test_matrices_of_annotators_with_a_memory_are_recovered(chain: bool) -> None:
    words, labels, counts = _crowd(1500)
    small = Tagger(dim=8, filters=16, hidden=8, dropout=0.0)
    model = mh.CrowdTagger(
        small, channels.Previous(), "joint", chain=chain, epochs=20, learning_rate=5e-3, average=0
    ).fit(words, labels)
    found = model.channel_.minds().numpy()
    assert np.abs(found - _minds())[counts > 100].mean() < 0.02
    assert np.abs(found - _minds())[counts > 300].max() < 0.12
    share = counts.sum(axis=2) / counts.sum(axis=(1, 2))[:, None]
    over = np.einsum("jp,jpkl->jkl", share, found)
    np.testing.assert_allclose(model.channel_.confusions().numpy(), over, atol=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("chain", [False, True])
def test_plain_matrices_are_recovered_by_the_tagger(chain: bool) -> None:
    rng = np.random.default_rng(0)
    matrices = np.array(
        [
            [[0.9, 0.06, 0.04], [0.3, 0.6, 0.1], [0.2, 0.1, 0.7]],
            [[0.8, 0.1, 0.1], [0.05, 0.9, 0.05], [0.4, 0.1, 0.5]],
        ]
    )
    words, answers = [], {}
    for task in range(1500):
        truth = [0]
        for _ in range(6):
            truth.append(int(rng.choice(3, p=[[0.7, 0.3, 0.0], [0.3, 0.1, 0.6], [0.5, 0.1, 0.4]][truth[-1]])))
        words.append([f"{'oxi'[k]}{rng.integers(4)}" for k in truth])
        answers[task] = {f"a{j}": [TAGS[rng.choice(3, p=matrices[j, k])] for k in truth] for j in range(2)}
    labels = mh.Annotations.from_dict(answers, kind="tags", classes=TAGS)
    small = Tagger(dim=8, filters=16, hidden=8, dropout=0.0)
    model = mh.CrowdTagger(
        small, chain=chain, objective="joint", epochs=15, learning_rate=5e-3, average=0
    ).fit(words, labels)
    np.testing.assert_allclose(model.channel_.confusions().numpy(), matrices, atol=0.06)
