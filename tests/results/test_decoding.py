"""Decoded tags may stand where they stand, and no legal sequence has more tokens right as expected."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest

import manyhands as mh
from manyhands.annotations.scheme import Scheme
from manyhands.results.decoding import legal_tags

BIO = ["O", "B-A", "I-A", "B-B", "I-B"]
BIOES = ["O", "B-A", "I-A", "E-A", "S-A"]


def _labels(tags: list[str], length: int) -> mh.Annotations:
    return mh.Annotations.from_dict({"s": {"ann": ["O"] * length}}, kind="tags", classes=tags)


def _legal(tags: tuple[str, ...], must_end: bool) -> bool:
    """By the words of the schemes, a loop over neighbours."""
    for before, after in zip(("O", *tags), (*tags, "O"), strict=True):
        goes_on, runs = after[0] in "IE", before[0] in "BI"
        if goes_on and not (runs and before[2:] == after[2:]):
            return False
        if must_end and runs and not goes_on:
            return False
    return True


@pytest.mark.parametrize("tags", [BIO, BIOES], ids=["BIO", "BIOES"])
@pytest.mark.parametrize("seed", range(5))
def test_the_best_of_all_legal_sequences(tags: list[str], seed: int) -> None:
    chances = np.random.default_rng(seed).dirichlet(np.full(5, 0.5), 4)
    found = legal_tags(chances, _labels(tags, 4))
    assert found is not None
    gain = {
        path: sum(chances[place, code] for place, code in enumerate(path))
        for path in product(range(5), repeat=4)
        if _legal(tuple(tags[code] for code in path), must_end=tags is BIOES)
    }
    assert tuple(found.tolist()) == max(gain, key=lambda path: gain[path])


def test_a_consensus_is_legal() -> None:
    crowd = mh.simulate("tags", n_tasks=60, n_annotators=6, seed=0)
    result = mh.MajorityVote().fit(crowd.labels).result_
    scheme = Scheme.of(result.classes)
    assert scheme is not None
    codes = {tag: code for code, tag in enumerate(result.classes)}
    for row in result.consensus()["label"].to_list():
        path = [codes[tag] for tag in row]
        assert scheme.may_start[path[0]]
        assert all(scheme.allowed[a, b] for a, b in pairwise(path))


def test_tags_that_are_no_spans_are_decoded_one_by_one() -> None:
    labels = mh.Annotations.from_dict({"s": {"ann": ["NOUN", "VERB"]}}, kind="tags")
    assert legal_tags(np.eye(2), labels) is None
    assert mh.MajorityVote().fit(labels).result_.consensus()["label"].to_list() == [["NOUN", "VERB"]]


def test_a_type_that_nobody_began_may_begin_inside() -> None:
    """Classes are those that were used: without any B-B an I-B must not be impossible."""
    scheme = Scheme.of(["O", "B-A", "I-A", "I-B"])
    assert scheme is not None
    assert scheme.may_start.tolist() == [True, True, False, True]
    assert scheme.allowed[0].tolist() == [True, True, False, True]
