"""What restarts shake units by: exponential, and each unit's own wherever it stands."""

from __future__ import annotations

import numpy as np
import torch
from scipy.stats import kstest

import manyhands as mh
from manyhands.annotations import id_hash
from manyhands.objectives.start import exponentials


def _noise(ids: list[str], seed: int, width: int = 3) -> np.ndarray:
    generator = torch.Generator().manual_seed(seed)
    return exponentials(lambda: id_hash(ids), (len(ids), width), generator).numpy()


def test_it_is_exponential_and_columns_and_seeds_do_not_hang_together() -> None:
    ids = [f"t{i}" for i in range(20_000)]
    one, two = _noise(ids, 1), _noise(ids, 2)
    for column in (*one.T, *two.T):
        assert kstest(column, "expon").pvalue > 1e-3
    both = np.corrcoef(np.concatenate([one, two], axis=1).T)
    assert np.abs(both - np.eye(6)).max() < 0.03


def test_each_unit_has_its_own_in_any_order() -> None:
    ids = [f"t{i}" for i in range(50)]
    assert (_noise(ids[::-1], 3)[::-1] == _noise(ids, 3)).all()


def test_a_fit_with_restarts_does_not_depend_on_the_order_of_the_rows() -> None:
    crowd = mh.simulate("biased", n_tasks=150, n_annotators=10, seed=2)
    labels = crowd.labels
    shuffled = labels[np.random.default_rng(0).permutation(150)]
    one, two = (mh.EBCC(n_subtypes=3, n_init=3).fit(table).result_ for table in (labels, shuffled))
    expected = dict(zip(*one.consensus().select("task", "label"), strict=True))
    assert dict(zip(*two.consensus().select("task", "label"), strict=True)) == expected
