"""Saved results come back whole or not at all, and nothing is ever unpickled."""

from __future__ import annotations

import ast
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manyhands as mh
from manyhands import Annotations
from manyhands.errors import FileError, FormatError, UnsupportedError
from manyhands.io.folder import read_folder, write_folder

SOURCE = Path(mh.__file__).parent
TABLES = {
    "class": lambda: Annotations.from_dict({"t1": {"ann": "x", "bob": "y"}, "t2": {"bob": "y"}, "t3": {}}),
    "integers": lambda: Annotations.from_arrays([7, 7, 5], [100, 2, 2], [3, 4, 4]),
    "codes": lambda: Annotations.from_matrix([[0, 1], [1, 1]]),
    "booleans": lambda: Annotations.from_dict({"t": {"ann": True, "bob": False}}),
    "decimals": lambda: Annotations.from_dict({"t": {"ann": 0.5, "bob": 1.5}}, kind="class"),
    "ordinal": lambda: Annotations.from_dict({"t": {"ann": "low"}}, kind="ordinal", classes=["low", "high"]),
    "tags": lambda: Annotations.from_dict({"s1": {"ann": ["O", "B"], "bob": ["O", "O"]}, "s2": {"ann": ["B"]}}),
    "set": lambda: Annotations.from_dict({"p": {"ann": {"cat", "dog"}, "bob": set()}}, classes=["cat", "dog"]),
    "soft": lambda: Annotations.from_dict({"t": {"judge": {"no": 0.25, "yes": 0.75}}}),
    "truth": lambda: Annotations.from_dict({"t": {"ann": "x"}, "u": {"ann": "y"}}, truth={"u": "x"}),
    "unicode": lambda: Annotations.from_dict({"задача": {"ännë": "猫"}}),
    "columns": lambda: Annotations.from_arrays(
        ["a", "b"], ["j", "j"], ["x", "y"], columns={"seconds": [1.5, 2.5], "note": ["p", "q"]}
    ).with_annotator_features([[1.0, 2.0]]),
}  # fmt: skip


@pytest.mark.parametrize("what", TABLES)
def test_round_trip_of_names_and_labels(what: str, tmp_path: Path) -> None:
    table = TABLES[what]()
    result = mh.DawidSkene(max_iter=5, tol=1.0).fit(table).result_
    back = mh.load(result.save(tmp_path / "r"))
    for names in ("tasks", "annotators", "classes"):
        ours, theirs = getattr(table, names).to_list(), getattr(back.labels, names).to_list()
        assert theirs == ours
        assert list(map(type, theirs)) == list(map(type, ours))
    assert back.consensus().equals(result.consensus())
    assert back.settings == result.settings
    if what == "columns":  # numbers alongside are kept, notes are not results
        assert list(back.labels.columns) == ["seconds"]
        assert back.labels.annotator_features is not None
        assert back.labels.annotator_features.tolist() == [[1.0, 2.0]]
    else:
        assert back.labels.equals(table)


def test_names_that_cannot_be_written_say_so(tmp_path: Path) -> None:
    table = Annotations.from_dict({("a", 1): {"ann": "x"}})
    with pytest.raises(UnsupportedError, match=r"\('a', 1\)"):
        mh.MajorityVote().fit(table).result_.save(tmp_path / "r")
    assert not (tmp_path / "r").exists()


def test_saving_again_replaces(tmp_path: Path) -> None:
    for what in ("class", "codes"):
        mh.MajorityVote().fit(TABLES[what]()).result_.save(tmp_path)
    assert mh.load(tmp_path).labels.equals(TABLES["codes"]())


def _saved(tmp_path: Path, model: Any = None, table: Annotations | None = None) -> Path:
    model = model or mh.DawidSkene(max_iter=5, tol=1.0)
    return model.fit(table or TABLES["class"]()).result_.save(tmp_path / "r")


def test_what_is_no_result(tmp_path: Path) -> None:
    with pytest.raises(FileError):
        mh.load(tmp_path / "nothing")
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileError):
        mh.load(tmp_path / "empty")
    write_folder(tmp_path / "other", {}, {}, {"what": "a model of something else"})
    with pytest.raises(FormatError, match="model of something else"):
        mh.load(tmp_path / "other")


def test_cut_and_garbled_files(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    folder = _saved(tmp_path)
    for file in sorted(folder.iterdir()):
        for damage in ("cut", "garble", "gone"):
            shutil.copytree(folder, tmp_path / "bad", dirs_exist_ok=True)
            target, content = tmp_path / "bad" / file.name, file.read_bytes()
            if damage == "gone":
                target.unlink()
            else:
                target.write_bytes(
                    content[: len(content) // 2] if damage == "cut" else rng.bytes(len(content))
                )
            with pytest.raises(FileError):
                mh.load(tmp_path / "bad")
            shutil.rmtree(tmp_path / "bad")


WRONG: list[tuple[str, Any]] = [
    ("labels.task", lambda a: a + 100),
    ("labels.task", lambda a: a[::-1].copy()),
    ("labels.task", lambda a: a.astype(np.float64)),
    ("labels.annotator", lambda a: a - 1),
    ("labels.annotator", lambda a: a[:-1]),
    ("labels.values", lambda a: a + 7),
    ("labels.values", lambda a: a[:1]),
    ("labels.values", lambda a: a.astype(np.float32)),
    ("labels.truth", lambda a: a + 50),
    ("labels.truth", lambda a: a[:1]),
    ("posterior.chances", lambda a: a[:1]),
    ("posterior.chances", lambda a: a[:, :1]),
    ("posterior.chances", None),
    ("evidence.log_rows", lambda a: a[:1]),
    ("evidence.log_rows", None),
    ("evidence.log_truth", lambda a: a[:1]),
]


@pytest.mark.parametrize(("name", "change"), WRONG, ids=[f"{n}-{i}" for i, (n, _) in enumerate(WRONG)])
def test_arrays_that_do_not_belong_together(name: str, change: Any, tmp_path: Path) -> None:
    """A folder that is sound as files and lies in its numbers: codes outside reach compiled code."""
    arrays, texts, meta = read_folder(_saved(tmp_path, table=TABLES["class"]().with_truth({"t1": "x"})))
    if change is None:
        del arrays[name]
    else:
        arrays[name] = change(arrays[name])
    write_folder(tmp_path / "lie", arrays, texts, meta)
    with pytest.raises(FormatError, match="not a whole result"):
        mh.load(tmp_path / "lie")


@pytest.mark.parametrize(
    ("key", "value"),
    [("evidence", "code"), ("evidence", ["none"]), ("kind", "poem"), ("settings", 3), ("history", "x"),
     ("sizes", {}), ("rules", {"__class__": "x"}), ("columns", 5)],
)  # fmt: skip
def test_data_that_does_not_belong_together(key: str, value: Any, tmp_path: Path) -> None:
    arrays, texts, meta = read_folder(_saved(tmp_path, table=TABLES["codes"]()))
    write_folder(tmp_path / "lie", arrays, texts, meta | {key: value})
    with pytest.raises(FormatError):
        mh.load(tmp_path / "lie")


def test_every_evidence_is_checked(tmp_path: Path) -> None:
    numbers = Annotations.from_matrix([[1.0, 2.0], [2.5, 2.0]], kind="number")
    cases = [
        (mh.GLAD(), TABLES["class"](), ("ability", "log_easiness", "log_truth", "typical")),
        (mh.Wawa(), TABLES["class"](), ("weights",)),
        (mh.PrecisionWeighted(tol=1.0), numbers, ("bias", "log_precision", "prior")),
    ]
    for model, table, fields in cases:
        arrays, texts, meta = read_folder(_saved(tmp_path, model, table))
        for field in fields:
            changed = arrays | {f"evidence.{field}": np.zeros(9)}
            write_folder(tmp_path / "lie", changed, texts, meta)
            with pytest.raises(FormatError, match=field):
                mh.load(tmp_path / "lie")


def test_tags_whose_tokens_do_not_add_up(tmp_path: Path) -> None:
    arrays, texts, meta = read_folder(_saved(tmp_path, table=TABLES["tags"]()))
    for name in ("labels.starts", "labels.unit_starts"):
        for change in (lambda a: a[:-1], lambda a: a + 1, lambda a: a * 2):
            write_folder(tmp_path / "lie", arrays | {name: change(arrays[name])}, texts, meta)
            with pytest.raises(FormatError):
                mh.load(tmp_path / "lie")


def test_nothing_in_the_package_unpickles() -> None:
    """No import of pickle and its kin, no torch.load, no numpy with allow_pickle, no eval."""
    kin = {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "shelve", "marshal"}
    calls = {("torch", "load"), ("np", "load"), ("numpy", "load"), ("joblib", "load"), ("yaml", "load")}
    found = []
    for file in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            place = f"{file.relative_to(SOURCE)}:{getattr(node, 'lineno', 0)}"
            if isinstance(node, ast.Import):
                found += [place for alias in node.names if alias.name.split(".")[0] in kin]
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in kin:
                found.append(place)
            if isinstance(node, ast.Call):
                found += [place] * _opens_code(node, calls)
    assert found == []


def _opens_code(node: ast.Call, calls: set[tuple[str, str]]) -> bool:
    words = {k.arg: k.value for k in node.keywords}
    if isinstance(node.func, ast.Name):
        return node.func.id in ("eval", "exec", "__import__")
    if not isinstance(node.func, ast.Attribute) or not isinstance(node.func.value, ast.Name):
        return False
    safe = any(isinstance(words.get(w), ast.Constant) and words[w].value is v  # type: ignore[attr-defined]
               for w, v in (("weights_only", True), ("allow_pickle", False)))  # fmt: skip
    return (node.func.value.id, node.func.attr) in calls and not safe


def test_a_judged_result_is_saved_like_any_other(tmp_path: Path) -> None:
    model = mh.GLAD().fit(TABLES["class"]())
    judged = model.result_.infer(replace(TABLES["class"](), tasks=mh.Annotations.from_dict(
        {"n1": {"a": "x"}, "n2": {}, "n3": {}}).tasks))  # fmt: skip
    back = mh.load(judged.save(tmp_path / "j"))
    assert back.tasks().equals(judged.tasks())


def test_the_result_of_a_network_is_saved_by_itself(tmp_path: Path) -> None:
    """Its evidence holds what the network says of every task, not one prior for all."""
    crowd = mh.simulate("groups", n_tasks=60, n_annotators=5, n_features=2, seed=0)
    result = mh.CrowdClassifier("linear", epochs=2).fit(crowd.features, crowd.labels).result_
    again = mh.load(result.save(tmp_path / "result"))
    np.testing.assert_array_equal(again.evidence.log_truth, result.evidence.log_truth)
    assert again.consensus().equals(result.consensus())
