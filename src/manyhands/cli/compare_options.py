"""What `compare` can be asked: which methods, how long, and which files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from typer import BadParameter, Option

from ..errors import FileError
from .options import listed

__all__ = ["Contest", "Outcomes"]


def _known(text: str | None) -> str | None:
    """Every name is one of the catalogue."""
    from .method_names import known_method

    for name in listed(text) or []:
        known_method(name)
    return text


def _by(text: str | None) -> str | None:
    if text not in (None, "labels", "features"):
        raise BadParameter(f"{text!r} must be labels or features")
    return text


@dataclass(frozen=True)
class Contest:
    """Who is judged, and on what."""

    methods: Annotated[
        str | None,
        Option("--methods", "-m", metavar="A,B,...", callback=_known, show_default=False,
               help="Those to compare. Default: all that take such labels."),
    ] = None  # fmt: skip
    by: Annotated[
        str | None,
        Option("--by", metavar="labels|features", show_default=False, callback=_by,
               help="Judge what is believed of a task by its other answers, or by its features alone (the default "
               "with --features)."),
    ] = None  # fmt: skip
    folds: Annotated[
        int | None,
        Option("--folds", metavar="N", min=2, show_default=False,
               help="Parts in which answers are hidden. Default: 5, with --features 3."),
    ] = None  # fmt: skip
    max_answers: Annotated[
        int,
        Option("--max-answers", metavar="N", min=10, help="Of a larger table, tasks drawn at random are judged."),
    ] = 200_000  # fmt: skip
    max_seconds: Annotated[
        float | None,
        Option("--max-seconds", metavar="S", show_default=False, help="Judge on fewer folds where time is up."),
    ] = None  # fmt: skip

    def settings(self) -> dict[str, Any]:
        """As `select` takes them."""
        return {
            "methods": listed(self.methods), "by": self.by, "folds": self.folds, "max_answers": self.max_answers,
            "max_seconds": self.max_seconds,
        }  # fmt: skip


@dataclass(frozen=True)
class Outcomes:
    """Where the parts of a comparison go; None: nowhere."""

    out: Annotated[
        Path | None,
        Option(
            "--out", "-o", metavar="FILE", show_default=False, help="Write the comparison, a row a method."
        ),
    ] = None
    consensus: Annotated[
        Path | None,
        Option("--consensus", metavar="FILE", show_default=False,
               help="Write what the mixture of methods decides: task, label, confidence, n."),
    ] = None  # fmt: skip
    disputed: Annotated[
        Path | None,
        Option("--disputed", metavar="FILE", show_default=False,
               help="Write the tasks on which leading methods differ: find out the truth of some."),
    ] = None  # fmt: skip

    def asked(self, inputs: list[Path]) -> dict[str, Path]:
        """The files that are asked for; what cannot be written is refused before hours are spent on it."""
        from ..io.frames import format_to_write
        from .targets import refuse_overwriting

        named = {"comparison": self.out, "consensus": self.consensus, "disputed": self.disputed}
        asked = {name: path for name, path in named.items() if path is not None}
        for path in asked.values():
            format_to_write(path)
            if not path.parent.is_dir():
                raise FileError(f"there is no folder {str(path.parent)!r} to write into; make it first", path)
        refuse_overwriting(inputs, list(asked.values()))
        return asked
