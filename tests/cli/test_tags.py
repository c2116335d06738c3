"""Sequences by the command, from a file of words and tags to a tagger's predictions."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from seqeval.metrics import f1_score, precision_score, recall_score

import manyhands as mh
from manyhands.annotations.scheme import convert, spans_of
from manyhands.io import read_sentences, read_truth

from .shell import rows_of, run

NAMES = ["Ada", "Bob", "Eve", "Kim"]
QUICK = ("--epochs", 25, "--set", "batch_size=8", "--set", "learning_rate=0.01")


def sentence(n: int) -> tuple[list[str], list[str]]:
    """Names are PER, with a surname or not; the rest is O."""
    rng = np.random.default_rng(n)
    tokens, tags = [], []
    for _ in range(rng.integers(2, 5)):
        if rng.random() < 0.5:
            tokens.append(NAMES[rng.integers(len(NAMES))])
            tags.append("B-PER")
            if rng.random() < 0.5:
                tokens.append("Lovelace")
                tags.append("I-PER")
        tokens.append(["wrote", "to", "so", "did"][rng.integers(4)])
        tags.append("O")
    return tokens, tags


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with crowd.conll (three annotators, truth) and tasks.jsonl (all, with splits and truth)."""
    folder = tmp_path_factory.mktemp("crowd")
    lines, tasks, rng = ["# columns = token\tann\tbob\tcid\ttruth"], [], np.random.default_rng(0)
    for n in range(60):
        tokens, tags = sentence(n)
        split = "train" if n < 40 else "test"
        tasks.append({"task": f"s{n}", "split": split, "tokens": tokens, "truth": tags})
        if split == "test":
            continue
        said = [[tag if rng.random() < p else "O" for tag in tags] for p in (0.95, 0.9, 0.6)]
        lines += ["", f"# task = s{n}", *("\t".join(row) for row in zip(tokens, *said, tags, strict=True))]
    (folder / "crowd.conll").write_text("\n".join(lines) + "\n")
    (folder / "tasks.jsonl").write_text("".join(json.dumps(task) + "\n" for task in tasks))
    return folder


@pytest.fixture(scope="module")
def trained(crowd: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict]:
    out = tmp_path_factory.mktemp("model") / "m"
    done = run("train", crowd / "crowd.conll", "--features", crowd / "tasks.jsonl", "--train-split", "train", "--out",
               out, *QUICK, "--truth", crowd / "tasks.jsonl", "--json")  # fmt: skip
    assert done.exit_code == 0, done.output
    return out, json.loads(done.stdout)


def test_training_says_how_right_it_is(trained: tuple[Path, dict], crowd: Path) -> None:
    model, said = trained
    assert (said["method"], said["tasks"], said["annotators"]) == ("crowd-tagger", 40, 3)
    assert set(said["scores"]) == {"train", "test", "network and labels"}
    table = read_sentences(crowd / "tasks.jsonl")
    tests = [n for n, split in enumerate(table.splits) if split == "test"]
    truth = read_truth(crowd / "tasks.jsonl")
    gold = [truth[table.ids[n]] for n in tests]
    tags = mh.load(model).predict(table.X[tests]).tolist()
    scores = said["scores"]["test"]
    assert scores["span_f1"] == pytest.approx(f1_score(gold, tags))
    assert scores["span_f1"] > 0.9
    assert scores["span_precision"] == pytest.approx(precision_score(gold, tags))
    assert scores["span_recall"] == pytest.approx(recall_score(gold, tags))
    flat = [a == b for one, two in zip(gold, tags, strict=True) for a, b in zip(one, two, strict=True)]
    assert scores["accuracy"] == pytest.approx(np.mean(flat))


def test_words_come_from_the_same_file(crowd: Path, tmp_path: Path) -> None:
    done = run("train", crowd / "crowd.conll", "--out", tmp_path / "m", "--epochs", 1)
    assert done.exit_code == 0, done.output
    assert "40 sentences of" in done.stdout
    lines = tmp_path / "crowd.jsonl"
    assert run("convert", crowd / "crowd.conll", lines).exit_code == 0
    done = run("train", lines, "--out", tmp_path / "n", "--epochs", 1)
    assert done.exit_code == 0, done.output
    one, two = (mh.load(tmp_path / name).predict([["Ada", "wrote"]]).tolist() for name in "mn")
    assert one == two


def test_sentences_that_nobody_tagged_are_not_trained_on(crowd: Path, tmp_path: Path) -> None:
    done = run("train", crowd / "crowd.conll", "--features", crowd / "tasks.jsonl", "--out", tmp_path / "m", "--epochs", 1,
               "--truth", crowd / "tasks.jsonl", "--json")  # fmt: skip
    assert done.exit_code == 0, done.output
    said = json.loads(done.stdout)
    assert said["notes"] == ["20 sentences have no tags: not trained on"]
    assert said["scores"]["test"]["tasks"] == 20
    folder = tmp_path / "folder"  # words in a table of tasks beside the labels
    folder.mkdir()
    run("convert", crowd / "crowd.conll", folder / "annotations.csv")
    (folder / "tasks.jsonl").write_bytes((crowd / "tasks.jsonl").read_bytes())
    done = run("train", folder, "--kind", "tags", "--out", tmp_path / "n", "--epochs", 1, "--json")
    assert json.loads(done.stdout)["loss"] == said["loss"]


def test_predictions_in_every_form(trained: tuple[Path, dict], crowd: Path, tmp_path: Path) -> None:
    model, _ = trained
    outs = {end: tmp_path / f"p.{end}" for end in ("conll", "jsonl", "csv", "parquet")}
    for out in outs.values():
        done = run("predict", model, "--features", crowd / "tasks.jsonl", "--out", out, "--quiet")
        assert (done.exit_code, done.output) == (0, "")
    table = read_sentences(crowd / "tasks.jsonl")
    tags = mh.load(model).predict(table.X).tolist()
    chances = mh.load(model).predict_proba(table.X)
    classes = mh.load(model).classes_.tolist()
    assert read_truth(outs["conll"]) == dict(zip(table.ids, tags, strict=True))
    assert read_sentences(outs["conll"]).X.tolist() == table.X.tolist()
    records = [json.loads(line) for line in outs["jsonl"].read_text().splitlines()]
    assert [r["tags"] for r in records] == tags
    assert [r["tokens"] for r in records] == table.X.tolist()
    found = [
        (task, a, b, kind, min(c[n, classes.index(row[n])] for n in range(a, b)), " ".join(words[a:b]))
        for task, row, c, words in zip(table.ids, tags, chances, table.X, strict=True)
        for a, b, kind in spans_of(row)
    ]
    rows = rows_of(outs["csv"])
    assert [(r["task"], int(r["start"]), int(r["end"]), r["type"], r["text"]) for r in rows] == [
        (*f[:4], f[5]) for f in found
    ]
    assert [float(r["confidence"]) for r in rows] == pytest.approx([f[4] for f in found], abs=1e-5)
    flat = [span for r in records for span in r["spans"]]
    assert [(s["start"], s["end"]) for s in flat] == [f[1:3] for f in found]
    printed = json.loads(run("predict", model, "--features", crowd / "tasks.jsonl", "--json").stdout)
    assert [r["tags"] for r in printed["predictions"]] == tags
    shown = run(
        "predict",
        model,
        "--features",
        crowd / "crowd.conll",
        "--out",
        tmp_path / "q.conll",
        "--scheme",
        "bioes",
    )
    assert "40 tasks labelled" in shown.stdout
    assert [*read_truth(tmp_path / "q.conll").values()] == [convert(row, "BIOES") for row in tags[:40]]


def test_places_in_the_text_are_kept(trained: tuple[Path, dict], tmp_path: Path) -> None:
    texts = tmp_path / "texts.csv"
    texts.write_text('id,body\nx,"Ada  Lovelace, so did (Bob)"\ny,""\nz,so\n')
    done = run("predict", trained[0], "--features", texts, "--text", "body", "--json")
    assert done.exit_code == 1  # a sentence without a word is told
    assert "line 3 has no body" in done.output
    texts.write_text('id,body\nx,"Ada  Lovelace, so did (Bob)"\nz,so\n')
    done = run("predict", trained[0], "--features", texts, "--text", "body", "--out", tmp_path / "p.csv")
    assert done.exit_code == 0, done.output
    text = "Ada  Lovelace, so did (Bob)"
    rows = rows_of(tmp_path / "p.csv")
    assert "Ada  Lovelace" in {row["text"] for row in rows}
    assert all(text[int(row["start_char"]) : int(row["end_char"])] == row["text"] for row in rows)


def test_vectors_of_words(crowd: Path, tmp_path: Path) -> None:
    vectors = tmp_path / "glove.txt"
    vectors.write_text(
        "".join(f"{w.lower()} {n} {n * 0.5} -1\n" for n, w in enumerate([*NAMES, "Zoe", "wrote"]))
    )
    command = ["train", crowd / "crowd.conll", "--out", tmp_path / "m", "--epochs", 1, "--vectors", vectors]
    done = run(*command)
    assert done.exit_code == 0, done.output
    model = mh.load(tmp_path / "m")
    assert model.network.dim == 3
    assert "zoe" in model.words_.tolist()  # met in the vectors alone, kept for sentences to come
    vectors.write_text("ada 1 2\nbob 1\n")
    done = run(*command)
    assert done.exit_code == 1
    assert "glove.txt:2: 1 numbers after a word where the lines before have 2" in done.output


def test_a_run_that_is_resumed_is_the_run(crowd: Path, tmp_path: Path) -> None:
    whole = run("train", crowd / "crowd.conll", "--out", tmp_path / "a", "--epochs", 3, "--json")
    again = run("train", crowd / "crowd.conll", "--out", tmp_path / "b", "--epochs", 3, "--resume", "--json")
    assert json.loads(whole.stdout)["loss"] == json.loads(again.stdout)["loss"]
    assert json.loads(again.stdout)["resumed_from"] is None


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (["--method", "crowd-classifier"], "labels are of kind 'tags'; crowd-classifier takes"),
        (["--network", "mlp"], "has a network of its own"),
        (["--encoder", "x"], "a tagger learns from words"),
        (["--text", "nope"], "has no field 'nope'"),
        (["--method", "speelfc", "--vectors", "glove.txt"], "takes no vectors"),
        (["--vectors", "nowhere.txt"], "no such file"),
    ],
)
def test_what_does_not_go_with_a_tagger_is_refused(
    crowd: Path, tmp_path: Path, more: list, says: str
) -> None:
    done = run("train", crowd / "crowd.conll", "--out", tmp_path / "m", *more)
    assert done.exit_code in (1, 2)
    assert says in " ".join(done.output.replace("│", " ").split())
    assert not (tmp_path / "m").exists()


def test_labels_without_words_and_classes_without_features(crowd: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare.jsonl"
    bare.write_text('{"task": "s0", "annotator": "ann", "labels": ["O"]}\n')
    done = run("train", bare, "--out", tmp_path / "m")
    assert done.exit_code == 1
    assert "no column named tokens" in done.output
    votes = tmp_path / "votes.csv"
    votes.write_text("task,annotator,label\na,ann,x\nb,ann,y\n")
    done = run("train", votes, "--out", tmp_path / "m")
    assert done.exit_code == 2
    assert "--features" in done.output


def test_a_tagger_learns_from_a_tools_export(tmp_path: Path) -> None:
    golden = Path(__file__).parents[1] / "io" / "golden"
    for name in ("label-studio.tags.json", "prodigy.tags.jsonl", "doccano.tags.jsonl"):
        done = run("train", golden / name, "--out", tmp_path / name, "--epochs", 1, "--quiet")
        assert done.exit_code == 0, done.output


def test_aggregate_scores_and_writes_spans(crowd: Path, tmp_path: Path) -> None:
    outs = {what: tmp_path / f"{what}.csv" for what in ("spans", "disputed-spans")}
    done = run("aggregate", crowd / "crowd.conll", "--method", "bsc", "--truth", crowd / "crowd.conll", "--scheme", "BILOU",
               "--out", tmp_path / "c.conll", *(x for what, path in outs.items() for x in (f"--{what}", path)),
               "--json")  # fmt: skip
    assert done.exit_code == 0, done.output
    said = json.loads(done.stdout)
    labels = mh.read(crowd / "crowd.conll")
    result = mh.BSC(random_state=0).fit(labels).result_
    consensus = result.consensus()["label"].to_list()
    gold = [read_truth(crowd / "crowd.conll")[task] for task in labels.tasks]
    assert said["scores"]["span_f1"] == pytest.approx(f1_score(gold, consensus))
    assert said["scores"]["span_precision"] == pytest.approx(precision_score(gold, consensus))
    assert [*read_truth(tmp_path / "c.conll").values()] == [convert(row, "BILOU") for row in consensus]
    assert read_sentences(tmp_path / "c.conll").X.tolist() == read_sentences(crowd / "crowd.conll").X.tolist()
    assert len(rows_of(outs["spans"])) == len(result.spans())
    disputed = rows_of(outs["disputed-spans"])
    assert [
        (r["task"], int(r["start"]), r["gave"].split()) for r in disputed
    ] == result.disputed_spans().select("task", "start", "gave").rows()


def test_conversions_between_all_forms_and_schemes(crowd: Path, tmp_path: Path) -> None:
    source, labels = crowd / "crowd.conll", mh.read(crowd / "crowd.conll", truth="truth")
    for name in ("a.jsonl", "b.parquet", "c.conll.gz"):
        done = run("convert", source, tmp_path / name)
        assert "nothing was lost" in done.stdout, done.output
        assert mh.read(tmp_path / name, truth="truth").equals(labels)
        assert read_sentences(tmp_path / name).X.tolist() == read_sentences(source).X.tolist()
    for name in ("a.jsonl", "b.parquet"):
        back = tmp_path / f"{name}.conll"
        assert run("convert", tmp_path / name, back).exit_code == 0
        assert mh.read(back).equals(mh.read(source))
    done = run("convert", source, tmp_path / "d.csv")
    assert "lost: the words of the tasks" in done.stdout
    done = run("convert", tmp_path / "d.csv", tmp_path / "e.conll", "--kind", "tags")
    assert done.exit_code == 1  # whose words?
    done = run(
        "convert",
        tmp_path / "d.csv",
        tmp_path / "e.conll",
        "--kind",
        "tags",
        "--texts",
        crowd / "tasks.jsonl",
    )
    assert done.exit_code == 0, done.output
    assert mh.read(tmp_path / "e.conll").equals(mh.read(source))
    assert run("convert", source, tmp_path / "f.conll", "--scheme", "BIOES").exit_code == 0
    assert run("convert", tmp_path / "f.conll", tmp_path / "g.conll", "--scheme", "BIO").exit_code == 0
    norm = [convert(row, "BIO") for row in labels.to_frame()["label"].to_list()]
    assert mh.read(tmp_path / "g.conll").to_frame()["label"].to_list() == norm
    near = tmp_path / "near.conll"
    near.write_text("Ada B-PER\nBob B-PER\n")
    done = run("convert", near, tmp_path / "io.conll", "--scheme", "IO")
    assert "lost: the borders between 1 spans" in done.stdout
    done = run("convert", near, tmp_path / "io.conll", "--scheme", "IOBES9")
    assert done.exit_code == 2


def test_compare_of_taggers_is_refused(crowd: Path) -> None:
    done = run("compare", crowd / "crowd.conll", "--features", crowd / "tasks.jsonl")
    assert done.exit_code == 1
    assert "manyhands train" in done.output


def test_the_catalogue_lists_taggers() -> None:
    names = [entry["name"] for entry in json.loads(run("methods", "--kind", "tags", "--json").stdout)]
    assert {"bsc", "crowd-tagger"} <= set(names)


def test_a_report_shows_disputed_spans_with_their_words(crowd: Path, tmp_path: Path) -> None:
    pytest.importorskip("altair")
    done = run("report", crowd / "crowd.conll", "--method", "bsc", "--out", tmp_path / "r.html")
    assert done.exit_code == 0, done.output
    page = (tmp_path / "r.html").read_text()
    assert "<mark>Ada" in page
    assert " of 3, chance " in page
    done = run("aggregate", crowd / "crowd.conll", "--save", tmp_path / "result", "--quiet")
    done = run("report", tmp_path / "result", "--texts", crowd / "crowd.conll", "--out", tmp_path / "s.html")
    assert "<mark>Ada" in (tmp_path / "s.html").read_text()
