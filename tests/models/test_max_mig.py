from __future__ import annotations

import numpy as np

import manyhands as mh

from .five_annotators import ALPHA, BETA, five_annotators


def test_it_is_a_composition_but_for_its_start() -> None:
    crowd = mh.simulate("confusion", n_tasks=120, n_annotators=5, n_features=3, seed=0)
    model = mh.MaxMIG(epochs=1, learning_rate=0.0).fit(crowd.features, crowd.labels)
    counts = np.zeros((5, 3, 3))
    shares = mh.MajorityVote().fit(crowd.labels).result_.chances
    said = np.asarray(crowd.labels.answers.values)
    for task, j, label in zip(crowd.labels.task, crowd.labels.annotator, said, strict=True):
        counts[j, :, label] += shares[task]
    counts += np.where(np.eye(3), 1.0, 0.5)
    expected = counts / counts.sum(axis=2, keepdims=True)
    np.testing.assert_allclose(model.channel_.confusions().numpy(), expected, atol=1e-5)


def test_the_five_annotators_of_the_crowd_layers_paper() -> None:
    x, labels, truth = five_annotators(1000)
    model = mh.MaxMIG("linear", epochs=15, learning_rate=2e-2).fit(x, labels)
    found = model.channel_.confusions().numpy().diagonal(axis1=1, axis2=2)
    np.testing.assert_allclose(found, np.column_stack([BETA, ALPHA]), atol=0.1)
    assert (model.predict(x) == truth).mean() > 0.98


def test_nats_are_counted() -> None:
    """Of two even classes there is at most log 2, and labels right as often as these tell some .5 of it."""
    x, labels, _ = five_annotators(1000)
    model = mh.MaxMIG("linear", epochs=15, learning_rate=2e-2).fit(x, labels)
    assert 0.4 < -model.history_[-1]["loss"] < 0.6
