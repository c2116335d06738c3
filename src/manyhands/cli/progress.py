"""What is going on, on stderr: a spinner or a bar; silent where nobody watches."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["Work"]

Step = Callable[..., None]


class Work:
    """Shows long work. quiet: show nothing; so does a stderr that is no terminal."""

    def __init__(self, quiet: bool = False):
        self.shown = not quiet and sys.stderr.isatty()

    @contextmanager
    def spinner(self, text: str) -> Iterator[None]:
        """While something of unknown length goes on."""
        if not self.shown:
            yield
            return
        from rich.console import Console

        with Console(stderr=True).status(text, spinner="dots"):
            yield

    @contextmanager
    def bar(self, text: str, total: int | None) -> Iterator[Step]:
        """Gives a function to call with how much is done, a word on how it stands, and of how much.

        total: None where it is known later.
        """
        if not self.shown:
            yield _nothing
            return
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
                   TextColumn("{task.fields[word]}"))  # fmt: skip
        with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
            task = progress.add_task(text, total=total, word="")

            def step(done: int, word: str = "", total: int | None = None) -> None:
                progress.update(task, completed=done, word=word, total=total)

            yield step


def _nothing(done: int, word: str = "", total: int | None = None) -> None:
    """Nobody watches."""
