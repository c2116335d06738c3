"""`manyhands label-studio pull|push`: the two ends of a running Label Studio."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Option

from ..errors import ParameterError
from .options import Json, Quiet

if TYPE_CHECKING:
    import polars as pl

    from ..io.label_studio_server import LabelStudioServer

__all__ = ["label_studio"]

label_studio = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Fetch the labels of a Label Studio project, or give it a consensus.\n\nThe address and the token are taken "
    "from LABEL_STUDIO_URL and LABEL_STUDIO_API_KEY, in the environment or in a file (--connection).",
)

Project = Annotated[
    int, Option("--project", metavar="ID", help="The number in the project's address.", min=1)
]
ConnectionFile = Annotated[
    Path | None,
    Option(
        "--connection", metavar="FILE", show_default=False,
        help="A file with the lines LABEL_STUDIO_URL=... and LABEL_STUDIO_API_KEY=... Default: the environment.",
    ),
]  # fmt: skip


def _server(file: Path | None) -> LabelStudioServer:
    from ..io.label_studio_server import LabelStudioServer, connection

    return LabelStudioServer(connection(file))


@label_studio.command()
def pull(
    project: Project,
    out: Annotated[Path, Option("--out", metavar="FILE", help="The new file.", show_default=False)],
    connection: ConnectionFile = None,
    predictions: Annotated[
        bool, Option("--predictions", help="The predictions of the project in place of its annotations.")
    ] = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Save the JSON export of a project, which every verb reads."""
    from ..io import atomic_write
    from .output import print_json
    from .progress import Work

    server = _server(connection)
    with (
        Work(quiet or json).spinner("fetching"),
        atomic_write(out) as temporary,
        open(temporary, "wb") as handle,
    ):
        (server.stored_predictions if predictions else server.export)(project, handle)
    size = out.stat().st_size
    if json:
        print_json({"out": str(out), "project": project, "bytes": size})
    elif not quiet:
        typer.echo(f"{out}: {size} bytes; next: manyhands aggregate {out} --save result")


@label_studio.command()
def push(
    consensus: Annotated[
        Path,
        typer.Argument(
            metavar="RESULT|CONSENSUS",
            show_default=False,
            help="A folder that `aggregate --save` wrote, or a table with task, label and confidence.",
        ),
    ],
    project: Project,
    connection: ConnectionFile = None,
    question: Annotated[
        str | None,
        Option(
            "--question",
            metavar="NAME",
            help="The tag of the interface that takes the label.",
            show_default=False,
        ),
    ] = None,
    tasks: Annotated[
        Path | None,
        Option(
            "--tasks",
            metavar="FILE",
            help="The export that was pulled: the texts, for spans.",
            show_default=False,
        ),
    ] = None,
    model: Annotated[
        str, Option("--model-version", metavar="NAME", help="What the predictions are called.")
    ] = "manyhands",
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Give a consensus and its confidence to a project, as predictions."""
    from ..io.tools.label_studio_predictions import predictions
    from ..io.tools.opening import open_labels
    from ..io.tools.table import ExportTable
    from .output import print_json
    from .progress import Work

    server = _server(connection)
    control, kind = _control(server.controls(project), question)
    frame = _consensus(consensus, kind)
    shown = open_labels(tasks, contents=True) if tasks is not None else None
    contents = shown.contents if isinstance(shown, ExportTable) else {}
    made = list(predictions(frame.iter_rows(named=True), kind, control, contents, model))
    with Work(quiet or json).spinner("sending"):
        taken = server.push(project, made)
    if json:
        print_json({"project": project, "sent": len(made), "taken": taken, "control": control.name})
    elif not quiet:
        typer.echo(f"project {project}: {taken} predictions of {len(made)} taken, for {control.name!r}")


def _control(controls: dict[str, Any], question: str | None) -> Any:
    """The tag that takes the label: the one named, or the only one."""
    shown = ", ".join(map(repr, controls)) or "none"
    if question is None and len(controls) == 1:
        return next(iter(controls.values()))
    if question not in controls:
        raise ParameterError(
            f"the project has the questions {shown}: choose one with --question" if question is None
            else f"the project has no question {question!r}; there are {shown}"
        )  # fmt: skip
    return controls[question]


def _consensus(path: Path, kind: str) -> pl.DataFrame:
    """task, label, confidence; labels in the form that the kind has."""
    import polars as pl

    from ..io import read_frame
    from ..io.cells import split_labels
    from ..results import load_result

    if path.is_dir():
        return load_result(path).consensus()
    frame = read_frame(path)
    lacking = [name for name in ("task", "label") if name not in frame.columns]
    if lacking:
        raise ParameterError(f"{path} has no column {lacking[0]!r}; is it what `aggregate --out` wrote?")
    if kind in ("set", "tags"):
        return frame.with_columns(split_labels(frame["label"], kind).alias("label"))
    if kind in ("ordinal", "number") and frame["label"].dtype == pl.String:
        wanted: Any = pl.Int64 if kind == "ordinal" else pl.Float64
        return frame.with_columns(pl.col("label").cast(wanted, strict=False))
    return frame
