from __future__ import annotations

import json

import numpy as np
import pytest
from benchmarks.llm_judges import as_classes, as_numbers, as_soft, simulated

from manyhands.errors import FormatError, LabelWarning, ParameterError, RepeatedAnswerError
from manyhands.io import read_verdicts, verdicts

PATTERNS = {"no": r"verdict:\s*no", "yes": r"verdict:\s*yes"}


def test_a_text_is_of_the_class_whose_pattern_it_has_alone():
    texts = ["VERDICT: yes", "verdict:no", "verdict: no, verdict: yes", "hm", " ", None, float("nan")]
    found = verdicts(texts, PATTERNS)
    assert found.labels == ["yes", "no", None, None, None, None, None]
    assert (found.silent, found.unrecognised, found.ambiguous) == (3, 1, 1)
    assert found.examples == ("verdict: no, verdict: yes", "hm")


def test_what_is_not_recognised_is_an_abstention_and_told(tmp_path):
    path = tmp_path / "judges.jsonl"
    said = [
        ("t1", "gpt", "Verdict: yes"),
        ("t1", "owl", "I refuse"),
        ("t2", "gpt", None),
        ("t2", "owl", "verdict: no"),
    ]
    path.write_text(
        "".join(json.dumps(dict(zip(("task", "judge", "answer"), row, strict=True))) + "\n" for row in said)
    )
    with pytest.warns(
        LabelWarning, match="2 of 4 verdicts recognised; 1 empty, 1 matching no pattern.*'I refuse'"
    ):
        labels = read_verdicts(path, PATTERNS)
    assert labels.to_frame().rows() == [
        ("t1", "gpt", "yes"), ("t1", "owl", None), ("t2", "gpt", None), ("t2", "owl", "no"),
    ]  # fmt: skip
    assert list(labels.classes) == ["no", "yes"]


def test_bad_patterns_and_repeats(tmp_path):
    with pytest.raises(ParameterError, match=r"patterns\['yes'\] = '\(' is not a regular expression"):
        verdicts([], {"yes": "("})
    with pytest.raises(ParameterError, match="is empty"):
        verdicts([], {})
    path = tmp_path / "j.csv"
    path.write_text("task,judge,answer\nt,a,verdict: yes\nt,a,verdict: no\n")
    with pytest.raises(RepeatedAnswerError, match="line 2 and again in line 3"):
        read_verdicts(path, PATTERNS)
    path.write_text("who,what\n1,2\n")
    with pytest.raises(FormatError, match="no column for the task"):
        read_verdicts(path, PATTERNS)


@pytest.mark.parametrize(
    ("table", "kind"), [(as_classes, "class"), (as_soft, "soft"), (as_numbers, "number")]
)
def test_judges_that_fail_are_abstentions_in_every_kind(table, kind):
    trial = simulated(0, tasks=300)
    labels = table(trial)
    assert labels.kind == kind
    strict = labels.to_frame().filter(labels.to_frame()["annotator"] == "strict")
    assert len(strict) == 300
    assert strict["label"].null_count() == sum(p is None for p in trial.probability) > 0


def test_the_simulated_judges_have_the_biases_that_are_stated():
    trial = simulated(1, tasks=20_000)
    labels = verdicts(
        trial.words, PATTERNS | {"no": r"verdict:\s*(no|bad)", "yes": r"verdict:\s*(yes|good)"}
    ).labels
    told = np.array([label is not None for label in labels])
    yes = np.array([label == "yes" for label in labels])
    for truth, share in ((True, 0.95), (False, 0.55)):
        rows = told & (trial.truth == truth)
        assert abs(yes[rows].mean() - share) < 4 * np.sqrt(share * (1 - share) / rows.sum())
    assert abs((~told).mean() - 0.04) < 0.006
