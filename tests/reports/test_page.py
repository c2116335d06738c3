"""The page as text: whole, escaped, asking for nothing."""

from __future__ import annotations

import json
import os
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import manyhands as mh
from manyhands.errors import FileError, ParameterError, UnsupportedError
from manyhands.reports.numbers.pictures import data_uri
from manyhands.reports.page import script_json

from .crowds import EVIL, classes, evil, numbers, sets, suspects, tags


class _Reader(HTMLParser):
    """Elements with their attributes, and the text of each script."""

    def __init__(self, html: str):
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.text = ""
        self._inside = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._inside = tag
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside == "script":
            self.scripts[-1] += data
        elif self._inside != "style":
            self.text += data


@pytest.fixture(scope="module")
def html() -> str:
    return mh.report(classes(), comparison=[{"name": "glad", "se": 0.1}]).html


def test_a_page_of_every_kind() -> None:
    for result, words in (
        (numbers(), ["Bias is how far", "How exact the consensus is"]),
        (tags(), ["Disputed spans", "tokens 1–2"]),
        (sets(), ["Label by label", "red"]),
    ):
        page = mh.report(result).html
        assert page.rstrip().endswith("</html>")
        for word in words:
            assert word in page


def test_no_name_becomes_code() -> None:
    page = _Reader(mh.report(evil(), title=EVIL, texts={f"task 0 {EVIL}": EVIL}).html)
    kinds = [tag for tag, _ in page.elements]
    assert kinds.count("script") == 7  # theme, data, the charts' code, and four of ours
    assert "img" not in kinds
    assert not any(name.startswith("on") for _, attributes in page.elements for name in attributes)
    data = json.loads(page.scripts[1])
    assert data["annotators"]["names"][0].startswith(EVIL)
    assert EVIL in page.text  # the task's text, as text


def test_who_is_suspected_is_shown_as_text_too() -> None:
    page = _Reader(mh.report(suspects()).html)
    ids = {attributes.get("id") for tag, attributes in page.elements if tag == "section"}
    assert {"pairs", "drift"} <= ids
    kinds = [tag for tag, _ in page.elements]
    assert kinds.count("script") == 7
    assert "img" not in kinds
    named = [attributes["data-who"] for _, attributes in page.elements if "data-who" in attributes]
    assert {f"{EVIL} 20", f"{EVIL} 21"} <= set(named)
    assert "Who changed over time" in page.text


def test_json_in_a_script_cannot_end_it() -> None:
    nasty = "</script><!--<script>\u2028&"
    text = script_json({nasty: [nasty]})
    assert not set("<>&\u2028") & set(text)
    assert json.loads(text) == {nasty: [nasty]}


def test_nothing_outside_is_named(html: str) -> None:
    """Addresses of namespaces are names, and are never asked for."""
    assert set(re.findall(r"https?://[\w.]+", html)) <= {"http://www.w3.org"}
    for _, attributes in _Reader(html).elements:
        for name in ("src", "href", "action", "srcset", "poster", "data"):
            assert (attributes.get(name) or "#").startswith(("#", "data:"))
    assert "default-src 'none'" in html


def test_sections_are_there_when_they_have_something_to_say(html: str) -> None:
    ids = {attributes.get("id") for tag, attributes in _Reader(html).elements if tag == "section"}
    assert ids == {
        "overview",
        "agreement",
        "consensus",
        "comparison",
        "annotators",
        "confusions",
        "pairs",
        "tasks",
        "training",
    }


def test_for_screen_readers(html: str) -> None:
    page = _Reader(html)
    kinds = [tag for tag, _ in page.elements]
    for landmark in ("header", "nav", "main", "footer"):
        assert kinds.count(landmark) == 1
    assert kinds.count("h1") == 1
    assert kinds.count("caption") == kinds.count("table")
    for tag, attributes in page.elements:
        if "data-chart" in attributes:
            assert attributes["role"] == "img"
            assert len(attributes["aria-label"] or "") > 20
        if tag == "th":
            assert attributes.get("scope") in ("col", "row")
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    named = {attributes["href"] for tag, attributes in page.elements if tag == "a"}
    assert named <= {f"#{id}" for id in ids}


def test_the_same_result_gives_the_same_page() -> None:
    assert mh.report(classes()).html == mh.report(classes()).html


def test_in_a_notebook_it_stands_in_a_frame_of_its_own() -> None:
    made = mh.report(evil())
    shown = _Reader(made._repr_html_())
    assert [tag for tag, _ in shown.elements] == ["iframe"]
    assert shown.elements[0][1]["srcdoc"] == made.html
    assert shown.elements[0][1]["sandbox"] == "allow-scripts"


def test_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = mh.report(classes(), tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == made.html
    monkeypatch.setattr(os, "replace", _broken)
    with pytest.raises(FileError):
        mh.report(classes(1), tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == made.html
    assert os.listdir(tmp_path) == ["report.html"]
    with pytest.raises(FileError, match="no folder"):
        made.save(tmp_path / "nowhere" / "report.html")


def _broken(*_: object) -> None:
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("name", ["jinja2", "altair", "vl_convert"])
def test_a_missing_package_is_named_with_its_cure(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(UnsupportedError, match=r"pip install 'manyhands\[report\]'"):
        mh.report(classes())


def test_what_is_no_result_is_told_so() -> None:
    with pytest.raises(ParameterError, match="not fitted yet"):
        mh.report(mh.DawidSkene())
    with pytest.raises(ParameterError, match="is a list"):
        mh.report([1, 2])


def test_pictures_of_arrays_bytes_and_files(tmp_path: Path) -> None:
    import base64
    import struct
    import zlib

    pixels = np.arange(5 * 4 * 3, dtype=np.uint8).reshape(5, 4, 3)
    address = data_uri(pixels)
    assert address is not None
    content = base64.b64decode(address.split(",")[1])
    assert struct.unpack(">II", content[16:24]) == (4, 5)
    (length,) = struct.unpack(">I", content[33:37])
    rows = np.frombuffer(zlib.decompress(content[41 : 41 + length]), np.uint8).reshape(5, 13)
    assert (rows[:, 1:].reshape(5, 4, 3) == pixels).all()
    assert data_uri(pixels.transpose(2, 0, 1) / 255.0) == address  # channels first, shares of 1
    (tmp_path / "a.png").write_bytes(content)
    assert data_uri(tmp_path / "a.png") == data_uri(content) == address
    for wrong in (b"<svg onload='x'>", 7, np.zeros((2, 2, 2, 2))):
        with pytest.raises(ParameterError, match="picture of task 't'"):
            data_uri(wrong, "t")
    with pytest.raises(FileError):
        data_uri(tmp_path / "none.png")


def test_a_page_has_room_for_so_many_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    result = classes()
    pictures = {name: rng.integers(0, 255, (150, 150, 3)).astype(np.uint8) for name in result.labels.tasks}
    made = mh.report(result, pictures=pictures)
    shown = [a for tag, a in _Reader(made.html).elements if tag == "img"]
    assert 5 < len(shown) < len(made.contents.tasks)
    assert made.contents.pictures_left_out == len(made.contents.tasks) - len(shown)
    assert len(made.html) < 2_500_000
