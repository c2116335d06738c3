"""Pictures of reports: the README's, of the demo; and of other crowds, light and dark, wide and narrow, to look at."""

from __future__ import annotations

import argparse
import gzip
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl

import manyhands as mh

from .chromium import NEEDED, Browser, install_chromium
from .processes import ROOT
from .real_crowds import data_folder, table_of
from .worth import drifting_crowd

__all__ = ["CROWDS", "main", "picture_of", "readme"]

README = ROOT / "docs/images"
WIDE, NARROW = (1280, 900), (390, 844)


def readme(browser: Browser, folder: Path = README) -> list[Path]:
    """Of the page that `manyhands demo` writes, the head and the annotators."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as demo:
        subprocess.run([sys.executable, "-m", "manyhands", "demo", "--out", demo, "--quiet"], check=True)
        page = Path(demo) / "report.html"
        head = picture_of(browser, page, folder / "report.png", size=(1120, 560))
        people = folder / "report-annotators.png"
        return [head, picture_of(browser, page, people, size=(1120, 1010), section="annotators")]


def picture_of(
    browser: Browser,
    page: Path,
    path: Path,
    *,
    size: tuple[int, int] = WIDE,
    dark: bool = False,
    full: bool = False,
    section: str | None = None,
) -> Path:
    """One picture of a page: what is seen first, or where a section begins, or (full) all of it."""
    opened = browser.open(page.resolve().as_uri(), width=size[0], height=size[1], dark=dark)
    if section is not None:
        opened.evaluate(f"document.getElementById('{section}').scrollIntoView({{ behavior: 'instant' }})")
    opened.screenshot(path, full=full)
    opened.close()
    return path


def labelme(page: Path) -> None:
    """Classes of photographs, with thumbnails."""
    folder = _folder("labelme")
    tasks = pl.read_csv(folder / "tasks.csv")["task"].to_list()
    pictures = dict(zip(tasks, np.load(folder / "images64.npz")["X"], strict=True))
    names = dict(
        enumerate("highway insidecity tallbuilding street forest coast mountain opencountry".split())
    )
    table = pl.read_csv(folder / "annotations.csv").with_columns(pl.col("label").replace_strict(names))
    mh.report(_default(mh.Annotations.from_frame(table)), page, title="labelme", pictures=pictures)


def conll_ner(page: Path) -> None:
    """Named entities, token by token."""
    with gzip.open(_folder("conll-ner") / "tasks.jsonl.gz", "rt") as lines:
        texts = {row["task"]: row["tokens"] for row in map(json.loads, lines)}
    mh.report(_default(mh.read(table_of("conll-ner"))), page, title="conll-ner", texts=texts)


def movie_reviews(page: Path) -> None:
    """Numbers: ratings."""
    labels = mh.read(table_of("movie-reviews"), kind="number")
    mh.report(mh.PrecisionWeighted().fit(labels), page, title="movie-reviews")


def ten_thousand(page: Path) -> None:
    """Ten thousand annotators, a million labels."""
    crowd = mh.simulate("confusion", n_tasks=200_000, n_annotators=10_000, n_classes=4, seed=0)
    mh.report(_default(crowd.labels), page, title="ten thousand annotators")


def bluebirds(page: Path) -> None:
    """A map of the annotators."""
    labels = mh.read(table_of("bluebirds"))
    model = mh.LIA(rounds=20, random_state=0).fit(np.eye(labels.n_tasks, dtype=np.float32), labels)
    mh.report(model, page, title="bluebirds")


def music(page: Path) -> None:
    """Groups of annotators."""
    labels = mh.read(table_of("music-genre"))
    features = mh.io.read_features(_folder("music-genre") / "features.npz")
    model = mh.CMM(epochs=20, random_state=0).fit(features.X[: labels.n_tasks], labels)
    mh.report(model, page, title="music-genre")


def worth(page: Path) -> None:
    """Copying and drift."""
    labels, _ = drifting_crowd(300, 0.4, 0)
    rng = np.random.default_rng(0)
    said = labels.answers.values.astype(int).copy()
    twin = {a: {} for a in (20, 21)}
    for row, (task, who) in enumerate(zip(labels.task.tolist(), labels.annotator.tolist(), strict=True)):
        if who in twin:
            twin[who][task] = row
    for task in set(twin[20]) & set(twin[21]):
        if rng.random() < 0.9:
            said[twin[21][task]] = said[twin[20][task]]
    names = [f"worker {j}" for j in labels.annotator]
    made = mh.Annotations.from_arrays(
        labels.task, names, said, columns={"timestamp": labels.columns["timestamp"]}
    )
    mh.report(_default(made), page, title="Copies and drift")


CROWDS: dict[str, Callable[[Path], None]] = {
    "labelme": labelme, "conll-ner": conll_ner, "movie-reviews": movie_reviews, "ten-thousand": ten_thousand,
    "worth": worth, "music": music, "bluebirds": bluebirds,
}  # fmt: skip


def _default(labels: mh.Annotations) -> mh.Result:
    result: mh.Result = mh.catalog.default_method(labels.kind).make().fit(labels).result_
    return result


def _folder(name: str) -> Path:
    return table_of(name).parent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--look", type=Path, metavar="DIR", help="other crowds, written there, instead of the README's"
    )
    parser.add_argument("--crowds", nargs="*", choices=tuple(CROWDS), default=tuple(CROWDS))
    asked = parser.parse_args()
    if install_chromium() is None:
        raise SystemExit(NEEDED)
    with Browser() as browser:
        if asked.look is None:
            print(*readme(browser), sep="\n")
            return
        asked.look.mkdir(parents=True, exist_ok=True)
        for name in asked.crowds:
            if name != "ten-thousand" and data_folder() is None:
                continue
            CROWDS[name](page := asked.look / f"{name}.html")
            for width, size in {"wide": WIDE, "narrow": NARROW}.items():
                for theme in ("light", "dark"):
                    path = asked.look / f"{name}-{width}-{theme}.png"
                    print(
                        picture_of(browser, page, path, size=size, dark=theme == "dark", full=True),
                        flush=True,
                    )


if __name__ == "__main__":
    main()
