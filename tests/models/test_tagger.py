"""Taggers from crowds: words in, legal tags out, nothing padded."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import manyhands as mh
from manyhands import channels
from manyhands.catalog import TAGGERS
from manyhands.errors import LabelError, ParameterError, UnsupportedError
from manyhands.metrics import span_scores
from manyhands.networks import Sentences, Tagger
from manyhands.training.callbacks import Callback

SMALL = Tagger(dim=8, filters=16, hidden=8, dropout=0.1)
QUICK: dict[str, Any] = {
    "network": SMALL,
    "epochs": 12,
    "learning_rate": 1e-2,
    "batch_size": 16,
    "average": 0,
}
WORDS = ["the", "a", "of", "saw", "met", "Ada", "Bob", "Cid", "Paris", "Rome"]


def _crowd(n: int = 120, seed: int = 0) -> tuple[list[list[str]], mh.Annotations, list[list[str]]]:
    """Names are persons, two of them one person; of five annotators two miss half of all."""
    rng = np.random.default_rng(seed)
    sentences, truth, answers = [], [], {}
    for task in range(n):
        words = [WORDS[k] for k in rng.integers(0, len(WORDS), rng.integers(1, 9))]
        tags = [
            "O" if k < 5 else "I-PER" if place and WORDS.index(words[place - 1]) >= 5 else "B-PER"
            for place, k in enumerate(WORDS.index(word) for word in words)
        ]
        sentences.append(words)
        truth.append(tags)
        answers[task] = {f"a{j}": _said(tags, 0.5 if j < 2 else 0.1, rng) for j in rng.permutation(5)[:3]}
    return sentences, mh.Annotations.from_dict(answers, kind="tags", classes=["O", "B-PER", "I-PER"]), truth


def _said(tags: list[str], missed: float, rng: np.random.Generator) -> list[str]:
    return ["O" if rng.random() < missed else tag for tag in tags]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"objective": "marginal"},
        {"objective": "em"},
        {"channel": channels.CrowdLayer("MW"), "objective": "marginal", "majority_epochs": 3},
        {"channel": channels.CrowdLayer("VW+B"), "objective": "marginal", "majority_epochs": 3},
        {"channel": channels.Groups(3), "objective": "em-marginal"},
        {"channel": channels.Common(), "objective": "marginal"},
        {"channel": channels.Common(n_groups=2), "objective": "em"},
        {"channel": channels.Groups(2, per="annotator")},
        {"channel": channels.Groups(2, per="annotator"), "chain": True, "objective": "joint"},
        {"channel": channels.Previous()},
        {"channel": channels.Previous(), "objective": "em", "chain": True},
        {"chain": True, "objective": "joint"},
        {"chain": True, "objective": "em"},
        {"chain": True, "objective": "em", "closed_form": False, "warm_start": "majority"},
    ],
    ids=[
        "joint",
        "marginal",
        "em",
        "crowd-layer",
        "vector",
        "groups",
        "common",
        "commons",
        "kinds",
        "kinds-chain",
        "memory",
        "memory-chain",
        "chain",
        "chain-em",
        "chain-warm",
    ],
)
def test_it_learns_what_names_are(options: dict[str, Any]) -> None:
    sentences, labels, _ = _crowd()
    new, _, gold = _crowd(seed=1)
    model = mh.CrowdTagger(**(QUICK | options)).fit(sentences, labels)
    assert span_scores(model.predict(new), gold).f1 > 0.9
    assert model.score(new, gold) == span_scores(model.predict(new), gold).f1


@pytest.mark.parametrize("name", list(TAGGERS))
def test_every_tagger_of_the_catalogue_learns_is_kept_and_goes_on(name: str, tmp_path: Path) -> None:
    sentences, labels, _ = _crowd()
    new, _, gold = _crowd(seed=1)
    model = TAGGERS[name].make(**(QUICK | {"network": SMALL})).fit(sentences, labels)
    assert model.score(new, gold) > 0.9
    model.save(tmp_path)
    twin = mh.load(tmp_path)
    for ours, theirs in zip(model.predict_proba(new), twin.predict_proba(new), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert twin.result_.consensus().equals(model.result_.consensus())
    assert len(twin.partial_fit(sentences, labels).history_) > len(model.history_)
    assert model.channel_.confusions().shape == (5, 3, 3)


def test_a_sentence_is_read_by_itself() -> None:
    """Whatever stands beside it in the batch, long or short, in any order."""
    torch.manual_seed(0)
    module = Tagger(dim=4, filters=6, hidden=3, bidirectional=True).build(20, 3).eval()
    rng = np.random.default_rng(0)
    rows = [torch.from_numpy(rng.integers(0, 20, length)) for length in (3, 1, 7, 2, 7)]
    whole = module(Sentences(torch.cat(rows), torch.tensor([len(row) for row in rows])))
    alone = torch.cat([module(Sentences(row, torch.tensor([len(row)]))) for row in rows])
    torch.testing.assert_close(whole, alone)


def test_batches_are_whole_sentences_and_every_token_comes_once() -> None:
    sentences, labels, _ = _crowd(50)
    model = mh.CrowdTagger(**(QUICK | {"epochs": 1})).fit(sentences, labels)
    features = model.learner_.features
    generator = torch.Generator().manual_seed(0)
    seen = list(features.batches(model.learner_.data, 7, generator))
    assert sorted(torch.cat(seen).tolist()) == list(range(labels.n_units))
    assert [len(features.rows(units).lengths) for units in seen] == [7] * 7 + [1]


def test_vectors_of_words_that_come_later_are_used() -> None:
    sentences, labels, _ = _crowd()
    names = {"ada", "bob", "cid", "paris", "rome", "zoe"}
    rng = np.random.default_rng(0)
    vectors = {
        word: (np.eye(8)[0] if word in names else np.eye(8)[1]) + 0.05 * rng.normal(size=8)
        for word in [w.lower() for w in WORDS] + ["zoe", "and"]
    }
    model = mh.CrowdTagger(**QUICK, vectors=vectors).fit(sentences, labels)
    assert model.predict([["and", "Zoe"]]).tolist() == [["O", "B-PER"]]
    assert model.predict([["never-seen"]]).shape == (1,)


@pytest.mark.parametrize(
    "options",
    [{}, {"chain": True, "objective": "joint"}, {"channel": channels.Previous(), "objective": "em"}],
    ids=str,
)
def test_saved_and_loaded_it_predicts_the_same(tmp_path: Path, options: dict[str, Any]) -> None:
    sentences, labels, _ = _crowd(40)
    vectors = {"ada": np.ones(8), "later": np.full(8, 2.0)}
    model = mh.CrowdTagger(**QUICK, vectors=vectors, **options).fit(sentences, labels)
    model.save(tmp_path)
    twin = mh.load(tmp_path)
    for ours, theirs in zip(
        model.predict_proba([*sentences, ["later"]]), twin.predict_proba([*sentences, ["later"]]), strict=True
    ):
        np.testing.assert_array_equal(ours, theirs)
    assert twin.result_.consensus().equals(model.result_.consensus())


@pytest.mark.parametrize(
    "options", [{}, {"chain": True, "objective": "joint"}, {"chain": True, "objective": "em"}], ids=str
)
def test_it_goes_on_with_more_sentences(options: dict[str, Any]) -> None:
    sentences, labels, _ = _crowd(40)
    more, labels_of_more, _ = _crowd(100, seed=2)
    new, _, gold = _crowd(seed=1)
    model = mh.CrowdTagger(**(QUICK | {"epochs": 2}), **options).fit(sentences, labels)
    before = model.score(new, gold)
    for _ in range(8):
        model.partial_fit(more, labels_of_more)
    assert model.score(new, gold) > max(before, 0.8)


@pytest.mark.parametrize(
    "options", [{}, {"chain": True, "objective": "joint"}, {"chain": True, "objective": "em"}], ids=str
)
def test_a_killed_run_goes_on_to_the_same_bits(tmp_path: Path, options: dict[str, Any]) -> None:
    sentences, labels, _ = _crowd(40)

    class Kill(Callback):
        def on_epoch_end(self, learner: Any) -> None:
            if len(learner.history) == 5:
                raise KeyboardInterrupt

    whole = mh.CrowdTagger(**QUICK, **options).fit(sentences, labels)
    with pytest.raises(KeyboardInterrupt):
        mh.CrowdTagger(**QUICK, **options, checkpoint=tmp_path, callbacks=[Kill()]).fit(sentences, labels)
    again = mh.CrowdTagger(**QUICK, **options, checkpoint=tmp_path, resume=True).fit(sentences, labels)
    for name, value in whole.network_.state_dict().items():
        assert torch.equal(value, again.network_.state_dict()[name]), name


@pytest.mark.parametrize("objective", ["joint", "em"])
def test_known_tags_are_certain_and_neighbours_hear_of_them(objective: str) -> None:
    sentences, labels, truth = _crowd(60)
    told = labels.with_truth({task: row for task, row in enumerate(truth) if task < 30})
    known = told.truth
    assert known is not None
    model = mh.CrowdTagger(**(QUICK | {"objective": objective}), chain=True).fit(sentences, told)
    chances = model.learner_.posterior().numpy()
    assert (chances.argmax(axis=1)[known >= 0] == known[known >= 0]).all()
    assert chances.max(axis=1)[known >= 0] == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("options", [{}, {"chain": True, "objective": "joint"}], ids=str)
def test_the_evidence_explains_the_posterior(options: dict[str, Any]) -> None:
    """Words and neighbours, then the votes: together what came out."""
    sentences, labels, _ = _crowd(40)
    result = mh.CrowdTagger(**(QUICK | {"epochs": 3}), **options).fit(sentences, labels).result_
    votes = channels.votes_of(labels)
    scores = result.evidence.log_truth.astype(float)
    np.add.at(scores, votes.unit, result.evidence.log_rows[votes.annotator, votes.label])
    found = np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))
    np.testing.assert_allclose(found, result.chances, atol=1e-4)


def test_no_step_of_a_chain_is_illegal() -> None:
    sentences, labels, _ = _crowd(60)
    model = mh.CrowdTagger(**(QUICK | {"epochs": 3}), chain=True, objective="joint").fit(sentences, labels)
    inside = model.classes_.tolist().index("I-PER")
    assert all(rows[0, inside] < 1e-6 for rows in model.predict_proba(sentences))
    log_a, before = model.network_.weights()[2], model.classes_.tolist().index("O")
    assert log_a[before, inside] < -1e3


def test_a_warm_start_is_five_epochs_on_the_majority() -> None:
    sentences, labels, _ = _crowd(20)
    options = QUICK | {"epochs": 1}
    named = mh.CrowdTagger(**options, warm_start="majority").fit(sentences, labels)
    counted = mh.CrowdTagger(**options, majority_epochs=5).fit(sentences, labels)
    assert [entry["phase"] for entry in named.history_] == ["majority"] * 5 + ["marginal"]
    assert [entry["loss"] for entry in named.history_] == [entry["loss"] for entry in counted.history_]


def test_sentences_without_labels_and_of_one_word() -> None:
    sentences, _, _ = _crowd(30)
    rows = {
        task: {} if task % 3 == 0 else {"ann": ["O"] * len(words)} for task, words in enumerate(sentences)
    }
    some = mh.Annotations.from_dict(
        {t: a for t, a in rows.items() if a}, kind="tags", classes=["O", "B-PER", "I-PER"]
    )
    kept = [words for task, words in enumerate(sentences) if rows[task]]
    model = mh.CrowdTagger(**(QUICK | {"epochs": 2})).fit(kept, some)
    assert [len(row) for row in model.predict(sentences)] == [len(words) for words in sentences]
    assert len(model.predict([])) == 0


def test_gold_tags_are_one_annotator() -> None:
    sentences, _, truth = _crowd()
    model = mh.CrowdTagger(**(QUICK | {"objective": "marginal"})).fit(sentences, truth)
    assert model.score(sentences, truth) > 0.95


def test_what_does_not_fit_is_told() -> None:
    sentences, labels, _ = _crowd(10)
    with pytest.raises(LabelError, match="9 sentences but 10 tasks"):
        mh.CrowdTagger(**QUICK).fit(sentences[:9], labels)
    with pytest.raises(LabelError, match=r"sentence 2 .* words but"):
        mh.CrowdTagger(**QUICK).fit([*sentences[:2], [*sentences[2], "more"], *sentences[3:]], labels)
    with pytest.raises(LabelError, match="not a list of words"):
        mh.CrowdTagger(**QUICK).fit([" ".join(words) for words in sentences], labels)
    with pytest.raises(UnsupportedError, match="the network's words 8"):
        mh.CrowdTagger(**QUICK, vectors={"a": np.ones(3)}).fit(sentences, labels)
    with pytest.raises(ParameterError, match="NaN"):
        mh.CrowdTagger(**QUICK, vectors={"a": np.full(8, np.nan)}).fit(sentences, labels)
    with pytest.raises(ParameterError, match="one truth a sentence"):
        mh.CrowdTagger(**(QUICK | {"objective": "marginal"}), chain=True).fit(sentences, labels)
    with pytest.raises(UnsupportedError, match="kind 'tags'"):
        mh.CrowdTagger(**QUICK).fit(sentences, mh.Annotations.from_matrix(np.zeros((10, 2), dtype=int)))


def test_the_examples_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the page writes a file
    page = Path(__file__).parents[2] / "docs" / "sequences.md"
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(), flags=re.DOTALL)
    assert len(blocks) >= 5
    with torch.random.fork_rng():
        exec("\n".join(blocks), {})
