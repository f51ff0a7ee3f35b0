"""Trace: the iterations of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from clew.checks import counted
from clew.describe import plots
from clew.dtypes import Array

if TYPE_CHECKING:
    import pyarrow as pa


SHOWN = 10  # iterations in the text of a trace


def _text(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float | np.floating) else str(value)


@dataclass(frozen=True, slots=True, repr=False)
class Trace:
    """The iterations of a run: one array per column, one entry per iteration.

    The columns depend on the algorithm. Iterations over edges have these on every engine:

    ``frontier`` (``active`` in vertex programs)
        The number of active vertices.
    ``edges``
        The number of edges read. In vertex programs, the edges of the active vertices.
    ``direction``
        "push" or "pull", if the algorithm uses both.
    ``bytes``
        The bytes of these edges: the neighbour's id and, if weights are read, the weight in the engine's dtype.
    ``seconds``
        The time of the iteration. On a CPU, iterations shorter than about ten microseconds are timed together, and
        the time is divided by their edges. On a GPU the clock has a resolution of up to a microsecond.

    If a GPU reads edges on the host, there are two more columns. ``link_bytes`` crossed the link. ``link_share`` is
    their share of the link's capacity. With "zero_copy", ``link_bytes`` are all ``bytes``. With "tiered" they are the
    fraction that is on the host, assuming that all edges are read equally. Other columns are ``bucket``, ``change`` and
    ``changed``.
    """

    columns: Mapping[str, Array] = field(default_factory=dict)

    @classmethod
    def later(cls, load: Callable[[], Mapping[str, Array]]) -> Trace:
        """A trace that is fetched on first use."""
        return cls(Later(load))

    def __len__(self) -> int:
        return max((len(column) for column in self.columns.values()), default=0)

    def __getitem__(self, column: str) -> Array:
        if not isinstance(column, str) or column not in self.columns:
            raise KeyError(f"the trace has no column {column!r}; it has {', '.join(self.columns) or 'none'}.")
        return self.columns[column]

    def to_arrow(self) -> pa.Table:
        """A table with a row per iteration."""
        import pyarrow as pa

        return pa.table({"iteration": np.arange(len(self)), **self.columns})

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.to_arrow().__arrow_c_stream__(requested_schema)  # type: ignore[no-untyped-call]

    def __repr__(self) -> str:
        count = counted(len(self), "iteration")
        if not self.columns:
            return f"Trace: {count}"
        rows = [["iteration", *self.columns]]
        for row in range(min(len(self), SHOWN)):
            cells = (column[row] if row < len(column) else "" for column in self.columns.values())
            rows.append([str(row), *map(_text, cells)])
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(cell.rjust(wide) for cell, wide in zip(row, widths, strict=True)) for row in rows]
        return "\n".join([f"Trace: {count}", *lines, *(["…"] if len(self) > SHOWN else [])])

    def plot(self, title: str | None = None, **options: Any) -> Any:
        """Plot every column over the iterations; ``options`` as in ``clew.plots.trace``."""
        return plots().trace(self, title, **options)


class Later(Mapping[str, Any]):
    """Columns or facts that are computed on first use."""

    def __init__(self, load: Callable[[], Mapping[str, Any]]) -> None:
        self._load: Callable[[], Mapping[str, Any]] | None = load
        self._loaded: Mapping[str, Any] = {}

    def _fetched(self) -> Mapping[str, Any]:
        if self._load is not None:
            self._loaded, self._load = self._load(), None
        return self._loaded

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self._fetched()),)

    def __getitem__(self, name: str) -> Any:
        return self._fetched()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fetched())

    def __len__(self) -> int:
        return len(self._fetched())
