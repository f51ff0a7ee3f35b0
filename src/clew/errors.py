"""The exceptions of clew.

Every message says what is wrong, what was given, what was expected, and what to do.
"""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any, Self

#: Arguments of functions that are options on the command line, most of them under the same name.
ARGUMENT = re.compile(
    r"""(?<!\w\()\b(device|edges|fast_memory|method|balance|format|delimiter|header|ids|directed|source|target|weight)"""
    r"""=("[^"]*"|'[^']*'|[\w…]*)"""
)
COLUMNS = ("source", "target", "weight")


def install_command(*requirements: str) -> str:
    """``pip install …``, with the pip of this Python. It adds extras to clew however clew itself was installed.

    The pip on the PATH may belong to another Python, such as that of the system for a user who runs .venv/bin/clew.
    """
    found = shutil.which("pip")
    own = found is not None and Path(found).parent.resolve() == Path(sys.executable).parent.resolve()
    pip = "pip" if own else f"{shlex.quote(sys.executable)} -m pip"
    return f"{pip} install {' '.join(map(shlex.quote, requirements))}"


def in_shell(remedy: str) -> str:
    """A remedy for Python as one for the command line: ``device="cpu"`` is ``--device cpu`` there."""
    text = re.sub(r"graph\.with_weights\(None\)|weights=False", "--weights none", remedy)
    text = re.sub(r"clew\.memory\(([^)]*)\)", r"\1", text)
    text = re.sub(r'(, | or )"(\w+)"', r"\1\2", ARGUMENT.sub(_option, text))
    return f"{text}." if remedy.endswith("…") else text


def _option(argument: re.Match[str]) -> str:
    name, value = argument[1], argument[2].strip("\"'")
    if name in COLUMNS:
        return f"--{name}-column {argument[2]}".rstrip()
    flag = f"--{'no-' if value == 'False' else ''}{name.replace('_', '-')}"
    return flag if value in ("", "…", "True", "False") else f"{flag} {value}"


class ClewError(Exception):
    """Base class of all errors that clew raises.

    Parameters
    ----------
    problem
        What is wrong, as a sentence. It includes the remedy if that is the same in Python and on the command line.
    remedy
        What to do in Python, as a sentence.
    option
        What to do on the command line, as a sentence. The default is the remedy, with options for arguments.
    """

    def __init__(self, problem: str = "", *, remedy: str = "", option: str = "") -> None:
        self.problem, self.remedy, self.option = problem, remedy, option or in_shell(remedy)
        super().__init__(self._with(remedy))

    def __str__(self) -> str:
        return self._with(self.remedy)

    def advised(self, remedy: str, option: str = "") -> Self:
        """Add advice to an error that was raised where the remedy was unknown."""
        self.remedy, self.option = remedy, option or in_shell(remedy)
        return self

    def on_command_line(self) -> str:
        """The message for a user of the command line."""
        return self._with(self.option)

    def _with(self, advice: str) -> str:
        return f"{self.problem} {advice}" if advice else self.problem


class GraphError(ClewError, ValueError):
    """Invalid edges, weights, names or arguments."""


class ArgumentError(GraphError, TypeError):
    """An argument that a function does not have; the message lists those it has."""


class CycleError(GraphError):
    """A cycle in a graph that must have none.

    Parameters
    ----------
    problem
        What is wrong, as a sentence.
    cycle
        The names of its vertices in edge order. The last edge leads back to the first vertex.
    """

    def __init__(self, problem: str, cycle: list[Any], *, remedy: str = "", option: str = "") -> None:
        self.cycle = cycle
        super().__init__(problem, remedy=remedy, option=option)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.problem, self.cycle), self.__dict__


class NegativeCycleError(CycleError):
    """Shortest paths do not exist: there is a negative cycle. ``cycle`` has the names of its vertices, if known."""


class DivergenceError(GraphError):
    """Scores that grow without bound."""


class FormatError(ClewError, ValueError):
    """A file that cannot be read or written.

    Parameters
    ----------
    problem
        What is wrong, as a sentence without the file's name.
    path
        The file, or a label for the input (``"<bytes>"``).
    line, column
        The position, counted from 1. None if the format has no lines.
    remedy, option
        As in ``ClewError``.
    """

    def __init__(
        self,
        problem: str,
        *,
        path: str | Path | None = None,
        line: int | None = None,
        column: int | None = None,
        remedy: str = "",
        option: str = "",
    ) -> None:
        self.path = None if path is None else str(path)
        self.line = line
        self.column = column
        super().__init__(problem, remedy=remedy, option=option)

    def _with(self, advice: str) -> str:
        where = self.path or ""
        if self.line is not None:
            where += f"{', ' if where else ''}line {self.line}"
        if self.column is not None:
            where += f", column {self.column}"
        message = super()._with(advice)
        return f"{where}: {message}" if where else message


class MissingDependencyError(ClewError, ImportError):
    """A missing optional package; the message names the extra that installs it."""


class VerificationError(ClewError, AssertionError):
    """A result that breaks a rule; the message names the rule and the first place."""


class ResourceError(ClewError, MemoryError):
    """Not enough memory or disk space; the message states the bytes."""


class DeviceError(ClewError, RuntimeError):
    """A GPU that is missing, unsupported or has failed; the message says which, and what to do."""


class OperatorError(ClewError, TypeError):
    """A function that is not a valid operator, monoid or semiring; the message names it and the reason."""


class ClusterError(ClewError, RuntimeError):
    """A cluster that is missing, lost a worker or cannot hold a graph; the message says which, and what to do."""
