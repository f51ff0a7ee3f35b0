"""The ``clew`` command: its subcommands, exit codes and error messages.

Exit codes: 0 done, 1 bad input, 2 wrong usage, 130 stopped with Ctrl-C.
"""

from __future__ import annotations

import errno
import os
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import clew
from clew.cli import generate, output, run
from clew.cli.bench import bench
from clew.cli.convert import convert
from clew.cli.demo import demo
from clew.cli.doctor import doctor
from clew.cli.formats import formats
from clew.cli.info import info
from clew.cli.relabel import relabel
from clew.cli.report import report
from clew.cli.tiers import tiers
from clew.cli.warmup import warmup
from clew.errors import ClewError

BAD_INPUT = 1
STOPPED = 130  # 128 + SIGINT, as shells have it


class Commands(TyperGroup):
    """The subcommands in definition order; errors become a message and an exit code."""

    def invoke(self, ctx: Any) -> Any:
        """Run the chosen subcommand."""
        try:
            return super().invoke(ctx)
        except ClewError as error:
            output.complain(error.on_command_line())
        except MemoryError as error:
            output.complain(f"there is not enough memory: {str(error) or 'an allocation failed'}.")
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            output.complain("the disk of the output is full.")
            os._exit(BAD_INPUT)  # Python would try to write what is left once more, and show how that fails
        except KeyboardInterrupt:
            output.complain("interrupted; no file was written")
            raise typer.Exit(STOPPED) from None
        raise typer.Exit(BAD_INPUT)


app = typer.Typer(
    cls=Commands,
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Start with: clew demo. Help on a command: clew COMMAND --help.",
)
app.command()(demo)
app.command()(info)
app.add_typer(run.commands(), name="run")
app.add_typer(run.explaining(), name="explain")
app.command()(report)
app.command()(convert)
app.command()(relabel)
app.add_typer(generate.commands(), name="generate")
app.command()(formats)
app.command()(warmup)
app.command()(bench)
app.command()(doctor)
app.command()(tiers)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"clew {clew.__version__}")
        raise typer.Exit


@app.callback()
def _clew(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """High-performance graph analytics on the CPUs and GPUs of one machine."""


def main() -> None:
    """Run the command line; the entry point of the installed ``clew``."""
    output.forgive()
    try:
        app()
    except SystemExit as end:
        if end.code == STOPPED:
            # What was open is closed by now; Python would go on to wait for other threads, which do not hear Ctrl-C.
            os._exit(STOPPED)
        raise
