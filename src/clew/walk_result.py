"""WalkResult: walks from vertex to vertex."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from clew.checks import whole
from clew.dtypes import Array
from clew.names import Name
from clew.result import Result

if TYPE_CHECKING:
    import pyarrow as pa


class WalkResult(Result):
    """Walks, one per row of the array ``walk``: vertex ids, and -1 after the end of a walk that had nowhere to go.

    ``to_lists`` has the walks by name, as libraries for embeddings take them. In tables, a row is a walk.
    """

    def to_lists(self) -> list[list[Name]]:
        """Every walk as a list of names.

        Examples
        --------
        >>> import clew
        >>> clew.random_walks(clew.Graph.from_edges(["a", "b"], ["b", "c"]), ["a", "b"], length=5).to_lists()
        [['a', 'b', 'c'], ['b', 'c']]
        """
        return self._named(self.numpy().walk)

    def first(self, count: int) -> list[list[Name]]:
        """The first walks as lists of names."""
        return self._named(self.numpy().walk[:count])

    def _named(self, walks: Array) -> list[list[Name]]:
        names = iter(self.names_of(walks[walks >= 0]))
        return [[next(names) for _ in range(size)] for size in (walks >= 0).sum(axis=1).tolist()]

    def to_arrow(self) -> pa.Table:
        """An Arrow table with one column, the walks as lists of names."""
        import pyarrow as pa

        return self.table(lambda ids: pa.array(ids) if self._names is None else self._names.take(ids))

    def table(self, called: Callable[[Array], Any]) -> pa.Table:
        """The same with names that a function has for ids."""
        import pyarrow as pa

        walks = self.numpy().walk
        real = walks >= 0
        ends: Any = np.concatenate([[0], np.cumsum(real.sum(axis=1))])
        lists: Any = pa.ListArray if ends[-1] < 2**31 else pa.LargeListArray
        return pa.table({"walk": lists.from_arrays(ends, called(walks[real]))})

    def of(self, name: Any, value: str | None = None) -> Any:
        """The walk of that number, by name."""
        if self._names is None:
            return super().of(name, value)
        return self.to_lists()[whole("the number of a walk", name, 0, len(self) - 1)]
