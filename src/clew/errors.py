"""One small tree of exceptions.

Every message is a sentence that says what is wrong, what was found, what was expected and what to do about it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any


class ClewError(Exception):
    """The base of every error that clew raises on purpose."""


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

    def __init__(self, problem: str, cycle: list[Any]) -> None:
        self.cycle = cycle
        super().__init__(problem)


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
    """

    def __init__(
        self,
        problem: str,
        *,
        path: str | Path | None = None,
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        self.problem = problem
        self.path = None if path is None else str(path)
        self.line = line
        self.column = column
        super().__init__(problem)

    def __str__(self) -> str:
        where = self.path or ""
        if self.line is not None:
            where += f"{', ' if where else ''}line {self.line}"
        if self.column is not None:
            where += f", column {self.column}"
        return f"{where}: {self.problem}" if where else self.problem


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
