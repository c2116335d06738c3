"""Held-out answers as a scorer of scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.model_selection import GridSearchCV, cross_val_score

import manyhands as mh
from manyhands.errors import ParameterError, UnsupportedError
from manyhands.selection import heldout_scorer
from manyhands.selection.hiding import folds_of
from manyhands.selection.own_account import own_log_likelihood


def test_of_other_tasks_every_answer_from_the_others_of_its_task() -> None:
    labels = mh.simulate("confusion", n_tasks=120, n_annotators=8, n_classes=3, redundancy=4, seed=0).labels
    model = mh.DawidSkene(shared=5.0).fit(labels[:80])
    other = labels[80:]
    fold, total = folds_of(other, 5), 0.0
    rows, prior = model.result_.evidence.log_rows.astype(float), model.result_.evidence.log_truth
    for n in range(other.n_answers):
        rest = (other.task == other.task[n]) & (fold != fold[n])
        belief = prior + sum(
            rows[j, v] for j, v in zip(other.annotator[rest], other.answers.values[rest], strict=True)
        )
        belief = np.exp(belief - belief.max())
        chance = (belief / belief.sum()) @ np.exp(rows[other.annotator[n], other.answers.values[n]])
        total += np.log(chance)
    assert heldout_scorer(model, other) == pytest.approx(total / other.n_answers, rel=1e-4)


def test_a_classifier_is_searched_by_its_answers() -> None:
    crowd = mh.simulate("groups", n_tasks=120, n_annotators=6, n_features=2, seed=0)
    model = mh.CrowdClassifier(network="linear", epochs=3)
    search = GridSearchCV(model, {"epochs": [1, 12]}, scoring=heldout_scorer, cv=2)
    search.fit(crowd.features, crowd.labels)
    assert search.best_params_ == {"epochs": 12}
    plain = cross_val_score(model, crowd.features, crowd.labels, cv=2)
    np.testing.assert_array_equal(
        plain, cross_val_score(model, crowd.features, crowd.labels, cv=2, scoring=heldout_scorer)
    )
    with pytest.raises(ParameterError, match="held-out answers are Annotations"):
        heldout_scorer(search, crowd.features, np.zeros(120))


def test_own_account_of_numbers_and_of_nobody() -> None:
    labels = mh.simulate("numbers", n_tasks=50, n_annotators=5, seed=0).labels
    seen, held = mh.split(labels, 0.2)
    result = mh.PrecisionWeighted().fit(seen).result_
    n = 3
    i, j, said = held.task[n], held.annotator[n], held.answers.values[n]
    spread = np.hypot(result.numbers.sd[i], np.exp(-0.5 * result.evidence.log_precision[j]))
    expected = norm.logpdf(said, result.numbers.mean[i] + result.evidence.bias[j], spread)
    assert own_log_likelihood(result, held)[n] == pytest.approx(expected, rel=1e-9)
    with pytest.raises(UnsupportedError, match="says nothing of annotators"):
        own_log_likelihood(mh.Mean().fit(seen).result_, held)
