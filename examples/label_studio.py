"""Label Studio there and back: a server, a project, five annotators, a consensus, and its predictions read again.

    python -m venv .venv-label-studio && .venv-label-studio/bin/pip install label-studio
    python examples/label_studio.py --label-studio .venv-label-studio/bin/label-studio

The server lives in a temporary folder, on the loopback address, with accounts made for this run, and is stopped
at the end. The annotators are simulated. docs/tools.md tells the story; everything below `round_trip` is the server.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import ProxyHandler, Request, build_opener

import manyhands as mh
from manyhands.io.tools.label_studio_predictions import read_predictions

CONFIG = """<View>
  <Text name="text" value="$text"/>
  <Choices name="animal" toName="text"><Choice value="bird"/><Choice value="cat"/><Choice value="dog"/></Choices>
</View>"""
CLASSES = ["bird", "cat", "dog"]
PEOPLE = 5


def round_trip(address: str, token: str, folder: Path, n_tasks: int) -> dict[str, Any]:
    """Every step by the command line, as a user would take it; what came of it, and the seconds of each."""
    took: dict[str, float] = {}
    settings = folder / "connection"
    settings.touch(mode=0o600)
    settings.write_text(f"LABEL_STUDIO_URL={address}\nLABEL_STUDIO_API_KEY={token}\n")

    with timed(took, "project, people, tasks and labels by the API"):
        project, truth = fill(address, token, n_tasks)
    where = ("--project", project, "--connection", settings)
    with timed(took, "pull"):
        manyhands("label-studio", "pull", *where, "--out", folder / "export.json")
    with timed(took, "aggregate"):
        manyhands("aggregate", folder / "export.json", "--save", folder / "result")
    with timed(took, "push"):
        manyhands("label-studio", "push", folder / "result", *where)
    with timed(took, "pull the predictions"):
        manyhands("label-studio", "pull", *where, "--predictions", "--out", folder / "predictions.json")

    labels = mh.read(folder / "export.json")
    consensus = {row["task"]: row for row in mh.load(folder / "result").consensus().iter_rows(named=True)}
    told = {row["task"]: row for row in read_predictions(folder / "predictions.json").iter_rows(named=True)}
    return {
        "labels": labels,
        "consensus": {task: (row["label"], row["confidence"]) for task, row in consensus.items()},
        "predictions": {task: (row["values"][0]["choices"][0], row["score"]) for task, row in told.items()},
        "accuracy": sum(consensus[task]["label"] == answer for task, answer in truth.items()) / len(truth),
        "seconds": took,
    }


def manyhands(*arguments: object) -> None:
    """The command, in a process of its own."""
    command = [sys.executable, "-m", "manyhands", *map(str, arguments), "--quiet"]
    subprocess.run(command, check=True)


def fill(address: str, token: str, n_tasks: int) -> tuple[int, dict[str, str]]:
    """A project with simulated answers: some skipped, some marked as ground truth."""
    made = {"title": "Animals", "label_config": CONFIG}
    project = call(address, token, "/api/projects/", made)["id"]
    people = [1]
    for number in range(1, PEOPLE):
        account = {
            "username": f"a{number}",
            "email": f"a{number}@example.com",
            "password": secrets.token_hex(8),
        }
        people.append(call(address, token, "/api/users/", account)["id"])
    crowd = mh.simulate(n_tasks=n_tasks, n_annotators=PEOPLE, n_classes=3, redundancy=PEOPLE, seed=0)
    truth = [CLASSES[int(code)] for code in crowd.truth]
    votes = crowd.labels.to_frame().rows()
    answers: list[list[tuple[int, str]]] = [[] for _ in range(n_tasks)]
    places = {task: number for number, task in enumerate(crowd.labels.tasks)}
    names = {name: number for number, name in enumerate(crowd.labels.annotators)}
    for task, who, label, *_ in votes:
        answers[places[task]].append((names[who], CLASSES[list(crowd.labels.classes).index(label)]))
    tasks = [
        {"data": {"text": f"picture {n}"}, "annotations": [
            annotation(people[who], said, skipped=(n + who) % 40 == 0) for who, said in answers[n]
        ] + ([annotation(1, truth[n], gold=True)] if n % 25 == 0 else [])}
        for n in range(n_tasks)
    ]  # fmt: skip
    ids = call(address, token, f"/api/projects/{project}/import?return_task_ids=true", tasks)["task_ids"]
    return project, {str(task): truth[n] for n, task in enumerate(ids)}


def annotation(who: int, said: str, skipped: bool = False, gold: bool = False) -> dict[str, Any]:
    """Without ground_truth: false, Label Studio takes every imported annotation for ground truth."""
    region = {"from_name": "animal", "to_name": "text", "type": "choices", "value": {"choices": [said]}}
    return {
        "completed_by": who,
        "ground_truth": gold,
        "was_cancelled": skipped,
        "lead_time": 2.5,
        "result": [] if skipped else [region],
    }


def call(address: str, token: str, path: str, body: Any = None) -> Any:
    """One call of the server's API."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Token {token}", "Content-Type": "application/json"}
    with build_opener(ProxyHandler({})).open(Request(address + path, data, headers), timeout=300) as answer:
        return json.loads(answer.read())


@contextmanager
def timed(took: dict[str, float], step: str) -> Iterator[None]:
    """The seconds of a step."""
    start = time.perf_counter()
    yield
    took[step] = time.perf_counter() - start


@contextmanager
def server(program: Path, folder: Path) -> Iterator[tuple[str, str]]:
    """A Label Studio of its own, with sqlite in the folder: its address and a token."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    token = secrets.token_hex(20)
    account = {
        "LABEL_STUDIO_USERNAME": "a0@example.com",
        "LABEL_STUDIO_PASSWORD": secrets.token_hex(8),
        "LABEL_STUDIO_USER_TOKEN": token,
        "LABEL_STUDIO_BASE_DATA_DIR": str(folder),
        "COLLECT_ANALYTICS": "false",
        "SENTRY_DSN": "",
        "FRONTEND_SENTRY_DSN": "",
    }
    command = [str(program), "start", "manyhands", "--init", "--no-browser", "--data-dir", str(folder),
               "--internal-host", "127.0.0.1", "--port", str(port), "--enable-legacy-api-token"]  # fmt: skip
    with open(folder / "log", "wb") as log:
        process = subprocess.Popen(
            command, cwd=folder, env=os.environ | account, stdout=log, stderr=log, start_new_session=True
        )
        try:
            address = f"http://127.0.0.1:{port}"
            wait_for(process, address, token, folder / "log")
            yield address, token
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(timeout=30)


def wait_for(
    process: subprocess.Popen[bytes], address: str, token: str, log: Path, patience: float = 300
) -> None:
    """Until the server answers: the first start makes the database, which takes about a minute."""
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"Label Studio ended: {log.read_text(errors='replace')[-1000:]}")
        try:
            call(address, token, "/api/projects/")
            return
        except (URLError, OSError):
            time.sleep(0.5)
    raise RuntimeError(f"Label Studio does not answer after {patience:.0f} s")


def main() -> None:
    """Run it, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--label-studio", type=Path, default=Path(".venv-label-studio/bin/label-studio"))
    parser.add_argument("--tasks", type=int, default=200)
    given = parser.parse_args()
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "server").mkdir()
        with server(given.label_studio.absolute(), folder / "server") as (address, token):
            print(f"{time.perf_counter() - start:6.1f} s  the server starts")
            found = round_trip(address, token, folder, given.tasks)
    for step, seconds in found["seconds"].items():
        print(f"{seconds:6.1f} s  {step}")
    same = sum(
        found["predictions"].get(task, ("",))[0] == said for task, (said, _) in found["consensus"].items()
    )
    print(f"{time.perf_counter() - start:6.1f} s  in all")
    print(f"{found['labels']}, {found['labels'].truths().count(None)} tasks without ground truth")
    print(f"{same} of {len(found['consensus'])} predictions on the server are the consensus")
    print(f"accuracy of the consensus against the simulated truth: {found['accuracy']:.3f}")


if __name__ == "__main__":
    main()
