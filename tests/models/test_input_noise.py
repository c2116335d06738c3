"""Input noise chosen by held-out answers: against trials made by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manyhands as mh
from manyhands.errors import ParameterError
from manyhands.models.input_noise import HELD_OUT, LEVELS
from manyhands.training.callbacks import Callback

CROWD = mh.simulate("confusion", n_tasks=200, n_annotators=6, n_classes=3, redundancy=3, n_features=4, seed=0)
X, LABELS = CROWD.features, CROWD.labels


def model(**options: Any) -> mh.CrowdClassifier:
    return mh.CrowdClassifier(**({"network": "linear", "epochs": 4} | options))


def test_scores_are_those_of_trainings_that_have_not_seen_a_fifth() -> None:
    chosen = model().fit(X, LABELS)
    seen, held = mh.split(LABELS, HELD_OUT, random_state=0)
    by_hand = [model(input_dropout=level).fit(X, seen).score(X, held) for level in LEVELS]
    assert chosen.input_dropout_scores_ == pytest.approx(by_hand, abs=1e-5)
    assert chosen.input_dropout_ == LEVELS[int(np.argmax(by_hand))]


def test_the_choice_is_then_trained_on_all_answers() -> None:
    chosen = model().fit(X, LABELS)
    plain = model(input_dropout=chosen.input_dropout_).fit(X, LABELS)
    assert (chosen.predict_proba(X) == plain.predict_proba(X)).all()


@pytest.mark.slow
def test_features_without_meaning_are_left_out_more() -> None:
    noise = np.random.default_rng(0).normal(size=(200, 300)).astype(np.float32)
    options: dict[str, Any] = {"epochs": 40, "weight_decay": 0.0}
    wide = model(**options).fit(np.column_stack([X, noise]), LABELS)
    assert wide.input_dropout_ > model(**options).fit(X, LABELS).input_dropout_


def test_the_choice_is_saved(tmp_path: Path) -> None:
    fitted = model().fit(X, LABELS)
    fitted.save(tmp_path / "model")
    again: Any = mh.load(tmp_path / "model")
    assert again.input_dropout_ == fitted.input_dropout_
    assert (again.input_dropout_scores_ == fitted.input_dropout_scores_).all()
    assert again.learner_.settings.input_dropout == fitted.input_dropout_


def test_few_answers_leave_the_rule() -> None:
    few = LABELS[np.arange(60)]  # 180 answers: 36 held out
    fitted = model().fit(X[:60], few)
    assert fitted.input_dropout_ == pytest.approx((4 / 64) ** 0.5)
    assert len(fitted.input_dropout_scores_) == 0


def test_trials_tell_that_they_begin_and_keep_nothing(tmp_path: Path) -> None:
    class Heard(Callback):
        epochs = 0
        trials = 0

        def on_trial(self, place: int, total: int) -> None:
            assert (place, total) == (self.trials, len(LEVELS))
            self.trials += 1

        def on_epoch_end(self, learner: Any) -> None:
            self.epochs += 1

    heard = Heard()
    model(callbacks=[heard], checkpoint=tmp_path).fit(X, LABELS)
    assert (heard.trials, heard.epochs) == (len(LEVELS), 4)


def test_numbers_have_the_choice_too() -> None:
    crowd = mh.simulate("numbers", n_tasks=200, n_annotators=6, redundancy=3, seed=0)
    x = crowd.truth[:, None] + np.random.default_rng(0).normal(size=(200, 2))
    fitted = mh.CrowdRegressor("linear", epochs=3, input_dropout="held-out").fit(x, crowd.labels)
    assert fitted.input_dropout_ in LEVELS


def test_other_words_are_refused() -> None:
    with pytest.raises(ParameterError, match="held-out"):
        model(input_dropout="much").fit(X, LABELS)
