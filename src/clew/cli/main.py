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
from clew.cli import cluster, graphs, machine, output, run
from clew.cli.bench import bench
from clew.cli.demo import demo
from clew.cli.report import report
from clew.errors import ClewError

BAD_INPUT = 1
STOPPED = 130  # 128 + SIGINT, as in shells


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
            os._exit(BAD_INPUT)  # Python would try to write the rest again, and print another error
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
for command in (demo, graphs.info, report, graphs.convert, graphs.relabel, graphs.formats):
    app.command()(command)
for command in (machine.warmup, bench, machine.doctor, machine.tiers):
    app.command()(command)
app.add_typer(run.running(), name="run")
app.add_typer(run.explaining(), name="explain")
app.add_typer(graphs.generating(), name="generate")
app.add_typer(cluster.group(), name="cluster")


def _version(requested: bool) -> None:
    if requested:
        typer.echo(f"clew {clew.__version__}")
        raise typer.Exit


@app.callback()
def _clew(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """High-performance graph analytics on CPUs, GPUs and clusters."""


def main() -> None:
    """Run the command line; the entry point of the installed ``clew``."""
    output.forgive()
    try:
        app()
    except SystemExit as end:
        if end.code == STOPPED:
            # All files are closed by now. Python would wait for other threads, which do not receive Ctrl-C.
            os._exit(STOPPED)
        raise
