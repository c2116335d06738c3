"""What a report says, checked without any page."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from benchmarks.worth import drifting_crowd

import manyhands as mh
from manyhands import Annotations
from manyhands.errors import ParameterError
from manyhands.reports import contents
from manyhands.reports.numbers.annotator_list import annotator_list
from manyhands.reports.numbers.annotator_map import annotator_map
from manyhands.reports.numbers.certainty import certainty
from manyhands.reports.numbers.class_shares import class_shares
from manyhands.reports.numbers.confusions import OTHERS, confusions
from manyhands.reports.numbers.material import Material, material
from manyhands.reports.numbers.mistakes import mistakes
from manyhands.reports.numbers.parts import parts
from manyhands.reports.numbers.plain_tables import plain_table
from manyhands.reports.numbers.progress import progress
from manyhands.reports.numbers.scales import scales
from manyhands.reports.numbers.spans import spans
from manyhands.reports.numbers.task_list import task_list

from .crowds import classes, numbers, sets, tags


def test_expected_wrong_is_the_sum_of_what_is_doubted() -> None:
    result = classes()
    found = certainty(result)
    best = result.chances.max(axis=1).astype(np.float64)
    assert found.wrong == pytest.approx((1 - best).sum())
    for threshold in found.thresholds:
        accepted = [p for p in best if p >= threshold.level - 5e-7]
        assert threshold.accepted == len(accepted)
        assert threshold.wrong == pytest.approx(sum(1 - p for p in accepted))
    assert sum(found.spread.counts) == found.units == 300


def test_shares_of_votes_are_no_probabilities() -> None:
    crowd = mh.simulate("confusion", n_tasks=40, n_annotators=5, seed=0)
    assert not certainty(mh.MajorityVote().fit(crowd.labels).result_).is_probability


def test_unanswered_tasks_count_for_nothing() -> None:
    labels = Annotations.from_dict({"t": {"a": "x", "b": "x"}, "empty": {}, "u": {"a": "y"}})
    result = mh.MajorityVote().fit(labels).result_
    found = contents(result)
    assert found.certainty.units == 2
    assert found.overview.unanswered == 1
    assert any("no label at all" in finding.says for finding in found.findings)


def test_annotators_are_those_of_the_result_and_judged_by_the_interval() -> None:
    result = classes()
    found, frame = annotator_list(result), result.annotators()
    assert found.column("n") == tuple(frame["n"].to_list())
    crowd = float(np.average(frame["accuracy"].to_numpy(), weights=frame["n"].to_numpy()))
    assert found.crowd == pytest.approx(crowd)
    for j, code in enumerate(found.standing):
        word, low, high = found.standings[code], frame["low"][j], frame["high"][j]
        assert (word == "above the crowd") == (low > crowd and frame["n"][j] >= 10)
        assert (word == "below the crowd") == (high < crowd and frame["n"][j] >= 10)
        if word == "too few labels to say":
            assert frame["n"][j] < 10 or high - low > 0.2


def test_an_annotator_with_three_labels_is_not_judged() -> None:
    answers = {f"t{i}": {f"a{j}": "x" if i % 2 else "y" for j in range(4)} for i in range(40)}
    for i in range(3):
        answers[f"t{i}"]["new"] = "y" if i % 2 else "x"  # always wrong
    found = annotator_list(mh.DawidSkene(shared=1.0).fit(Annotations.from_dict(answers)).result_)
    assert found.standings[found.standing[found.names.index("new")]] == "too few labels to say"


def test_matrices_are_the_counts_and_add_up_to_the_crowds() -> None:
    result = classes()
    found = confusions(result)
    assert found is not None
    assert not found.left_out
    tenths = [[int(cell or 0) for cell in text.split(",")] for text in found.matrices.values()]
    sums = np.array(tenths).sum(axis=0).reshape(3, 3) / 10
    assert sums == pytest.approx(np.array(found.crowd), abs=0.05 * 30 + 0.05)
    assert np.array(found.crowd) == pytest.approx(result.counts.sum(axis=0), abs=0.06)


def test_matrices_of_the_idle_are_left_out_where_there_is_no_room() -> None:
    result = classes()
    found = confusions(result, budget=300)
    assert found is not None
    busiest = np.argsort(-result.counts.sum(axis=(1, 2)), kind="stable")[: len(found.matrices)]
    assert set(found.matrices) == set(busiest.tolist())
    assert 0 < len(found.matrices) < 30
    assert found.left_out == 30 - len(found.matrices)


def test_of_many_classes_the_rest_is_added_up() -> None:
    crowd = mh.simulate("confusion", n_tasks=600, n_annotators=10, n_classes=25, seed=0)
    result = mh.DawidSkene(shared=10.0).fit(crowd.labels).result_
    found = confusions(result)
    assert found is not None
    assert found.truths[-1] == found.labels[-1] == OTHERS
    assert len(found.truths) == 17
    assert np.array(found.crowd).sum() == pytest.approx(result.counts.sum(), abs=0.05 * 17 * 17)
    assert mistakes(result)[0].truth in found.truths


def test_abstentions_that_inform_are_a_column() -> None:
    answers = {f"t{i}": {"a": "x", "b": "y" if i % 3 else "?", "c": "x"} for i in range(12)}
    labels = Annotations.from_dict(answers, abstain="?")
    found = confusions(mh.DawidSkene(shared=1.0, abstention="inform").fit(labels).result_)
    assert found is not None
    assert found.labels[-1] == "(cannot say)"
    assert sum(row[-1] for row in found.crowd) == pytest.approx(4, abs=0.1)


def test_who_confuses_what_with_what() -> None:
    answers = {f"t{i}": {"ann": "cat", "bob": "cat", "cid": "dog" if i < 5 else "cat"} for i in range(20)}
    answers |= {f"d{i}": {"ann": "dog", "bob": "dog", "cid": "dog"} for i in range(20)}
    result = mh.MajorityVote(voting="hard").fit(Annotations.from_dict(answers)).result_
    (only,) = mistakes(result)
    assert (only.truth, only.said, only.times, only.annotators) == ("cat", "dog", 5.0, 1)
    assert only.who == (("cid", 5.0),)
    assert only.share == pytest.approx(5 / 60)


def test_the_least_sure_and_the_most_divided_come_first() -> None:
    result = classes()
    found = task_list(result, Material())
    frame = result.tasks()
    doubtful = frame.sort("entropy", descending=True)["task"].to_list()
    by_doubt = sorted((t for t in found if t.doubt is not None), key=lambda t: t.doubt or 0)
    assert [t.name for t in by_doubt[:3]] == [str(name) for name in doubtful[:3]]
    divided = next(t for t in found if t.dispute == 0)
    share = 1 - frame.filter(frame["task"].cast(str) == divided.name)["agreement"][0]
    assert divided.against == pytest.approx(share)
    assert sum(len(s.annotators) + s.more for s in divided.said) == divided.votes


def test_weights_of_votes_are_those_of_the_explanation() -> None:
    result = classes()
    first = task_list(result, Material())[0]
    why = result.explain(next(t for t in result.labels.tasks if str(t) == first.name))
    assert sum(s.weight or 0 for s in first.said) == pytest.approx(sum(vote.weight for vote in why.votes))


def test_scales_and_biases_of_numbers() -> None:
    result = numbers()
    slopes, people = scales(result), annotator_list(result)
    assert slopes[0] == pytest.approx(0.5, abs=0.1)
    assert slopes[2:] == pytest.approx(1.0, abs=0.15)
    assert people.standings[people.standing[1]] == "too high"
    assert people.column("bias")[1] > 0.5
    tasks = task_list(result, Material())
    spread = result.tasks()["spread"].max()
    assert next(t for t in tasks if t.dispute == 0).spread == pytest.approx(spread)


def test_a_disputed_span_is_read_whole() -> None:
    texts = {"s1": ["so", "Ada", "Lovelace", "said"], "s2": "in Paris"}
    (only,) = spans(tags(), Material(texts=texts))
    assert (only.task, only.start, only.end, only.tokens) == ("s1", 1, 3, "Ada Lovelace")
    assert (only.before, only.after, only.believed) == ("so", "said", "PER: Ada Lovelace")
    assert [(r.text, r.annotators) for r in only.readings] == [
        ("PER: Ada Lovelace", ("ann", "cid")),
        ("PER: Ada", ("bob",)),
    ]
    assert only.confidence == pytest.approx(2 / 3)


def test_spans_of_tags_that_are_no_entities_are_the_disputed_tokens() -> None:
    labels = Annotations.from_dict(
        {"s": {"a": ["N", "V", "N"], "b": ["N", "N", "N"], "c": ["N", "V", "N"]}}, kind="tags"
    )
    (only,) = spans(mh.MajorityVote().fit(labels).result_, Material())
    assert (only.start, only.end, only.believed) == (1, 2, "V")


def test_sets_have_their_labels_one_by_one() -> None:
    result = sets()
    shares = {share.name: share for share in class_shares(result, mh.agreement(result.labels))}
    assert shares["red"].said == pytest.approx(2 / 3)
    assert shares["big"].said == pytest.approx(1 / 6)
    assert shares["red"].units == 12
    assert task_list(result, Material())[0].part in ("red", "big")
    assert shares["red"].alpha is not None


def test_groups_and_common_noise_are_those_of_the_channel() -> None:
    crowd = mh.simulate("groups", n_tasks=200, n_annotators=10, n_features=2, seed=0)
    cmm = mh.CMM(epochs=2, network="linear").fit(crowd.features, crowd.labels)
    groups = parts(cmm, cmm.result_)
    assert groups is not None
    assert sum(part.share or 0 for part in groups.parts) == pytest.approx(1, abs=1e-3)
    assert sum(part.members or 0 for part in groups.parts) == 10
    assert np.array(groups.parts[0].matrix).sum(axis=1) == pytest.approx(1, abs=1e-3)
    assert "never count them" in groups.says
    conal = mh.CoNAL(epochs=2).fit(crowd.features, crowd.labels)
    common = parts(conal, conal.result_)
    assert common is not None
    expected = conal.channel_.common_confusions()[0].numpy()
    assert np.array(common.parts[0].matrix) == pytest.approx(expected, abs=1e-4)
    assert parts(None, conal.result_) is None


def test_the_map_keeps_distances_between_what_was_learnt() -> None:
    """With a competence of two dimensions, nothing is lost, and the map is the rows turned about."""
    crowd = mh.simulate(
        "confusion", n_tasks=60, n_annotators=8, n_classes=2, n_features=2, redundancy=8, seed=0
    )
    lia = mh.LIA(rounds=1, steps=5, fine_tuning=0, embedding=2).fit(crowd.features, crowd.labels)
    found = annotator_map(lia, lia.result_)
    assert found is not None
    assert found.kept == pytest.approx(1)
    linear = lia.channel_.competence.linear.weight.detach().numpy()
    rows = lia.channel_.competence.table.weight.detach().numpy() @ linear.T
    apart = np.linalg.norm(rows[:, None] - rows[None], axis=2)
    places = np.array(found.places)
    assert np.linalg.norm(places[:, None] - places[None], axis=2) == pytest.approx(apart, abs=1e-3)
    assert [c.title for c in found.colourings] == [
        "mistakes alike", "accuracy", "how often 1 is said of 0", "how often 0 is said of 1",
    ]  # fmt: skip
    assert annotator_map(None, lia.result_) is None


def test_pairs_are_those_of_the_result_and_nobody_else_is_named() -> None:
    crowd = mh.simulate("copying", n_tasks=300, n_annotators=12, n_classes=4, redundancy=8, seed=0)
    result = mh.DawidSkene(shared=10.0).fit(crowd.labels).result_
    table, found = result.copying(), contents(result)
    assert found.pairs is not None
    assert found.pairs.tested == len(table) == 66
    named = table.filter(table["q"] <= 0.05)
    assert [(pair.one, pair.two, pair.same) for pair in found.pairs.pairs] == named.select(
        "one", "two", "same"
    ).rows()
    assert any("more than their accuracy explains" in finding.says for finding in found.findings)
    calm = contents(classes())
    assert calm.pairs is not None
    assert calm.pairs.pairs == ()
    assert contents(numbers()).pairs is contents(tags()).pairs is None


def test_who_changed_is_named_where_a_column_says_when() -> None:
    labels, change = drifting_crowd(300, 0.4, 0)
    result = mh.DawidSkene(shared=10.0).fit(labels).result_
    found = contents(result)
    assert found.drift is not None
    assert (found.drift.when, found.drift.tested, found.drift.few) == ("timestamp", 40, 0)
    fell = {row.name for row in found.drift.changed if row.high < 0}
    assert fell >= {str(j) for j in np.flatnonzero(change)}
    assert any("changed over time" in finding.says for finding in found.findings)
    assert contents(classes()).drift is None


def test_curves_are_thinned_and_keep_their_last_point() -> None:
    result = dataclasses.replace(classes(), history=[{"epoch": n, "loss": 1 / (n + 1)} for n in range(2000)])
    (curve,) = progress(result)
    assert len(curve.steps) <= 302
    assert (curve.steps[0], curve.steps[-1]) == (0, 1999)
    assert curve.values[-1] == pytest.approx(1 / 2000)


def test_texts_by_name_by_order_and_by_the_text_of_a_name() -> None:
    labels = Annotations.from_arrays([0, 1], [0, 0], [1, 0])
    assert material(labels, texts=["a", "b"]).text(1) == "b"
    assert material(labels, texts={"1": "b"}).text(1) == "b"
    assert material(labels, texts={1: "x" * 5000}).text(1) == "x" * 599 + "…"
    with pytest.raises(ParameterError, match="3 entries where the table has 2 tasks"):
        material(labels, texts=["a", "b", "c"])


def test_tables_of_others_take_frames_lists_and_what_json_prints() -> None:
    import polars as pl

    rows = [{"name": "glad", "se": 0.5}, {"name": "mace", "se": float("nan")}]
    for data in (rows, pl.DataFrame(rows), {"methods": rows, "pick": "glad"}):
        table = plain_table(data, "comparison")
        assert table is not None
        assert table.rows == (("glad", 0.5), ("mace", None))
    assert plain_table({"methods": rows, "pick": "mace"}, "comparison").picked == 1  # type: ignore[union-attr]
    assert plain_table(None, "comparison") is None
    with pytest.raises(ParameterError, match="one dictionary a row"):
        plain_table([1, 2], "comparison")


def test_contents_are_plain_data() -> None:
    """Text, numbers and tuples all the way down: no arrays, no frames."""

    def look(value: object) -> None:
        if isinstance(value, dict):
            for part in value.values():
                look(part)
        elif isinstance(value, (list, tuple)):
            for part in value:
                look(part)
        else:
            assert value is None or type(value) in (str, int, float, bool), type(value)

    for result in (classes(), numbers(), tags(), sets()):
        look(dataclasses.asdict(contents(result)))
