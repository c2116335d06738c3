"""Sequences without features: chains over the truths, annotators with and without memory."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
import torch
from scipy.special import gammaln

import manyhands as mh
from manyhands.annotations.scheme import Scheme
from manyhands.channels import votes_of
from manyhands.channels.previous import previous_labels
from manyhands.errors import LabelError, UnsupportedError
from manyhands.metrics import span_scores
from manyhands.objectives.word_emissions import WordEmissions

METHODS = [mh.HMMCrowd, mh.BSC]
TAGS = ["O", "B-A", "I-A"]


@pytest.fixture(scope="module")
def crowd() -> mh.Crowd:
    return mh.simulate("tags", n_tasks=400, n_annotators=8, redundancy=4, seed=0)


@pytest.mark.parametrize("make", METHODS)
def test_better_than_the_majority_and_legal(make: type, crowd: mh.Crowd) -> None:
    truth = [
        [crowd.labels.classes[c] for c in crowd.truth[a:b]]
        for a, b in zip(crowd.labels.unit_offsets[:-1], crowd.labels.unit_offsets[1:], strict=True)
    ]
    found, plain = make().fit(crowd.labels), mh.MajorityVote().fit(crowd.labels)
    ours, theirs = (
        span_scores(model.result_.consensus()["label"].to_list(), truth) for model in (found, plain)
    )
    assert ours.f1 > theirs.f1
    scheme = Scheme.of(found.classes_)
    assert scheme is not None
    step = np.exp(found.result_.evidence.step)
    assert step[~scheme.allowed].max() < 1e-20


@pytest.mark.parametrize("make", METHODS)
def test_known_matrices_are_recovered(make: type) -> None:
    crowd = mh.simulate("tags", n_tasks=2000, n_annotators=4, redundancy=4, keep=0.0, seed=1)
    result = make().fit(crowd.labels).result_
    for j, name in enumerate(crowd.labels.annotators):
        mixed = 0.5 * (crowd.confusions[j] + result.confusion(name))
        both = [_kl(p, mixed) for p in (crowd.confusions[j], result.confusion(name))]
        assert np.mean(both) < 0.02


def _kl(p: np.ndarray, q: np.ndarray) -> float:
    p, q = np.maximum(p, 1e-12), np.maximum(q, 1e-12)
    return float((p * np.log(p / q)).sum(axis=1).mean())


@pytest.mark.parametrize("make", METHODS)
@pytest.mark.slow
def test_the_bound_never_falls_and_stays_below_the_evidence(make: type) -> None:
    """The evidence of a tiny crowd, by drawing parameters from the prior and going through all truths."""
    labels = mh.Annotations.from_dict(
        {"s": {"ann": ["B-A", "I-A"], "bob": ["B-A", "O"]}, "t": {"ann": ["O"]}}, kind="tags", classes=TAGS
    )
    model = make(tol=1e-9, dtype="float64").fit(labels)
    bounds = [entry["objective"] for entry in model.result_.history]
    assert (np.diff(bounds) > -1e-9).all()
    assert bounds[-1] < _log_evidence(labels, memory=make is mh.BSC) + 0.05


def _log_evidence(labels: mh.Annotations, memory: bool, draws: int = 4000) -> float:
    rng, votes = np.random.default_rng(0), votes_of(labels)
    states = previous_labels(votes) if memory else np.zeros(len(votes.unit), dtype=int)
    prior = 0.5 + 3.5 * np.eye(3)  # right 4, wrong 1 over two others
    scheme = Scheme.of(TAGS)
    assert scheme is not None
    total = 0.0
    for _ in range(draws):
        first = _dirichlet(rng, scheme.may_start.astype(float))
        step = np.stack([_dirichlet(rng, row.astype(float)) for row in scheme.allowed])
        rows = np.array([[[rng.dirichlet(row) for row in prior] for _ in range(4)] for _ in range(2)])
        chance = rows[votes.annotator, states, :, votes.label]  # [votes, truth]
        of_unit = np.stack([chance[votes.unit == unit].prod(axis=0) for unit in range(3)])
        sentence = sum(
            first[a] * step[a, b] * of_unit[0, a] * of_unit[1, b] for a, b in product(range(3), repeat=2)
        )
        total += sentence * float((first * of_unit[2]).sum())
    return float(np.log(total / draws))


def _dirichlet(rng: np.random.Generator, counts: np.ndarray) -> np.ndarray:
    drawn = np.zeros(len(counts))
    drawn[counts > 0] = rng.dirichlet(counts[counts > 0])
    return drawn


def test_an_annotator_who_cannot_stop_is_one_error_to_bsc() -> None:
    """Bob goes on where he should stop, however long; memory takes that for one habit."""
    rng = np.random.default_rng(0)
    rows: dict[str, dict[str, list[str]]] = {}
    truth = []
    for task in range(300):
        tags = ["O", "O", "B-A", "I-A", "O", "O", "O"] if rng.random() < 0.7 else ["O"] * 7
        truth.append(tags)
        late = tags[:4] + (["I-A"] * 3 if tags[2] == "B-A" and rng.random() < 0.5 else ["O"] * 3)
        missed = tags if rng.random() < 0.6 else ["O"] * 7
        rows[f"s{task:03}"] = {"ann": missed, "bob": late}
    labels = mh.Annotations.from_dict(rows, kind="tags", classes=TAGS)
    scores = [
        span_scores(make().fit(labels).result_.consensus()["label"].to_list(), truth).f1 for make in METHODS
    ]
    assert scores[1] > scores[0]


@pytest.mark.parametrize("make", METHODS)
def test_known_tags_are_certain(make: type) -> None:
    labels = mh.Annotations.from_dict(
        {"s": {"ann": ["B-A", "I-A"], "bob": ["B-A", "I-A"]}, "t": {"ann": ["O", "O"]}},
        kind="tags", classes=TAGS, truth={"s": ["O", "O"]},
    )  # fmt: skip
    result = make().fit(labels).result_
    assert result.consensus()["label"].to_list()[0] == ["O", "O"]
    assert result.chances[0, 0] == pytest.approx(1)
    assert make(use_truth=False).fit(labels).result_.consensus()["label"].to_list()[0] == ["B-A", "I-A"]


@pytest.mark.parametrize("make", METHODS)
@pytest.mark.parametrize("where", ["fit", "new"])
def test_an_explanation_adds_up(make: type, where: str, crowd: mh.Crowd) -> None:
    model = make().fit(crowd.labels[:300])
    result = model.result_ if where == "fit" else model.result_.infer(crowd.labels[300:])
    told = result.explain(result.labels.tasks[5])
    a = int(result.labels.unit_offsets[5]) + told.position
    chances = np.sort(result.chances[a].astype(float))[::-1]
    odds = float(np.log(chances[0] / max(chances[1], 1e-30)))
    assert told.prior + sum(vote.weight for vote in told.votes) == pytest.approx(odds, abs=1e-3)


def test_abstentions_may_tell(crowd: mh.Crowd) -> None:
    rows = crowd.labels[:50].to_frame().to_dicts()
    for row in rows[::3]:
        row["label"] = [None, *row["label"][1:]]
    table = mh.Annotations.from_arrays(
        *([r[c] for r in rows] for c in ("task", "annotator", "label")), kind="tags", missing="abstain"
    )
    for make in METHODS:
        result = make(abstention="inform").fit(table).result_
        np.testing.assert_allclose(result.confusion("a0").sum(axis=1), 1)


def test_a_thousand_votes_do_not_underflow() -> None:
    answers = {"s": {f"a{j}": ["B-A", "I-A"] for j in range(1000)}}
    result = mh.BSC().fit(mh.Annotations.from_dict(answers, kind="tags", classes=TAGS)).result_
    assert torch.isfinite(torch.from_numpy(result.chances)).all()
    assert result.consensus()["label"].to_list() == [["B-A", "I-A"]]


@pytest.mark.parametrize("make", METHODS)
def test_words_that_tell_make_a_guessing_crowd_right(make: type) -> None:
    crowd = mh.simulate("tags", n_tasks=300, n_annotators=4, redundancy=2, seed=3)
    offsets, names = crowd.labels.unit_offsets, crowd.labels.classes
    rng = np.random.default_rng(0)
    words = [[f"{names[c]}{rng.integers(3)}" for c in crowd.truth[a:b]] for a, b in pairwise(offsets)]
    plain, told = make().fit(crowd.labels), make().fit(crowd.labels, words=words)
    truth = crowd.truth
    right = [(model.result_.chances.argmax(axis=1) == truth).mean() for model in (plain, told)]
    assert right[1] > max(0.97, right[0] + 0.01)
    gains = np.diff([entry["objective"] for entry in told.result_.history])
    assert (gains > -1e-2).all()  # float32 posteriors
    same = make().fit(crowd.labels, words=[["x"] * len(row) for row in words])
    np.testing.assert_allclose(
        same.result_.chances, plain.result_.chances, atol=2e-3
    )  # one word says nothing


def test_words_are_of_these_labels(crowd: mh.Crowd) -> None:
    with pytest.raises(LabelError, match=r"words= has 2 words but the labels have"):
        mh.BSC().fit(crowd.labels, words=[["a", "b"]])
    with pytest.raises(LabelError, match="not a list of words"):
        mh.BSC().fit(crowd.labels, words=["a b"] * crowd.labels.n_tasks)
    words = [["a"] * int(n) for n in np.diff(crowd.labels.unit_offsets)]
    with pytest.raises(UnsupportedError, match="with words"):
        mh.BSC().fit(crowd.labels, words=words).partial_fit(crowd.labels)


def test_the_bound_with_words_is_below_the_evidence_of_counts() -> None:
    """One class, so that words alone matter: their Dirichlet-multinomial evidence is known in full."""
    codes = np.array([0, 1, 1, 2, 0, 0])
    words = WordEmissions(codes, mass=0.5, n_words=3)
    log_counts = words.maximise(words.counts(torch.ones(6, 1)))
    bound = float(words.scores(log_counts).sum()) - words.divergence(log_counts)
    counts = np.bincount(codes)
    exact = gammaln(1.5) - gammaln(1.5 + 6) + (gammaln(counts + 0.5) - gammaln(0.5)).sum()
    assert bound == pytest.approx(exact, abs=1e-9)
