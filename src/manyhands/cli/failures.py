"""How a verb fails: one line on stderr and an exit code, no traceback."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import typer

from ..errors import ConvergenceWarning, LabelWarning, ManyhandsError
from ..processes import size

__all__ = ["guarded", "say"]

BAD_INPUT = 1
INTERRUPTED = 130
PIPE_CLOSED = 141  # what a shell reports of a program that SIGPIPE ended

COLOURS = {"error": "bold red", "warning": "yellow"}


@contextmanager
def guarded() -> Iterator[None]:
    """Turn what can go wrong into a line and an exit code, and our warnings into lines."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for category in (ConvergenceWarning, LabelWarning):
            warnings.simplefilter("always", category)
        warnings.showwarning = _show_warning
        try:
            yield
            sys.stdout.flush()
        except BrokenPipeError:
            _drop_stdout()
            raise typer.Exit(PIPE_CLOSED) from None
        except (ManyhandsError, OSError, MemoryError) as error:
            if os.environ.get("MANYHANDS_DEBUG"):
                raise
            say("error", _message(error))
            _leave_if_one_of_many()
            raise typer.Exit(BAD_INPUT) from None
        except KeyboardInterrupt:
            say("error", "interrupted; every file is as it was, or whole")
            raise typer.Exit(INTERRUPTED) from None


def say(level: str, message: str) -> None:
    """One line on stderr, in red or yellow where it is a terminal."""
    from rich.console import Console
    from rich.text import Text

    line = Text.assemble((f"{level}: ", COLOURS[level]), " ".join(message.split("\n")))
    with suppress(BrokenPipeError):
        Console(stderr=True, soft_wrap=True, highlight=False).print(line)


def _leave_if_one_of_many() -> None:
    """A broken group waits for who is gone when the interpreter tidies up: leave at once."""
    if size() > 1:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(BAD_INPUT)


def _message(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return f"out of memory ({error}); work on part of the table, or on a machine with more"
    if isinstance(error, OSError) and not isinstance(error, ManyhandsError):
        return f"{error.filename or 'the output'}: {error.strerror or error}"
    return str(error)


def _show_warning(
    message: Any, category: Any, filename: str, lineno: int, file: Any = None, line: Any = None
) -> None:
    knob = "; here --set max_iter=1000" if issubclass(category, ConvergenceWarning) else ""
    say("warning", f"{message}{knob}")


def _drop_stdout() -> None:
    """Whoever read us has gone: let the interpreter's last flush go nowhere."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
