"""Features from matrices, sparse matrices and Datasets larger than memory; gaps and lengths told."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from scipy.sparse import coo_matrix, csr_array
from torch.utils.data import Dataset

import manyhands as mh
from manyhands.errors import LabelError, ManyhandsError, ParameterError
from manyhands.models import CrowdClassifier
from manyhands.networks import CNN
from manyhands.training.features import AT_ONCE, features_of

CROWD = mh.simulate("confusion", n_tasks=90, n_annotators=5, n_features=4, seed=0)
X, LABELS = CROWD.features, CROWD.labels


class Pictures(Dataset):  # type: ignore[type-arg]
    """Made when asked for; counts what was asked in one go."""

    def __init__(self, n: int, shape: tuple[int, ...] = (1, 8, 8), bad: int = -1):
        self.n, self.shape, self.bad, self.asked = n, shape, bad, 0

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, i: int) -> tuple[torch.Tensor, str]:
        self.asked += 1
        picture = torch.full(self.shape, float(i % 3))
        return (picture / 0 if i == self.bad else picture), "anything"


def test_sparse_and_dense_learn_alike() -> None:
    x = X * (np.abs(X) > 0.3)
    for kind in (csr_array, coo_matrix):
        dense = CrowdClassifier("linear", epochs=3, input_dropout=0.0).fit(x, LABELS)
        sparse = CrowdClassifier("linear", epochs=3, input_dropout=0.0).fit(kind(x), LABELS)
        np.testing.assert_array_equal(sparse.predict_proba(kind(x)), dense.predict_proba(x))


def test_a_dataset_learns_as_the_stack_of_its_items() -> None:
    data = Pictures(90)
    stack = torch.stack([data[i][0] for i in range(90)])
    network = CNN((4,), 8)
    lazy = CrowdClassifier(network, epochs=2).fit(data, LABELS)
    whole = CrowdClassifier(network, epochs=2).fit(stack, LABELS)
    np.testing.assert_array_equal(lazy.predict_proba(data), whole.predict_proba(stack.numpy()))


def test_a_dataset_is_never_held_whole() -> None:
    """Chunks hold at most AT_ONCE numbers, be the Dataset as large as it may."""
    large = features_of(Pictures(1000, (3, 256, 256)))
    assert large.at_once(4096) * 3 * 256 * 256 <= AT_ONCE
    sizes = [stop.stop - stop.start for stop, _ in (next(iter(large.all())),)]
    assert sizes == [large.at_once(4096)]
    assert len(large.sample()) <= large.at_once(20_000)
    assert features_of(X).at_once(4096) == 4096


def test_batches_are_read_as_they_are_needed() -> None:
    data = Pictures(90)
    CrowdClassifier(CNN((4,), 8), epochs=2, batch_size=30).fit(data, LABELS)
    # two epochs, a sweep for the posterior, one for the prior, a sample, shapes
    assert 4 * 90 <= data.asked <= 5 * 90 + 20


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_gaps_are_told_with_their_place(value: float) -> None:
    broken = X.copy()
    broken[7, 2] = value
    with pytest.raises(LabelError, match=r"row 7, column 2.*SimpleImputer"):
        CrowdClassifier(epochs=1).fit(broken, LABELS)
    model = CrowdClassifier("linear", epochs=1).fit(X, LABELS)
    with pytest.raises(LabelError, match="row 7"):
        model.predict(broken)
    with pytest.raises(LabelError, match="row 7"):
        features_of(torch.from_numpy(broken)[:, :, None])
    with pytest.raises(LabelError, match="row 7, column 2"):
        CrowdClassifier(epochs=1).fit(csr_array(broken), LABELS)
    with pytest.raises(LabelError, match="item 5"):
        CrowdClassifier(CNN((4,), 8), epochs=1).fit(Pictures(90, bad=5), LABELS)


def test_lengths_and_shapes_are_told() -> None:
    with pytest.raises(LabelError, match=r"89 rows of features but 90 tasks.*align"):
        CrowdClassifier(epochs=1).fit(X[:89], LABELS)
    with pytest.raises(LabelError, match="80 rows"):
        CrowdClassifier(CNN((4,), 8), epochs=1).fit(Pictures(80), LABELS)
    model = CrowdClassifier("linear", epochs=1).fit(X, LABELS)
    with pytest.raises(ManyhandsError, match="3 features"):
        model.predict(X[:, :3])
    with pytest.raises(ParameterError, match="shape"):
        features_of(X[0])
    with pytest.raises(ParameterError, match="give numbers"):
        features_of(np.array([["a", "b"]]))


def test_rows_with_names_must_be_the_tasks_of_these_names() -> None:
    import pandas as pd

    frame = pd.DataFrame(X, index=LABELS.tasks.to_list())
    model = CrowdClassifier("linear", epochs=1).fit(frame, LABELS)
    turned = frame.iloc[::-1]
    with pytest.raises(LabelError, match=r"row 0 of the features is .*labels.align\(X.index\)"):
        CrowdClassifier("linear", epochs=1).fit(turned, LABELS)
    again = CrowdClassifier("linear", epochs=1).fit(turned, LABELS.align(turned.index))
    assert again.predict_proba(frame).shape == model.predict_proba(frame).shape
    CrowdClassifier("linear", epochs=1).fit(frame.reset_index(drop=True), LABELS)  # numbers name nothing


@pytest.mark.parametrize("shift", [0.0, 100.0, -1e4])
def test_where_the_features_lie_does_not_matter(shift: float) -> None:
    """What dropout leaves out is put at the mean, not at zero."""
    large = mh.simulate("confusion", n_tasks=300, n_annotators=5, n_features=4, seed=1)
    model: Any = CrowdClassifier("linear", epochs=8, input_dropout=0.3, batch_size=60).fit(
        large.features + shift, large.labels
    )
    plain: Any = CrowdClassifier("linear", epochs=8, input_dropout=0.3, batch_size=60).fit(
        large.features, large.labels
    )
    same = model.predict(large.features + shift) == plain.predict(large.features)
    assert same.mean() > 0.95
