"""One small tree of exceptions.

Every message is a sentence that says what is wrong, what was found, what was expected and what to do about it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self


class ClewError(Exception):
    """The base of every error that clew raises on purpose.

    Parameters
    ----------
    problem
        What is wrong, as a sentence; with what to do about it, where that is the same everywhere.
    remedy
        What to do about it in Python, as a sentence.
    option
        What to do about it on the command line, as a sentence; the remedy, where nothing is given.
    """

    def __init__(self, problem: str = "", *, remedy: str = "", option: str = "") -> None:
        self.problem, self.remedy, self.option = problem, remedy, option or remedy
        super().__init__(self._with(remedy))

    def __str__(self) -> str:
        return self._with(self.remedy)

    def advised(self, remedy: str, option: str = "") -> Self:
        """The same error with advice: for one that was made where nobody knew what to do about it."""
        self.remedy, self.option = remedy, option or remedy
        return self

    def on_command_line(self) -> str:
        """The message for who called ``clew`` in a shell."""
        return self._with(self.option)

    def _with(self, advice: str) -> str:
        return f"{self.problem} {advice}" if advice else self.problem


class GraphError(ClewError, ValueError):
    """Edges, weights, names or arguments that do not make a graph."""


class NegativeCycleError(GraphError):
    """There is no shortest path: a cycle that can be reached has a negative sum of weights.

    Parameters
    ----------
    problem
        What is wrong, as a sentence.
    cycle
        The names of its vertices in the order of its edges; the last edge leads back to the first vertex.
    """

    def __init__(self, problem: str, cycle: list[Any], *, remedy: str = "", option: str = "") -> None:
        self.cycle = cycle
        super().__init__(problem, remedy=remedy, option=option)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.problem, self.cycle), self.__dict__


class FormatError(ClewError, ValueError):
    """A file that cannot be read or written as asked.

    Parameters
    ----------
    problem
        What is wrong, as a sentence without the file's name.
    path
        The file, or a name for what was read (``"<bytes>"``).
    line, column
        Where, counted from 1; None where the format has no lines.
    remedy, option
        What to do about it, as of every error.
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
        told = super()._with(advice)
        return f"{where}: {told}" if where else told


class MissingDependencyError(ClewError, ImportError):
    """An optional package is needed; the message names the extra that installs it."""


class VerificationError(ClewError, AssertionError):
    """A result breaks a rule; the message says which one and where first."""


class ResourceError(ClewError, MemoryError):
    """More memory or disk is needed than there is; the message counts the bytes."""


class DeviceError(ClewError, RuntimeError):
    """A GPU that is missing, cannot run clew's kernels, or failed; the message says which and what to do."""


class OperatorError(ClewError, TypeError):
    """A function that does not make an operator, monoid or semiring; the message names it and says why."""
