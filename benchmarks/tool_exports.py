"""Exports of a million answers, a tool at a time: CPU seconds and peak memory of reading one, in a fresh process.

    python -m benchmarks.tool_exports [--answers 1000000] [--print-only]

The files are written here record by record, in the form of the golden files, with texts of some 200 characters:
as long as what people label. A process reads one with manyhands.read; its peak is of all it did, torch unused.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

from .measure import Laps, peak_mb
from .processes import fresh
from .tables import RESULTS, publish

PEOPLE, EACH = 1000, 5
CLASSES = ("cat", "dog", "bird", "none of these")
TEXT = "What people are asked to judge is seldom short: a review, a post, a question with its answer. " * 2

Votes = list[tuple[int, str]]
Maker = Callable[[IO[str], int], None]


def crowd(answers: int) -> Iterator[tuple[int, Votes]]:
    """Tasks with five answers each; which, does not matter here."""
    for task in range(answers // EACH):
        yield task, [((task * 7 + n * 131) % PEOPLE, CLASSES[(task + n // 4) % 4]) for n in range(EACH)]


def array(handle: IO[str], records: Iterator[dict[str, Any]]) -> None:
    """One line, as servers write it."""
    for n, record in enumerate(records):
        handle.write(("," if n else "[") + json.dumps(record))
    handle.write("]")


def label_studio(handle: IO[str], answers: int) -> None:
    array(handle, ({"id": t, "data": {"text": f"{t} {TEXT}"}, "annotations": [
        {"id": t * EACH + n, "completed_by": who, "was_cancelled": False, "ground_truth": False, "lead_time": 3.5,
         "created_at": "2024-03-09T22:16:08.728353Z", "updated_at": "2024-03-09T22:16:08.728353Z",
         "result": [{"id": "Dx_aB91ISN", "from_name": "c", "to_name": "text", "type": "choices",
                     "value": {"choices": [said]}}]}
        for n, (who, said) in enumerate(votes)]} for t, votes in crowd(answers)))  # fmt: skip


def label_studio_min(handle: IO[str], answers: int) -> None:
    array(handle, ({"text": f"{t} {TEXT}", "id": t, "c": said, "annotator": who, "annotation_id": t * EACH + n,
                    "created_at": "2024-03-09T22:16:08Z", "updated_at": "2024-03-09T22:16:08Z", "lead_time": 3.5}
                   for t, votes in crowd(answers) for n, (who, said) in enumerate(votes)))  # fmt: skip


def argilla(handle: IO[str], answers: int) -> None:
    array(handle, ({"id": f"r{t}", "fields": {"text": f"{t} {TEXT}"}, "metadata": {}, "suggestions": {},
                    "responses": {"c": [{"value": said, "user_id": f"d757be49-{who}"} for who, said in votes]},
                    "vectors": {}, "_server_id": f"e4b44b37-{t}"} for t, votes in crowd(answers)))  # fmt: skip


def prodigy(handle: IO[str], answers: int) -> None:
    options = [{"id": name, "text": name} for name in CLASSES]
    for t, votes in crowd(answers):
        for who, said in votes:
            handle.write(json.dumps({
                "text": f"{t} {TEXT}", "options": options, "accept": [said], "answer": "accept", "_input_hash": t,
                "_task_hash": -t, "_annotator_id": f"d-{who}", "_session_id": f"d-{who}", "_timestamp": 1694090000,
            }) + "\n")  # fmt: skip


def doccano(handle: IO[str], answers: int) -> None:
    for t, votes in crowd(answers):
        entries = [{"label": said, "user": who} for who, said in votes]
        handle.write(json.dumps({"id": t, "text": f"{t} {TEXT}", "annotations": entries}) + "\n")


def mturk(handle: IO[str], answers: int) -> None:
    rows = csv.writer(handle, lineterminator="\n", quoting=csv.QUOTE_ALL)
    rows.writerow(["HITId", "Title", "AssignmentId", "WorkerId", "AssignmentStatus", "WorkTimeInSeconds",
                   "Input.text", "Answer.c", "Approve", "Reject"])  # fmt: skip
    for t, votes in crowd(answers):
        rows.writerows([f"3H{t}", "Animals", f"a{t}-{n}", f"W{who}", "Approved", 12, f"{t} {TEXT}", said, "", ""]
                       for n, (who, said) in enumerate(votes))  # fmt: skip


def toloka(handle: IO[str], answers: int) -> None:
    rows = csv.writer(handle, lineterminator="\n", delimiter="\t")
    rows.writerow(["INPUT:text", "OUTPUT:c", "GOLDEN:c", "ASSIGNMENT:task_id", "ASSIGNMENT:worker_id",
                   "ASSIGNMENT:status", "ASSIGNMENT:started", "ASSIGNMENT:submitted"])  # fmt: skip
    for t, votes in crowd(answers):
        rows.writerows([f"{t} {TEXT}", said, "", f"t{t}", f"w{who}", "APPROVED", "2024-03-05T10:00:00",
                        "2024-03-05T10:00:12"] for who, said in votes)  # fmt: skip


def appen(handle: IO[str], answers: int) -> None:
    rows = csv.writer(handle, lineterminator="\n")
    rows.writerow(["_unit_id", "_golden", "_id", "_tainted", "_trust", "_worker_id", "c", "c_gold", "text"])
    for t, votes in crowd(answers):
        rows.writerows([t, "false", f"{t}-{n}", "false", 0.9, who, said, "", f"{t} {TEXT}"]
                       for n, (who, said) in enumerate(votes))  # fmt: skip


def zooniverse(handle: IO[str], answers: int) -> None:
    rows = csv.writer(handle, lineterminator="\n")
    rows.writerow(["classification_id", "user_name", "gold_standard", "metadata", "annotations", "subject_data",
                   "subject_ids"])  # fmt: skip
    about = json.dumps({"started_at": "2024-02-20T10:41:13.381Z", "finished_at": "2024-02-20T10:41:42.481Z"})
    for t, votes in crowd(answers):
        rows.writerows([t * EACH + n, f"user{who}", "", about,
                        json.dumps([{"task": "T0", "task_label": TEXT, "value": said}]),
                        json.dumps({str(t): {"filename": f"{t}.png"}}), t]
                       for n, (who, said) in enumerate(votes))  # fmt: skip


def sagemaker(handle: IO[str], answers: int) -> None:
    array(handle, ({"datasetObjectId": str(t), "dataObject": {"content": f"{t} {TEXT}"}, "annotations": [
        {"workerId": f"private.us-east-1.{who}",
         "annotationData": {"content": json.dumps({"crowd-classifier": {"label": said}})}} for who, said in votes]}
        for t, votes in crowd(answers)))  # fmt: skip


EXPORTS: dict[str, tuple[str, Maker]] = {
    "label-studio": (".json", label_studio),
    "label-studio-min": (".json", label_studio_min),
    "argilla": (".json", argilla),
    "prodigy": (".jsonl", prodigy),
    "doccano": (".jsonl", doccano),
    "mturk": (".csv", mturk),
    "toloka": (".tsv", toloka),
    "appen": (".csv", appen),
    "zooniverse": (".csv", zooniverse),
    "sagemaker": (".json", sagemaker),
}


def worker(path: str) -> dict[str, Any]:
    """What reading one file took; run in a process of its own."""
    import manyhands as mh

    laps = Laps()
    laps.take()
    labels = mh.read(path)
    laps.take()
    return {"answers": labels.n_answers, "tasks": labels.n_tasks, "cpu": laps.cpu[0], "peak": peak_mb()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--answers", type=int, default=1_000_000)
    parser.add_argument("--print-only", action="store_true")
    given = parser.parse_args()
    rows = []
    for name, (suffix, make) in EXPORTS.items():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"export{suffix}"
            with open(path, "w", encoding="utf-8", newline="") as handle:
                make(handle, given.answers)
            size = path.stat().st_size
            found = fresh("benchmarks.tool_exports", {"path": str(path)}, timeout=1800)
        assert found.get("answers") == given.answers, (name, found)
        rows.append({
            "tool": name, "file MB": round(size / 1e6), "answers": found["answers"], "CPU s": round(found["cpu"], 1),
            "peak MB": round(found["peak"]),
        })  # fmt: skip
        print(rows[-1], file=sys.stderr, flush=True)
    publish(
        "tool_exports", f"Reading an export of {given.answers:,} answers, the tool found from the content", rows,
        notes="The goal was under 1000 MB at a million answers.",
        out=None if given.print_only else RESULTS,
    )  # fmt: skip


if __name__ == "__main__":
    if len(sys.argv) == 2 and sys.argv[1].startswith("{"):
        print(json.dumps(worker(json.loads(sys.argv[1])["path"])))
    else:
        main()
