from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

from manyhands.errors import FileError, FormatError, LabelError, ManyhandsError, ParameterError
from manyhands.io.features import read_features

X = np.array([[1.5, 2], [3, 4], [5, -6]], dtype=np.float32)
IDS = ["t1", "t2", "t3"]


def tasks(folder: Path, ids: list = IDS, splits: list | None = None) -> Path:
    with open(folder / "tasks.csv", "w", newline="") as handle:
        out = csv.writer(handle)
        out.writerow(["task", "split"] if splits else ["task"])
        out.writerows(zip(ids, splits, strict=True) if splits else [[name] for name in ids])
    return folder / "tasks.csv"


def text(folder: Path, content: str, name: str = "f.csv") -> Path:
    (folder / name).write_text(content)
    return folder / name


def test_an_npz_with_its_own_ids(tmp_path):
    np.savez(tmp_path / "f.npz", X=X.astype(np.float16), ids=np.array(IDS))
    tasks(tmp_path, ["t3", "t1", "t9"], ["a", "b", "c"])
    table = read_features(tmp_path / "f.npz")
    assert table.ids.to_list() == IDS
    assert table.X.dtype == np.float32
    np.testing.assert_array_equal(table.X, X)
    assert table.splits == ["b", None, "a"]  # by id, not by row


@pytest.mark.parametrize("save", [np.save, lambda p, x: np.savez(p.with_suffix(".npz"), X=x)])
def test_arrays_have_the_rows_of_the_tasks_beside_them(tmp_path, save):
    save(tmp_path / "f.npy", X)
    with pytest.raises(FormatError, match=r"put a tasks\.csv"):
        read_features(next(tmp_path.glob("f.np*")))
    tasks(tmp_path, splits=["train", "train", "test"])
    table = read_features(next(tmp_path.glob("f.np*")))
    assert (table.ids.to_list(), table.splits) == (IDS, ["train", "train", "test"])
    tasks(tmp_path, IDS[:2])
    with pytest.raises(FormatError, match=r"3 rows of features, but tasks\.csv names 2"):
        read_features(next(tmp_path.glob("f.np*")))


def test_a_sparse_matrix_of_scipy(tmp_path):
    tasks(tmp_path)
    scipy.sparse.save_npz(tmp_path / "f.npz", scipy.sparse.csr_matrix(X))
    np.testing.assert_array_equal(read_features(tmp_path / "f.npz").X.toarray(), X)
    scipy.sparse.save_npz(tmp_path / "f.npz", scipy.sparse.csc_matrix(X))
    with pytest.raises(FormatError, match="sparse matrix"):
        read_features(tmp_path / "f.npz")


def test_pictures_have_their_channels_first(tmp_path):
    tasks(tmp_path)
    pictures = np.random.default_rng(0).integers(0, 256, (3, 8, 5, 3), dtype=np.uint8)
    np.savez(tmp_path / "f.npz", X=pictures)
    read = read_features(tmp_path / "f.npz").X
    assert read.shape == (3, 3, 8, 5)
    assert read[2, 1, 7, 4] == np.float32(pictures[2, 7, 4, 1] / np.float32(255))


@pytest.mark.parametrize("suffix", ["csv", "parquet", "jsonl", "tsv"])
def test_tables_as_pandas_writes_them(tmp_path, suffix):
    frame = pd.DataFrame({"b": X[:, 1], "item": IDS, "Split": ["x", "y", "y"], "a": X[:, 0]})
    path = tmp_path / f"f.{suffix}"
    {
        "csv": lambda: frame.to_csv(path, index=False),
        "tsv": lambda: frame.to_csv(path, index=False, sep="\t"),
        "parquet": lambda: frame.to_parquet(path),
        "jsonl": lambda: frame.to_json(path, orient="records", lines=True),
    }[suffix]()
    table = read_features(path)
    assert (table.ids.to_list(), table.columns, table.splits) == (IDS, ["b", "a"], ["x", "y", "y"])
    np.testing.assert_array_equal(table.X, X[:, ::-1])
    np.testing.assert_array_equal(read_features(path, columns=["a"]).X, X[:, :1])


def test_columns_of_text_are_joined(tmp_path):
    path = text(tmp_path, 'task,title,body,n\n1,A,"b, c",3\n2,,d,4\n')
    table = read_features(path, text=["title", "body"])
    assert (table.ids.to_list(), table.X) == (["1", "2"], ["A b, c", " d"])
    tasks(tmp_path, ["2", "1"], ["test", "train"])
    assert read_features(path, text=["body"]).splits == ["train", "test"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("task,size\nt1,1\nt2,big\n", r"f\.csv:3: column 'size' holds 'big'.*--text size"),
        ("task,size\nt1,1\nt2,\n", r"f\.csv:3: column 'size' is empty"),
        ("task,size\nt1,nan\n", r"task 't1' has NaN or infinity in column 'size'"),
        ("task,size\nt1,1\nt1,2\n", r"'t1' occurs twice"),
        ("task,size\nt1,1\n,2\n", r"f\.csv:3: line 3 has no task"),
        ("size,width\n1,2\n", r"no column for the task"),
        ("task\nt1\n", r"no column besides the task"),
        ("task,size,label\nt1,1,2\n", r"'label' looks like an answer"),
        ("task,size\n", r"holds the features of no task"),
    ],
)
def test_odd_tables_are_told_with_their_place(tmp_path, content, said):
    path = text(tmp_path, content)
    with pytest.raises(ManyhandsError, match=said):
        read_features(path)


def test_odd_arrays_are_told(tmp_path):
    tasks(tmp_path)
    bad = X.copy()
    bad[1, 0] = np.inf
    np.save(tmp_path / "f.npy", bad)
    with pytest.raises(LabelError, match=r"'t2' has NaN or infinity in column 0 \(row 1\)"):
        read_features(tmp_path / "f.npy")
    for odd in (X[0], np.array(["a", "b", "c"])):
        np.save(tmp_path / "f.npy", odd)
        with pytest.raises(FormatError, match="must hold numbers, one row a task"):
            read_features(tmp_path / "f.npy")
    np.save(tmp_path / "f.npy", np.array([{}], dtype=object))
    with pytest.raises(FormatError, match="never unpickled"):
        read_features(tmp_path / "f.npy")
    np.savez(tmp_path / "f.npz", Y=X, Z=X)
    with pytest.raises(FormatError, match="no array X; it holds 'Y', 'Z'"):
        read_features(tmp_path / "f.npz")
    for content in (b"", b"PK\x03\x04 cut", b"task,x\n1,2\n", b"\x93NUMPY\x01\x00v\x00{'descr': 'x'"):
        (tmp_path / "g.npz").write_bytes(content)
        with pytest.raises(FormatError, match="array file"):
            read_features(tmp_path / "g.npz")
    with pytest.raises(FileError, match="no such file"):
        read_features(tmp_path / "h.npz")
    with pytest.raises(ParameterError, match="text= names columns of a table"):
        read_features(tmp_path / "f.npz", text=["body"])


def test_nothing_is_unpickled(tmp_path, monkeypatch):
    import pickle

    class Bomb:
        def __reduce__(self):
            return (json.loads, ("{",))

    tasks(tmp_path)
    (tmp_path / "f.npy").write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(FormatError):
        read_features(tmp_path / "f.npy")
