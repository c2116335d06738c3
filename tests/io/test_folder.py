from __future__ import annotations

import json
import os
import pickletools
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from manyhands.errors import FileError, FormatError, ParameterError
from manyhands.io import read_folder, write_folder

ARRAYS = {
    "half": np.array([[0.5, 1.5]], dtype=np.float16),
    "codes": np.arange(6, dtype=np.int8).reshape(2, 3).T,  # not contiguous
    "flags": np.array([True, False]),
    "scalar": np.array(3.5),
    "none": np.empty((0, 4), dtype=np.float32),
    "big-endian": np.arange(3, dtype=">i4"),
}


def save(folder: Path) -> None:
    write_folder(folder, {"a": np.arange(4.0)}, {"names": ["x", "y"]}, {"n": 1})


def test_everything_comes_back(tmp_path: Path) -> None:
    meta = {"kind": "class", "history": [1.5, None], "nested": {"ä": True}}
    write_folder(tmp_path, ARRAYS, {"names": ["", "ä", "日本", "\ud800", "a\0b"], "empty": []}, meta)
    arrays, texts, data = read_folder(tmp_path)
    assert list(arrays) == sorted(ARRAYS) or set(arrays) == set(ARRAYS)
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(arrays[name], array)
        assert arrays[name].dtype == array.dtype.newbyteorder("=")
        assert arrays[name].shape == array.shape
    assert texts == {"names": ["", "ä", "日本", "\ud800", "a\0b"], "empty": []}
    assert data == meta


@given(
    npst.arrays(
        npst.scalar_dtypes().filter(lambda d: d.kind in "fiub" and d.itemsize <= 8),
        npst.array_shapes(min_side=0),
    ),
    st.lists(st.text()),
)
def test_any_array_and_any_texts_come_back(
    tmp_path_factory: pytest.TempPathFactory, array: np.ndarray, names: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("any")
    write_folder(folder, {"a": array}, {"names": names}, {})
    arrays, texts, _ = read_folder(folder)
    np.testing.assert_array_equal(arrays["a"], array)
    assert texts["names"] == names


def test_the_second_save_replaces_the_first_and_leaves_what_is_not_ours(tmp_path: Path) -> None:
    save(tmp_path)
    (tmp_path / "consensus.csv").write_text("mine")
    (tmp_path / "arrays-0123456789ab.safetensors").write_text("of a killed writer")
    write_folder(tmp_path, {}, {}, {"n": 2})
    assert read_folder(tmp_path)[2] == {"n": 2}
    assert len(os.listdir(tmp_path)) == 5
    assert (tmp_path / "consensus.csv").read_text() == "mine"


def test_a_failed_save_changes_nothing(tmp_path: Path) -> None:
    save(tmp_path)
    before = sorted(os.listdir(tmp_path))
    for arrays, texts, meta in (
        ({"a": np.array(["text"])}, {}, {}),
        ({"a": np.array([object()])}, {}, {}),
        ({}, {"names": ["x", 1]}, {}),
        ({}, {}, {"x": {1, 2}}),
    ):
        with pytest.raises(ParameterError):
            write_folder(tmp_path, arrays, texts, meta)  # type: ignore[arg-type]
    assert sorted(os.listdir(tmp_path)) == before


def test_a_fault_half_way_removes_the_new_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save(tmp_path)
    before = sorted(os.listdir(tmp_path))

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(FileError, match="No space left"):
        save(tmp_path)
    assert sorted(os.listdir(tmp_path)) == before
    assert read_folder(tmp_path)[2] == {"n": 1}


@pytest.mark.parametrize("call", range(4))
def test_a_fault_at_any_rename_removes_the_new_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: int
) -> None:
    save(tmp_path)
    before, left, rename = sorted(os.listdir(tmp_path)), [call], os.replace

    def failing(source: Path, target: Path) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(5, "Input/output error")
        rename(source, target)

    monkeypatch.setattr(os, "replace", failing)
    with pytest.raises(FileError, match="Input/output error"):
        save(tmp_path)
    assert sorted(os.listdir(tmp_path)) == before


def test_a_fault_after_the_manifest_was_renamed_keeps_the_new_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(tmp_path)

    def failing(folder: Path) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("manyhands.io.atomic.sync_folder", failing)
    with pytest.raises(FileError, match="Input/output error"):
        write_folder(tmp_path, {}, {}, {"n": 2})
    assert read_folder(tmp_path)[2] == {"n": 2}


def test_nothing_in_it_is_a_pickle(tmp_path: Path) -> None:
    save(tmp_path)
    for file in tmp_path.iterdir():
        with pytest.raises(Exception):  # noqa: B017
            list(pickletools.genops(file.read_bytes()))


def edit(folder: Path, **changes: object) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest.update(changes)
    (folder / "manifest.json").write_text(json.dumps(manifest))


def entry(folder: Path, part: str, **changes: object) -> dict[str, object]:
    files = json.loads((folder / "manifest.json").read_text())["files"]
    files[part].update(changes)
    return files


def test_a_missing_manifest(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="no manifest"):
        read_folder(tmp_path)
    with pytest.raises(FileError, match="no such folder"):
        read_folder(tmp_path / "lost")


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"format": "else"}, "did not save this folder"),
        ({"format_version": 2}, "upgrade"),
        ({"format_version": "1"}, "not a version"),
        ({"files": []}, "names no files"),
        ({"files": {}}, "names no file for 'arrays'"),
    ],
)
def test_a_manifest_that_is_not_ours(tmp_path: Path, changes: dict[str, object], says: str) -> None:
    save(tmp_path)
    edit(tmp_path, **changes)
    with pytest.raises(FormatError, match=says) as found:
        read_folder(tmp_path)
    assert "manifest.json" in str(found.value)


@pytest.mark.parametrize(
    "name",
    [
        "../secret.json",
        "/etc/hostname",
        "sub/arrays-0123456789ab.safetensors",
        "a\0b",
        "",
        ".saving-0123456789ab",
    ],
)
def test_a_manifest_that_leads_outside(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "model"
    save(folder)
    (tmp_path / "secret.json").write_text("{}")
    edit(folder, files=entry(folder, "meta", name=name, size=2))
    with pytest.raises(FormatError, match="do not trust it"):
        read_folder(folder)


def test_a_link_that_leads_outside(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    save(folder)
    (tmp_path / "secret.json").write_text("{}")
    (folder / "meta-0123456789ab.json").symlink_to(tmp_path / "secret.json")
    edit(folder, files=entry(folder, "meta", name="meta-0123456789ab.json", size=2))
    with pytest.raises(FormatError, match="do not trust it"):
        read_folder(folder)


@pytest.mark.parametrize("part", ["arrays", "texts", "meta"])
def test_files_that_are_cut_damaged_or_gone(tmp_path: Path, part: str) -> None:
    save(tmp_path)
    file = next(tmp_path.glob(f"{part}-*"))
    content = file.read_bytes()
    file.write_bytes(content[:-1])
    with pytest.raises(FormatError, match=r"bytes where manifest\.json says"):
        read_folder(tmp_path)
    file.write_bytes(b"\xff" * len(content))
    with pytest.raises(FormatError, match="is not"):
        read_folder(tmp_path)
    file.unlink()
    with pytest.raises(FormatError, match="not there"):
        read_folder(tmp_path)


def test_texts_whose_starts_do_not_fit(tmp_path: Path) -> None:
    from safetensors.numpy import save_file

    for starts in ([0, 9], [0, 2, 1, 2], [1, 2], []):
        save(tmp_path)
        file = next(tmp_path.glob("texts-*"))
        bad = {"names.bytes": np.frombuffer(b"xy", np.uint8), "names.starts": np.array(starts, np.int64)}
        save_file(bad, file)
        edit(tmp_path, files=entry(tmp_path, "texts", size=file.stat().st_size))
        with pytest.raises(FormatError, match="damaged list"):
            read_folder(tmp_path)


def test_readers_and_writers_at_once(tmp_path: Path) -> None:
    def write(version: int) -> None:
        for _ in range(15):
            write_folder(tmp_path, {"a": np.full(1000, version)}, {"n": [str(version)]}, {"v": version})

    write(0)
    writers = [threading.Thread(target=write, args=(version,)) for version in (1, 2)]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        arrays, texts, meta = read_folder(tmp_path)
        assert (arrays["a"] == meta["v"]).all()
        assert texts["n"] == [str(meta["v"])]
    assert len(os.listdir(tmp_path)) == 4
