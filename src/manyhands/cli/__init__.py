"""The command `manyhands`: one file a verb. Only this room prints, and reads what people type."""

__all__ = ["main"]


def main() -> None:
    """Run the command with the arguments of this process, and leave with its exit code."""
    from .app import app

    app(prog_name="manyhands")
