"""CRF-MA: its likelihood by hand, who is right recovered, a window of words by a slow loop."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch

import manyhands as mh
from manyhands.channels import Whose
from manyhands.channels.previous import previous_labels
from manyhands.networks import Sentences, WordWindow
from manyhands.networks.chained import ChainScores
from manyhands.objectives.whose import WhoseJoint
from manyhands.training.vote_data import VoteData

TAGS = ["O", "B-PER", "I-PER"]


def _crowd(n: int = 200, seed: int = 0) -> tuple[list[list[str]], mh.Annotations, list[list[str]]]:
    """Capitals are persons; of five annotators one is nearly always right, one guesses, the rest are between."""
    rng = np.random.default_rng(seed)
    sentences, truth, answers = [], [], {}
    for task in range(n):
        names = rng.random(int(rng.integers(2, 9))) < 0.35
        words = [("Ab" if name else "ab")[: int(rng.integers(1, 3))] + str(rng.integers(5)) for name in names]
        tags = ["O" if not b else "I-PER" if t and names[t - 1] else "B-PER" for t, b in enumerate(names)]
        sentences.append(words)
        truth.append(tags)
        answers[task] = {
            f"a{j}": tags if rng.random() < right else [TAGS[k] for k in rng.integers(0, 3, len(tags))]
            for j, right in enumerate([0.95, 0.7, 0.5, 0.3, 0.0])
            if j != task % 5
        }
    return sentences, mh.Annotations.from_dict(answers, kind="tags", classes=TAGS), truth


@pytest.mark.slow
def test_who_is_right_is_recovered_and_the_field_learns() -> None:
    sentences, labels, truth = _crowd()
    new, _, gold = _crowd(seed=1)
    model = mh.CRFMA(epochs=12, batch_size=8).fit(sentences, labels)
    right = dict(zip(labels.annotators.to_list(), model.channel_.right().tolist(), strict=True))
    order = [right[f"a{j}"] for j in range(5)]
    assert order == sorted(order, reverse=True)
    assert order[0] > 0.3 > 0.15 > order[3] > order[4]
    assert model.score(new, gold) > 0.95
    assert mh.metrics.span_scores(model.result_.consensus()["label"].to_list(), truth).f1 > 0.95


def test_the_likelihood_is_the_papers() -> None:
    _, labels, _ = _crowd(4)
    votes = mh.channels.votes_of(labels)
    module = Whose().build(mh.channels.Sizes(5, 3, 3)).double()
    with torch.no_grad():
        module.say.weight.copy_(torch.randn(5, 1, generator=torch.Generator().manual_seed(0)))
    lengths = np.diff(labels.unit_offsets)
    generator = torch.Generator().manual_seed(1)
    scores = torch.randn(labels.n_units, 3, generator=generator, dtype=torch.float64)
    step = torch.randn(3, 3, generator=generator, dtype=torch.float64)
    said = ChainScores(scores, step, torch.from_numpy(lengths))
    batch = VoteData(votes).batch(torch.arange(labels.n_units))
    assert batch.before is not None
    np.testing.assert_array_equal(batch.before.numpy(), previous_labels(votes))
    total, shares = 0.0, []
    say = module.say.weight[:, 0].detach().exp().numpy()
    for a, b in pairwise(labels.unit_offsets):
        mine = (votes.unit >= a) & (votes.unit < b)
        who = np.unique(votes.annotator[mine])
        chances = []
        for j in who:
            path = votes.label[mine & (votes.annotator == j)]
            energy = sum(float(scores[a + t, k]) for t, k in enumerate(path))
            chances.append(
                np.exp(energy + sum(float(step[k, m]) for k, m in pairwise(path))) * say[j] / say[who].sum()
            )
        paths = np.array(np.meshgrid(*[range(3)] * int(b - a), indexing="ij")).reshape(int(b - a), -1).T
        whole = sum(
            np.exp(
                sum(float(scores[a + t, k]) for t, k in enumerate(path))
                + sum(float(step[k, m]) for k, m in pairwise(path))
            )
            for path in paths
        )
        total -= np.log(sum(chances) / whole) + (b - a) * np.log(3)  # the loss leaves K^T out of the others
        shares.append(np.array(chances) / sum(chances))
    assert float(WhoseJoint().loss(said, module, batch, None).detach()) == pytest.approx(total)
    found = WhoseJoint().expect(said, module, batch)
    first = votes.unit == 0
    slow = np.bincount(votes.label[first], shares[0], minlength=3)
    np.testing.assert_allclose(found[0].numpy(), slow, atol=1e-6)


def test_known_sentences_are_learnt_as_they_are() -> None:
    sentences, labels, truth = _crowd(60)
    told = labels.with_truth({task: row for task, row in enumerate(truth) if task % 2})
    model = mh.CRFMA(epochs=3).fit(sentences, told)
    known, chances = told.truth, model.learner_.posterior().numpy()
    assert known is not None
    assert (chances.argmax(axis=1)[known >= 0] == known[known >= 0]).all()


def test_answers_that_may_not_be_are_next_to_nothing() -> None:
    y = mh.Annotations.from_dict(
        {t: {"good": ["O", "B-PER"], "odd": ["O", "I-PER"]} for t in range(30)}, kind="tags", classes=TAGS
    )
    model = mh.CRFMA(epochs=5).fit([["said", "Ada"]] * 30, y)
    assert model.predict([["said", "Ada"]]).tolist() == [["O", "B-PER"]]
    assert np.isfinite([entry["loss"] for entry in model.history_]).all()
    assert model.result_.chances[1, 1] > 0.99
    right = dict(zip(y.annotators.to_list(), model.channel_.right().tolist(), strict=True))
    assert right["good"] > right["odd"]


def test_saved_and_loaded_it_knows_words_that_it_never_saw(tmp_path: Path) -> None:
    sentences, labels, _ = _crowd(60)
    model = mh.CRFMA(epochs=5).fit(sentences, labels)
    new = [["Ab99", "ab77"], ["a1"]]
    twin = mh.load(model.save(tmp_path))
    assert twin.predict(new).tolist() == model.predict(new).tolist() == [["B-PER", "O"], ["O"]]
    torch.testing.assert_close(twin.channel_.right(), model.channel_.right())


def test_a_window_sees_the_words_about_it_and_no_other_sentence() -> None:
    module = WordWindow(5).build(12, 2)
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        module.weights.weight.copy_(torch.randn(12, 10, generator=generator))
        module.weights.weight[0] = 0
    lengths = [1, 4, 2, 6]
    codes = torch.randint(0, 12, (sum(lengths), 3), generator=generator)
    slow, start = [], 0
    for length in lengths:
        for t in range(length):
            total = module.bias.clone()
            for s in range(max(0, t - 2), min(length, t + 3)):
                rows = module.weights.weight[codes[start + s]].view(3, 5, 2)
                total = total + rows[:, t - s + 2].sum(0)
            slow.append(total)
        start += length
    torch.testing.assert_close(module(Sentences(codes, torch.tensor(lengths))), torch.stack(slow))
