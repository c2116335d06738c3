"""pull and push against a small server of the standard library, and, where one is installed, a real Label Studio."""

from __future__ import annotations

import json
import os
import re
import runpy
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from manyhands.io import read, read_predictions
from manyhands.io.label_studio_server import Connection, LabelStudioServer
from manyhands.io.tools.label_studio import regions_of
from manyhands.io.tools.label_studio_predictions import predictions

from .shell import rows_of, run

ROOT = Path(__file__).resolve().parents[2]
TOKEN = "not-a-real-token-0123456789"
CONFIG = (
    '<View><Text name="t" value="$text"/><Choices name="c" toName="t"><Choice value="x"/></Choices>{}</View>'
)


class Server(ThreadingHTTPServer):
    """What it was asked, and what it answers."""

    config = CONFIG.format("")
    status = 200
    location: str | None = None

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[tuple[str, str | None, Any]] = []


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self.answer(None)

    def do_POST(self) -> None:
        self.answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

    def answer(self, body: Any) -> None:
        self.server.asked.append((self.path, self.headers["Authorization"], body))
        self.send_response(self.server.status)
        if self.server.location:
            self.send_header("Location", self.server.location)
        self.end_headers()
        self.wfile.write(json.dumps(self.content(body)).encode())

    def content(self, body: Any) -> Any:
        if "export" in self.path:
            return json.loads((ROOT / "tests/io/golden/label-studio.class.json").read_text())
        if "refresh" in self.path:
            return {"access": "short-lived"}
        if "import" in self.path:
            return {"created": len(body)}
        return {"label_config": self.server.config, "detail": "no"}

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    httpd = Server()
    threading.Thread(target=httpd.serve_forever, daemon=True).start()
    monkeypatch.setenv("LABEL_STUDIO_URL", f"http://127.0.0.1:{httpd.server_port}/")
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", TOKEN)
    yield httpd
    httpd.shutdown()
    httpd.server_close()


@pytest.mark.slow
def test_pull_aggregate_push(server, tmp_path):
    out = tmp_path / "export.json"
    assert run("label-studio", "pull", "--project", 3, "--out", out).exit_code == 0
    assert read(out).n_answers == 5
    outputs = ("--save", tmp_path / "result", "--out", tmp_path / "c.csv")
    assert run("aggregate", out, "-m", "majority", *outputs, "-q").exit_code == 0
    for consensus in ("result", "c.csv"):
        done = run("label-studio", "push", tmp_path / consensus, "--project", 3, "--json")
        assert json.loads(done.stdout) == {"project": 3, "sent": 2, "taken": 2, "control": "c"}
    paths = [path for path, _, _ in server.asked]
    assert paths[0] == "/api/projects/3/export?exportType=JSON&download_all_tasks=true"
    assert paths[1:] == ["/api/projects/3/", "/api/projects/3/import/predictions"] * 2
    assert {given for _, given, _ in server.asked} == {f"Token {TOKEN}"}
    sent, again = (body for _, _, body in server.asked if body)
    assert [(str(p["task"]), p["model_version"], p["result"][0]["value"]) for p in sent] == [
        (row["task"], "manyhands", {"choices": [row["label"]]}) for row in rows_of(tmp_path / "c.csv")
    ]
    assert all(p["result"][0]["from_name"] == "c" and p["result"][0]["to_name"] == "t" for p in sent)
    assert all(0.5 <= p["score"] <= 1 for p in sent)
    assert [p["score"] for p in again] == pytest.approx([p["score"] for p in sent], abs=1e-5)
    (tmp_path / "stored.json").write_text(json.dumps(sent))
    assert read_predictions(tmp_path / "stored.json")["score"].to_list() == [p["score"] for p in sent]


@pytest.mark.slow
def test_a_personal_access_token_is_changed_for_a_short_one(server, tmp_path, monkeypatch):
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", "eyJ-personal")
    assert run("label-studio", "pull", "--project", 3, "--out", tmp_path / "e.json").exit_code == 0
    assert server.asked[0] == ("/api/token/refresh/", None, {"refresh": "eyJ-personal"})
    assert server.asked[1][1] == "Bearer short-lived"


@pytest.mark.parametrize(
    ("status", "told"), [(401, "token .* is not valid"), (404, "no such project"), (500, "500")]
)
@pytest.mark.slow
def test_a_refusal_is_told_without_the_token_and_leaves_no_file(server, tmp_path, status, told):
    server.status = status
    done = run("label-studio", "pull", "--project", 3, "--out", tmp_path / "e.json")
    assert done.exit_code == 1
    assert re.search(told, done.stderr)
    assert TOKEN not in done.output
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_the_token_goes_to_no_other_server(server, tmp_path):
    other = Server()
    threading.Thread(target=other.serve_forever, daemon=True).start()
    server.status, server.location = 302, f"http://127.0.0.1:{other.server_port}/steal"
    done = run("label-studio", "pull", "--project", 3, "--out", tmp_path / "e.json")
    other.shutdown()
    other.server_close()
    assert "another server" in done.stderr
    assert other.asked == []


def test_where_the_server_is_must_be_said(tmp_path, monkeypatch):
    for name in ("LABEL_STUDIO_URL", "LABEL_STUDIO_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    done = run("label-studio", "pull", "--project", 3, "--out", tmp_path / "e.json")
    assert "no LABEL_STUDIO_URL and no LABEL_STUDIO_API_KEY" in done.stderr
    settings = tmp_path / "s"
    for address, told in (("ftp://x", "must be like http"), ("http://127.0.0.1:1", "does not answer")):
        settings.write_text(f"LABEL_STUDIO_URL={address}\nLABEL_STUDIO_API_KEY={TOKEN}\n")
        done = run(
            "label-studio", "pull", "--project", 3, "--out", tmp_path / "e.json", "--connection", settings
        )
        assert told in done.stderr
        assert TOKEN not in done.output


@pytest.mark.slow
def test_a_project_with_several_questions_is_asked_about(server, tmp_path):
    server.config = CONFIG.format('<Rating name="stars" toName="t"/>')
    (tmp_path / "c.csv").write_text("task,label,confidence\n101,4,0.75\n102,,\n")
    done = run("label-studio", "push", tmp_path / "c.csv", "--project", 3)
    assert "the questions 'c', 'stars': choose one with --question" in done.stderr
    run("label-studio", "push", tmp_path / "c.csv", "--project", 3, "--question", "stars")
    assert server.asked[-1][2][0]["result"][0]["value"] == {"rating": 4}
    assert len(server.asked[-1][2]) == 1  # nothing is said of a task without a label


def real_server() -> Path | None:
    given = os.environ.get("MANYHANDS_LABEL_STUDIO", str(ROOT / ".venv-label-studio/bin/label-studio"))
    return Path(given).absolute() if Path(given).exists() else None


CONTROLS = {
    "class": '<Choices name="q" toName="text"><Choice value="a"/><Choice value="b"/></Choices>',
    "set": '<Choices name="q" toName="text" choice="multiple"><Choice value="a"/><Choice value="b"/></Choices>',
    "ordinal": '<Rating name="q" toName="text"/>',
    "number": '<Number name="q" toName="text"/>',
    "tags": '<Labels name="q" toName="text"><Label value="PER"/><Label value="LOC"/></Labels>',
}
SAID = {
    "class": ("a", "b"),
    "set": (["a", "b"], ["a"]),
    "ordinal": (4, 2),
    "number": (2.5, 3.0),
    "tags": (["B-PER", "I-PER", "O", "B-LOC"], ["O", "O", "O", "B-LOC"]),
}
TEXT = "Ann Lee in Rome"


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[dict[str, Any], str, str]]:
    example = runpy.run_path(str(ROOT / "examples/label_studio.py"))
    folder = tmp_path_factory.mktemp("server")
    with example["server"](real_server(), folder) as (address, token):
        yield example, address, token


needs_server = pytest.mark.skipif(
    real_server() is None, reason="no Label Studio in .venv-label-studio (examples/label_studio.py)"
)


@pytest.mark.slow
@needs_server
def test_there_and_back_through_a_real_label_studio(real, tmp_path):
    example, address, token = real
    found = example["round_trip"](address, token, tmp_path, 60)
    labels = found["labels"]
    assert labels.n_tasks == 60
    assert (labels.n_answers, labels.n_annotators) == (300, 5)
    assert sum(truth is not None for truth in labels.truths()) == 3
    assert found["consensus"].keys() == found["predictions"].keys()
    for task, (label, confidence) in found["consensus"].items():
        assert found["predictions"][task] == (label, pytest.approx(confidence, abs=1e-5))


@pytest.mark.slow
@needs_server
@pytest.mark.parametrize("kind", CONTROLS)
def test_every_control_in_every_export_of_a_real_label_studio(real, kind, tmp_path):
    """Our tasks are imported; JSON, JSON_MIN and CSV say the same of them; predictions arrive as they were sent."""
    example, address, token = real
    config = f'<View><Text name="text" value="$text"/>{CONTROLS[kind]}</View>'
    project = example["call"](
        address, token, "/api/projects/", {"title": f"all {kind}", "label_config": config}
    )["id"]
    tasks = [
        {"data": {"text": TEXT}, "annotations": [
            {"completed_by": 1, "ground_truth": False, "was_cancelled": False, "lead_time": 1.5,
             "result": regions_of(said, kind, {"text": TEXT}, "t", "q")}
        ]}
        for said in SAID[kind]
    ]  # fmt: skip
    example["call"](address, token, f"/api/projects/{project}/import", tasks)
    server = LabelStudioServer(Connection(address, token))
    said = {}
    for form, suffix in (("JSON", "json"), ("JSON_MIN", "min.json"), ("CSV", "csv")):
        path = tmp_path / f"export.{suffix}"
        with open(path, "wb") as handle:
            server.export(project, handle, form)
        # Of one answer alone nobody can tell that it is one of several, nor a column from the text beside it.
        labels = read(path, kind=kind, columns="label=q" if form == "CSV" else None)
        said[form] = labels.to_frame()["label"].to_list()
    assert all(labels == list(SAID[kind]) for labels in said.values())

    ids = read(tmp_path / "export.json", kind=kind).tasks.to_list()
    control, found = server.controls(project)["q"]
    assert found == kind
    rows = iter([{"task": task, "label": one} for task, one in zip(ids, SAID[kind], strict=True)])
    made = predictions(rows, kind, control, {task: {"text": TEXT} for task in ids}, "ours")
    assert server.push(project, made) == 2
    with open(tmp_path / "p.json", "wb") as handle:
        server.stored_predictions(project, handle)
    stored = {
        row["task"]: row["values"] for row in read_predictions(tmp_path / "p.json").iter_rows(named=True)
    }
    assert stored == {
        task: [region["value"] for region in regions_of(one, kind, {"text": TEXT}, "t", "q")]
        for task, one in zip(ids, SAID[kind], strict=True)
    }
