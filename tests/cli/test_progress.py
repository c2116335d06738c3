from __future__ import annotations

import io
import sys

from manyhands.cli.progress import Work


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(work_of, screen, monkeypatch) -> str:
    # Here and not in a fixture: pytest puts its own stderr in place before every phase of a test.
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    work = work_of()
    with work.spinner("reading"):
        pass
    with work.bar("fitting", 10) as step:
        step(7, "log-likelihood -3")
    return screen.getvalue()


def test_a_terminal_sees_the_work(monkeypatch):
    seen = shown(Work, Terminal(), monkeypatch)
    assert all(words in seen for words in ("fitting", "7/10", "log-likelihood -3"))


def test_quiet_and_pipes_see_nothing(monkeypatch):
    assert shown(lambda: Work(quiet=True), Terminal(), monkeypatch) == ""
    assert shown(Work, io.StringIO(), monkeypatch) == ""
