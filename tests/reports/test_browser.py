"""The page in a real browser: nothing is complained of, nothing is asked for, and what moves works."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from benchmarks.chromium import NEEDED, Browser, Page, install_chromium

import manyhands as mh

from .crowds import EVIL, classes, evil, numbers, sets, suspects, tags

pytestmark = pytest.mark.slow

FIRST = "document.querySelector('#annotators-table tbody th').innerText"
COLUMN = "[...document.querySelectorAll('#annotators-table tbody tr')].map(r => r.cells[{}].innerText)"
SHOWN = "document.getElementById('shown').innerText"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if install_chromium() is None:
        pytest.skip(NEEDED)
    with Browser() as started:
        yield started


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("reports")
    crowd = mh.simulate(
        "confusion", n_tasks=60, n_annotators=8, n_classes=2, n_features=2, redundancy=8, seed=0
    )
    lia = mh.LIA(rounds=1, steps=5, fine_tuning=0).fit(crowd.features, crowd.labels)
    groups = mh.CMM(epochs=2, network="linear").fit(crowd.features, crowd.labels)
    made = {
        "classes": classes(),
        "numbers": numbers(),
        "tags": tags(),
        "sets": sets(),
        "evil": evil(),
        "suspects": suspects(),
        "lia": lia,
        "cmm": groups,
    }
    for name, result in made.items():
        mh.report(result, folder / f"{name}.html", title=EVIL if name == "evil" else name)
    return {name: folder / f"{name}.html" for name in made}


def _open(browser: Browser, path: Path, **options: object) -> Page:
    return browser.open(path.as_uri(), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["classes", "numbers", "tags", "sets", "evil", "suspects", "lia", "cmm"])
def test_no_complaint_and_no_request(browser: Browser, pages: dict[str, Path], name: str) -> None:
    page = _open(browser, pages[name])
    assert page.complaints == []
    assert page.requests == [pages[name].as_uri()]
    drawn = page.evaluate(
        "[...document.querySelectorAll('[data-chart]')].map(p => p.querySelectorAll('svg path').length)"
    )
    assert drawn
    assert min(drawn) > 0
    page.close()


def test_a_name_with_a_script_is_shown_as_text(browser: Browser, pages: dict[str, Path]) -> None:
    page = _open(browser, pages["evil"])
    assert page.evaluate("window.hacked ?? null") is None
    assert page.evaluate("document.querySelector('h1').innerText") == EVIL
    assert page.evaluate("document.title") == EVIL
    assert EVIL in page.evaluate(FIRST)
    assert page.evaluate("document.querySelectorAll('img, section script').length") == 0
    page.evaluate("document.querySelector('#annotators-table tbody button').click()")
    assert EVIL in page.evaluate("document.querySelector('[data-matrix=one]').caption.innerText")
    assert EVIL in page.evaluate("document.querySelector('[data-matrix=one] thead').innerText")
    assert page.evaluate("window.hacked ?? null") is None
    page.close()


def test_sorting(browser: Browser, pages: dict[str, Path]) -> None:
    page = _open(browser, pages["classes"])
    sort = "document.querySelector('[data-key={}]').click()"
    state = "document.querySelector('[data-key={}]').parentElement.getAttribute('aria-sort')"
    counts = [int(n) for n in page.evaluate(COLUMN.format(1))]
    assert counts == sorted(counts, reverse=True)
    assert page.evaluate(state.format("n")) == "descending"
    page.evaluate(sort.format("accuracy"))
    best = [int(n.rstrip("%")) for n in page.evaluate(COLUMN.format(2))]
    assert best == sorted(best, reverse=True)
    page.evaluate(sort.format("accuracy"))
    worst = [int(n.rstrip("%")) for n in page.evaluate(COLUMN.format(2))]
    assert worst == sorted(worst)
    assert worst[0] <= best[-1]
    assert page.evaluate(state.format("accuracy")) == "ascending"
    assert page.evaluate(state.format("n")) == "none"
    page.evaluate(sort.format("name"))
    assert page.evaluate(COLUMN.format(0))[:3] == ["a0", "a1", "a2"]  # a2 before a10
    page.close()


def test_filtering_and_paging(browser: Browser, pages: dict[str, Path]) -> None:
    page = _open(browser, pages["classes"])
    fill = "(() => {{ const e = document.getElementById('{}'); e.value = '{}'; e.dispatchEvent(new Event('input')); }})()"
    assert page.evaluate(SHOWN) == "1 to 25 of 30"
    page.evaluate("document.getElementById('after').click()")
    assert page.evaluate(SHOWN) == "26 to 30 of 30"
    assert page.evaluate("document.getElementById('after').disabled")
    page.evaluate(fill.format("find", "A2"))
    names = page.evaluate(COLUMN.format(0))
    assert sorted(names) == sorted(["a2", *(f"a2{n}" for n in range(10))])
    page.evaluate(fill.format("standing", "2"))
    assert set(page.evaluate(COLUMN.format(4))) <= {"below the crowd"}
    page.evaluate(fill.format("standing", ""))
    page.evaluate(fill.format("find", "nobody"))
    assert page.evaluate(SHOWN) == "nobody is like that"
    page.evaluate(fill.format("find", ""))
    least = page.evaluate(COLUMN.format(1))[10]
    page.evaluate(fill.format("least", least))
    assert all(int(n) >= int(least) for n in page.evaluate(COLUMN.format(1)))
    page.close()


def test_any_annotators_matrix_beside_the_crowds(browser: Browser, pages: dict[str, Path]) -> None:
    result = classes()
    page = _open(browser, pages["classes"])
    page.evaluate(
        "(() => { const e = document.getElementById('who'); e.value = 'a7'; e.dispatchEvent(new Event('input')); })()"
    )
    shown = page.evaluate(
        "[...document.querySelectorAll('[data-matrix=one] tbody td')].map(c => c.innerText)"
    )
    counts = result.counts[7]
    shares = (100 * counts / counts.sum(axis=1, keepdims=True)).ravel()
    for text, share in zip(shown, shares, strict=True):
        assert (share < 0.6) if text == "<1" else abs(int(text) - share) < 1.0
    crowd = page.evaluate("document.querySelectorAll('[data-matrix=crowd] tbody td').length")
    assert crowd == 9
    page.close()


def test_two_orders_of_tasks(browser: Browser, pages: dict[str, Path]) -> None:
    page = _open(browser, pages["classes"])
    first = "[...document.querySelectorAll('#task-list > li')].filter(e => !e.hidden).map(e => e.querySelector('h3').innerText)"
    doubt = page.evaluate(first)
    page.evaluate("document.querySelector('input[value=dispute]').click()")
    dispute = page.evaluate(first)
    assert len(doubt) == len(dispute) == 24
    assert doubt != dispute
    page.close()


@pytest.mark.parametrize("dark", [False, True])
def test_colours_have_contrast_and_can_be_changed(
    browser: Browser, pages: dict[str, Path], dark: bool
) -> None:
    """Contrast AA (4.5) of every text against what lies behind it, by the formula of WCAG."""
    page = _open(browser, pages["classes"], dark=dark)
    low = page.evaluate(CONTRAST)
    assert low == []
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.evaluate("document.getElementById('theme').click()")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != before
    assert page.evaluate(CONTRAST) == []
    page.close()


def test_by_keyboard(browser: Browser, pages: dict[str, Path]) -> None:
    """Tab goes to the skip link, the toggle, the sections; every stop is seen; Enter sorts."""
    page = _open(browser, pages["classes"])
    stops = []
    for _ in range(4):
        page.press("Tab")
        stops.append(page.evaluate("document.activeElement.innerText"))
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    assert stops == ["Skip to the report", "Dark", "Overview", "Agreement"]
    page.evaluate("document.querySelector('[data-key=accuracy]').focus()")
    page.press("Enter")
    state = "document.querySelector('[data-key=accuracy]').parentElement.getAttribute('aria-sort')"
    assert page.evaluate(state) == "descending"
    page.close()


@pytest.mark.parametrize("name", ["classes", "numbers", "tags", "sets", "suspects", "lia"])
def test_a_telephone_needs_no_sideways_scrolling(browser: Browser, pages: dict[str, Path], name: str) -> None:
    page = _open(browser, pages[name], width=360, height=740)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert page.complaints == []
    page.close()


def test_a_suspect_shows_their_matrix(browser: Browser, pages: dict[str, Path]) -> None:
    page = _open(browser, pages["suspects"])
    name = page.evaluate("document.querySelector('#pairs tbody button').innerText")
    page.evaluate("document.querySelector('#pairs tbody button').click()")
    assert page.evaluate("document.querySelector('[data-matrix=one]').caption.innerText") == name
    assert page.evaluate("window.hacked ?? null") is None
    page.close()


@pytest.mark.parametrize("name", ["classes", "numbers", "tags", "suspects", "cmm"])
def test_what_a_screen_reader_gets(browser: Browser, pages: dict[str, Path], name: str) -> None:
    """By the browser's own tree: every control and picture has a name, tables have captions, headings skip no level."""
    page = _open(browser, pages[name])
    nodes = [node for node in page.accessibility() if not node["ignored"]]

    def named(role: str) -> list[str]:
        return [node.get("name", {}).get("value", "") for node in nodes if node["role"]["value"] == role]

    for role in (
        "button",
        "searchbox",
        "combobox",
        "spinbutton",
        "textbox",
        "radio",
        "link",
        "img",
        "image",
        "table",
        "region",
    ):
        assert all(named(role)), role
    assert len(named("table")) >= 2
    levels = page.evaluate(
        "[...document.querySelectorAll('h1, h2, h3')].filter(h => h.checkVisibility()).map(h => Number(h.tagName[1]))"
    )
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    page.close()


def test_in_the_frame_of_a_notebook(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "notebook.html").write_text(
        f"<!doctype html><body>{mh.report(classes())._repr_html_()}", encoding="utf-8"
    )
    page = _open(browser, tmp_path / "notebook.html")
    page.evaluate("new Promise(done => setTimeout(done, 1500))")
    assert page.complaints == []
    frame = page.evaluate("document.querySelector('iframe').getBoundingClientRect().height")
    assert frame >= 480
    page.close()


# Texts whose contrast is below 4.5, with the paper where nothing opaque lies behind them.
CONTRAST = """(() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgb = (colours) => { canvas.clearRect(0, 0, 1, 1); for (const c of colours) { canvas.fillStyle = c; canvas.fillRect(0, 0, 1, 1); }
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3); };
  const light = (c) => c.map(v => v / 255).map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((sum, v, n) => sum + v * [.2126, .7152, .0722][n], 0);
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !element.checkVisibility() || ["SCRIPT", "STYLE"].includes(element.tagName)) continue;
    const svg = element.closest("svg");
    const style = getComputedStyle(element), behind = [];
    for (let e = element; e; e = e.parentElement) behind.unshift(getComputedStyle(e).backgroundColor);
    if (element.closest(":disabled")) continue;
    const colour = svg ? style.fill : style.color;
    const a = light(rgb([...behind, colour])), b = light(rgb(behind));
    const contrast = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (contrast < 4.5) found.push([walker.currentNode.data.trim().slice(0, 30), colour, contrast.toFixed(2)]);
  }
  return found.slice(0, 20);
})()"""
