"""How the tests call the command line: in this process, or as a real one."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

from typer.testing import CliRunner

from clew.cli.main import app

COMMAND = [sys.executable, "-c", "from clew.cli.main import main; main()"]
OK, BAD_INPUT, WRONG_USAGE, STOPPED = 0, 1, 2, 130


def clew(*arguments: Any) -> tuple[int, str, str]:
    """The exit code, stdout and stderr of ``clew arguments…`` in this process."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], prog_name="clew")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def process(*arguments: Any, **options: Any) -> subprocess.Popen[str]:
    """``clew arguments…`` as a process of its own, with pipes for stdout and stderr."""
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "FORCE_COLOR")}
    return subprocess.Popen(
        [*COMMAND, *(str(argument) for argument in arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        **options,
    )
