from __future__ import annotations

import numpy as np
import pytest

import manyhands as mh
from manyhands.errors import ParameterError
from manyhands.metrics import js_divergence


@pytest.mark.slow
def test_a_positive_trace_makes_a_surer_network_and_noisier_annotators() -> None:
    crowd = mh.simulate("confusion", n_tasks=400, n_annotators=5, n_classes=3, n_features=4, seed=0)
    traces, doubt = [], []
    for sign in (-1, 0, 1):
        model = mh.TraceRegularised("linear", trace=sign * 0.03, epochs=40, learning_rate=1e-2)
        chances = model.fit(crowd.features, crowd.labels).predict_proba(crowd.features)
        traces.append(model.channel_.confusions().diagonal(dim1=1, dim2=2).sum().item())
        doubt.append(-(chances * np.log(chances + 1e-12)).sum(axis=1).mean())
    assert traces[0] > traces[1] > traces[2]
    assert doubt[0] > doubt[1] > doubt[2]


def test_without_a_price_it_is_speelfc() -> None:
    crowd = mh.simulate("confusion", n_tasks=100, n_annotators=5, n_classes=3, n_features=4, seed=0)
    settings = {"epochs": 3, "learning_rate": 1e-3, "diagonal": 2.0}
    found = [
        model.fit(crowd.features, crowd.labels).predict_proba(crowd.features)
        for model in (mh.TraceRegularised(trace=0.0, **settings), mh.SpeeLFC(**settings))
    ]
    np.testing.assert_array_equal(*found)


@pytest.mark.slow
def test_matrices_are_recovered() -> None:
    crowd = mh.simulate("confusion", n_tasks=1500, n_annotators=5, n_classes=3, n_features=6, seed=1)
    model = mh.TraceRegularised("linear", epochs=25, learning_rate=1e-2, trace=1e-3)
    model.fit(crowd.features, crowd.labels)
    assert js_divergence(crowd.confusions, model.channel_.confusions().numpy()) < 0.03


def test_trace_is_checked() -> None:
    with pytest.raises(ParameterError, match="of either sign"):
        mh.TraceRegularised(trace="up").fit(np.zeros((2, 1)), [0, 1])
