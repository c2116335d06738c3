"""Answers one by one: where they lead, what is asked, and the example over HTTP."""

from __future__ import annotations

import json
import runpy
import threading
from http.server import HTTPServer
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import numpy as np
import pytest

import manyhands as mh
from manyhands.assignment import Live
from manyhands.errors import LabelError, UnsupportedError

from .tiny import confusions, expected_gain, result_of

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def crowd():
    return mh.simulate("confusion", n_tasks=60, n_annotators=8, redundancy=4, seed=2)


def split(crowd, n):
    """The first n answers as a table, and the others as triples."""
    labels = crowd.labels
    order = np.random.default_rng(0).permutation(labels.n_answers)
    seen = np.zeros(labels.n_answers, dtype=bool)
    seen[order[:n]] = True
    frame = labels.where(~seen).to_frame()
    return labels.where(seen), list(frame.select("task", "annotator", "label").iter_rows())


def test_settled_it_is_where_a_fit_on_everything_settles(crowd):
    first, rest = split(crowd, 150)
    method = mh.DawidSkene(right=4, wrong=1, class_prior="uniform", max_iter=2000, tol=0, dtype="float64")
    live = Live(method.fit(first))
    for answer in rest:
        live.add(*answer)
    live.settle(2000)
    whole = method.fit(crowd.labels).result_
    assert np.array([live.chances(t) for t in crowd.labels.tasks]) == pytest.approx(whole.chances, abs=1e-4)


def test_before_settling_it_is_near(crowd):
    first, rest = split(crowd, 150)
    method = mh.DawidSkene(right=4, wrong=1, max_iter=200)
    live = Live(method.fit(first))
    for answer in rest:
        live.add(*answer)
    whole = method.fit(crowd.labels).result_.chances
    now = np.array([live.chances(t) for t in crowd.labels.tasks])
    assert (now.argmax(axis=1) == whole.argmax(axis=1)).mean() > 0.9
    told = live.consensus()
    assert told["n"].sum() == crowd.labels.n_answers
    assert told["confidence"].to_numpy() == pytest.approx(now.max(axis=1))


def test_whoever_asks_gets_what_they_tell_most_about():
    table = confusions(3, 2, 1)
    chances = np.random.default_rng(1).dirichlet([1, 1], size=6)
    live = Live(result_of(table, chances, {"t1": {"a0": "c0"}}))
    gains = [expected_gain(q, [table[0]]) for q in chances]
    order = [f"t{i}" for i in np.argsort(gains)[::-1] if i != 1]
    asked = [live.ask("a0") for _ in range(6)]
    assert asked == [*order, None]  # each in their hand once, and never what they answered
    assert live.ask("a1") == "t1"  # the only one in nobody's hand
    live.drop(order[0], "a0")
    assert live.ask("a1") == order[0]


def test_sure_tasks_are_not_asked_about():
    live = Live(result_of(confusions(2, 2, 1), np.array([[0.99, 0.01], [0.7, 0.3]])), confidence=0.95)
    assert live.ask("a0") == "t1"
    assert live.ask("a0") is None


def test_new_names_come_in():
    live = Live(result_of(confusions(3, 2, 1, right=8), np.array([[0.5, 0.5]])))
    assert live.chances("t9") == pytest.approx([0.5, 0.5])
    live.add("t9", "zoe", "c1")
    assert live.chances("t9")[1] > 0.5
    assert live.consensus().rows()[1][:2] == ("t9", "c1")


def test_what_cannot_be_taken_is_said():
    live = Live(result_of(confusions(3, 2, 1), np.array([[0.5, 0.5]]), {"t0": {"a0": "c0"}}))
    with pytest.raises(LabelError, match="before"):
        live.add("t0", "a0", "c1")
    with pytest.raises(LabelError, match="bird"):
        live.add("t0", "a1", "bird")
    assert live.consensus()["n"].to_list() == [1]
    crowd = mh.simulate("numbers", n_tasks=5, n_annotators=3, redundancy=2, seed=0)
    with pytest.raises(UnsupportedError, match="number"):
        Live(mh.PrecisionWeighted().fit(crowd.labels))


def call(url, data=None):
    request = Request(url, None if data is None else json.dumps(data).encode())
    with urlopen(request, timeout=10) as answer:
        return json.loads(answer.read())


@pytest.mark.slow
def test_the_example_serves_it(crowd):
    text = (ROOT / "examples/assign_server.py").read_text()
    assert len(text.splitlines()) < 60
    desk = runpy.run_path(str(ROOT / "examples/assign_server.py"))["Desk"]
    desk.live = Live(mh.OneCoin(right=2, wrong=1).fit(crowd.labels))
    desk.log_message = lambda *_: None
    with HTTPServer(("127.0.0.1", 0), desk) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        at = f"http://127.0.0.1:{server.server_port}"
        task = call(f"{at}/next?annotator=zoe")["task"]
        told = call(f"{at}/answer", {"task": task, "annotator": "zoe", "label": 1})
        assert told["chances"] == pytest.approx(desk.live.chances(task).tolist())
        assert {row["task"]: row["n"] for row in call(f"{at}/consensus")}[task] == 5
        for path, data in (
            ("/answer", {"task": task}),
            ("/answer", {"task": task, "annotator": "zoe", "label": 1}),
        ):
            with pytest.raises(HTTPError, match="400"):
                call(at + path, data)
        with pytest.raises(HTTPError, match="404"):
            call(f"{at}/elsewhere")
        server.shutdown()
