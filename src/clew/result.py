"""Result: the arrays that an algorithm computed, convertible to tables and dicts.

``timed`` adds to a trace the bytes and the seconds of its iterations.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from copy import copy
from operator import index
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clew.checks import counted, whole
from clew.convert import TensorResult
from clew.convert.libraries import to_pandas
from clew.describe import plots
from clew.dtypes import Array
from clew.errors import GraphError
from clew.names import Name, VertexNames
from clew.trace import Later as Later  # also for modules that import these from here
from clew.trace import Trace as Trace

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

TRACED_ROUNDS = 1 << 16  # the most iterations that a trace has
UNKNOWN = -1
NANOSECONDS = 1e9


class Rows(NamedTuple):
    """The entries of a result that a worker of a cluster has: their numbers, and how many all workers have."""

    numbers: Array
    size: int


class Result(TensorResult):
    """Arrays with one entry per vertex, and single facts.

    Every array is an attribute: ``clew.bfs(g, 0).depth``. Results of a GPU stay there as CuPy arrays. CuPy, PyTorch and
    cuDF take them without a copy (DLPack, ``__cuda_array_interface__``). ``numpy()`` copies them to the host; tables,
    dicts and ``top`` do so automatically. The result itself supports DLPack for its first array. It is also an Arrow
    table for ``polars.DataFrame(result)``, ``duckdb`` and ``pandas.DataFrame.from_arrow``.

    A search may not reach every vertex. Its arrays then have a documented number, such as -1, and the mask ``reached``
    is False. Other forms show these values as missing: null in Arrow, NA or NaN in pandas, and None in ``of``. They are
    None and last in ``top``, and absent from ``to_dict``.

    Parameters
    ----------
    algorithm
        Its name.
    values
        Arrays with an entry per vertex. ``top`` and ``to_dict`` use the first by default.
    names
        The graph's vertex names.
    vertices
        The values that are vertices themselves, such as parents. They are shown by name (None for -1).
    unreached
        The number that the first array has for an unreached vertex. None if every vertex has a value.
    facts
        Single numbers and other facts, such as ``count``. They are attributes too. Arrays stay on a GPU as well.
    iterations
        The number of iterations.
    converged
        Whether it stopped because nothing changed any more, and not because of a limit.
    trace
        The iterations: a trace, its columns, or a function that fetches them on first use.
    columns
        The graph's vertex columns, which tables have besides the values.
    rows
        The entries that a worker of a cluster has, if they are not those of its vertices.
    """

    def __init__(
        self,
        algorithm: str,
        values: Mapping[str, Array],
        *,
        names: VertexNames | None = None,
        vertices: Collection[str] = ("parent", "label", "mate"),
        unreached: Any = None,
        facts: Mapping[str, Any] | None = None,
        iterations: int = 1,
        converged: bool = True,
        trace: Trace | Mapping[str, Array] | Callable[[], Mapping[str, Array]] | None = None,
        columns: pa.Table | None = None,
        rows: Rows | None = None,
    ) -> None:
        self.rows = rows
        self.algorithm = algorithm
        self.values = dict(values) if isinstance(values, dict) else values
        self.unreached = unreached
        self.facts = facts if isinstance(facts, Later) else dict(facts or {})
        self.iterations = iterations
        self.converged = converged
        self._trace = trace
        self._names = names
        self._vertices = frozenset(vertices)
        self._vertex_columns = columns

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # Python looks up a method, and no fact is computed for that
            raise AttributeError(name)
        for found in (self.__dict__.get("values", {}), self.__dict__.get("facts", {})):
            if name in found:
                return found[name]
        known = ", ".join([*self.__dict__.get("values", {}), *self.__dict__.get("facts", {})])
        raise AttributeError(f"a result of {self.__dict__.get('algorithm')} has no {name!r}; it has {known}.")

    @property
    def trace(self) -> Trace:
        """The iterations."""
        if not isinstance(self._trace, Trace):
            self._trace = Trace.later(self._trace) if callable(self._trace) else Trace(self._trace or {})
        return self._trace

    @property
    def reached(self) -> Any:
        """Whether each vertex was reached: a mask with the first array's shape, in the same memory."""
        if self.unreached is None or not self.values:
            raise AttributeError  # which __getattr__ turns into a sentence
        return self._column(None) != self.unreached

    def single_values(self) -> list[str]:
        """The names of the arrays that have one number per vertex."""
        return [name for name, array in self.values.items() if array.ndim == 1]

    def numpy(self) -> Result:
        """The same result with its arrays in host memory; the result itself if they are already there."""
        if not any(map(_is_elsewhere, (*self.values.values(), *self.facts.values()))):
            return self
        result = copy(self)
        result.values = {name: _on_host(array) for name, array in self.values.items()}
        result.facts = {name: _on_host(fact) if _is_elsewhere(fact) else fact for name, fact in self.facts.items()}
        return result

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_trace": self.trace}  # which can be pickled, and the function that fetches it cannot

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.values, *self.facts]

    def __len__(self) -> int:
        return len(next(iter(self.values.values()))) if self.values else 0

    def of(self, name: Name, value: str | None = None) -> Any:
        """The value of the vertex called ``name``; None if it was not reached."""
        if self._names is not None:
            vertex = self._names.id_of(name)
        elif not hasattr(name, "__index__") or not 0 <= index(name) < len(self):
            raise GraphError(f"{name!r} is not a vertex; expected an integer from 0 to {len(self) - 1}.")
        else:
            vertex = index(name)
        return self._shown(value, np.array([vertex]))[0]

    def path_to(self, name: Name, source: Name | None = None) -> list[Name]:
        """The vertices on the path that a search found, from its source to the vertex called ``name``.

        Results of ``multi_source_bfs`` and ``all_pairs`` need the name of the source, too.
        """
        if "parent" not in self.values:
            raise GraphError(
                f"a result of {self.algorithm} has no paths; those of bfs, sssp, sswp, bellman_ford and dfs_order do, "
                "and outside a cluster those of multi_source_bfs and all_pairs."
            )
        result, path = self.numpy(), [name]
        while (parent := result.of(path[-1], "parent")) != path[-1]:
            if parent is None:
                raise GraphError(f"there is no path to {name!r}: the search did not reach it.")
            path.append(parent)
        if source is not None and source != path[-1]:
            raise GraphError(f"the search started at {path[-1]!r} and not at {source!r}.")
        return path[::-1]

    def top(self, k: int = 10, by: str | None = None, *, smallest: bool = False) -> list[tuple[Name, Any]]:
        """The ``k`` vertices with the largest (or smallest) values, as (name, value); ties by vertex order.

        Unreached vertices come last in either case, and their value is None.
        """
        chosen = self.ranked(k, by, smallest=smallest)
        return list(zip(self.names_of(chosen), self._shown(by, chosen), strict=True))

    def ranked(self, k: int, by: str | None = None, *, smallest: bool = False) -> Array:
        """The ids of the vertices that ``top`` lists."""
        column = _on_host(self._column(by))
        if column.ndim > 1:
            raise GraphError(
                f"this result of {self.algorithm} has a row of {counted(column.shape[1], 'value')} per vertex, and top "
                "supports only single values."
            )
        k = min(whole("k", k, 0), column.size)
        known = self._known()
        if known is None:
            return _first(column, k, smallest)
        answered = np.flatnonzero(known)
        chosen = answered[_first(column[answered], min(k, answered.size), smallest)]
        return np.concatenate([chosen, np.flatnonzero(~known)[: k - chosen.size]])

    def to_arrow(self) -> pa.Table:
        """An Arrow table: the vertices, a column per array (null where unreached), and the graph's vertex columns.

        A vertex column with the name of an array gets the prefix ``vertex_``. Without arrays: one row with the facts.
        """
        import pyarrow as pa

        if not self.values:
            return pa.table({name: [fact] for name, fact in self.facts.items() if np.isscalar(fact)})
        vertex = pa.array(np.arange(len(self))) if self._names is None else self._names.array
        known = self._known()
        table = {"vertex": vertex, **{name: self._arrow(name, known) for name in self.values}}
        for name in () if self._vertex_columns is None else self._vertex_columns.column_names:
            table[f"vertex_{name}" if name in table else name] = self._vertex_columns[name]  # type: ignore[index]
        return pa.table(table)

    def to_pandas(self) -> pd.DataFrame:
        """The same table as a pandas data frame.

        Floats are NaN where unreached. The other columns then have pandas' nullable dtypes, such as Int64, with NA, so
        large integers stay exact.
        """
        return to_pandas(self.to_arrow(), () if self.unreached is None else tuple(self.values))

    def to_dict(self, value: str | None = None) -> dict[Name, Any]:
        """``{vertex: value}`` for every reached vertex; for small graphs.

        Several values per vertex become a list, with None where there is no path.
        """
        known = self._known()
        vertices = np.arange(len(self)) if known is None or known.ndim > 1 else np.flatnonzero(known)
        return dict(zip(self.names_of(vertices), self._shown(value, vertices), strict=True))

    def plot(self, value: str | None = None, **options: Any) -> Any:
        """Plot one of its values, by default the first; ``options`` as in ``clew.plots.result``."""
        return plots().result(self, value, **options)

    def __repr__(self) -> str:
        arrays = ", ".join(f"{name}: {array.dtype}[{array.size:,}]" for name, array in self.values.items())
        facts = "".join(f", {name}={value!r}" for name, value in self.facts.items() if np.isscalar(value))
        end = "" if self.converged else ", not converged"
        text = f"{arrays}{facts}, iterations={self.iterations}{end}"
        return f"Result of {self.algorithm}: {text.removeprefix(', ')}"

    def _column(self, name: str | None) -> Array:
        if name is None and self.values:
            return next(iter(self.values.values()))
        if not self.values:
            raise GraphError(f"this result of {self.algorithm} has no value per vertex, only {', '.join(self.facts)}.")
        if not isinstance(name, str) or name not in self.values:
            raise GraphError(f"there is no value {name!r}; expected one of {', '.join(self.values)}.")
        return self.values[name]

    @property
    def vertex_values(self) -> frozenset[str]:
        """The arrays whose numbers are vertices, such as parents."""
        return self._vertices

    def names_of(self, vertices: Array) -> list[Name]:
        """What the user calls some vertices, given by their ids."""
        return list(vertices.tolist() if self._names is None else self._names.take(vertices).to_pylist())

    def _known(self, vertices: Any = slice(None)) -> Array | None:
        """Which of some vertices were reached, in host memory; None if all were."""
        if self.unreached is None or not self.values:
            return None
        known: Array = _on_host(self._column(None)[vertices]) != self.unreached
        return known

    def _shown(self, name: str | None, vertices: Array) -> list[Any]:
        """The values of some vertices as a user reads them: plain numbers, names where they are vertices, or None."""
        values, known = _on_host(self._column(name)[vertices]), self._known(vertices)
        if self._names is None or (name or next(iter(self.values), "")) not in self._vertices:
            shown = values.astype(object)  # plain numbers
            if known is not None:
                shown[~known] = None
            return list(shown.tolist())
        shown = np.array(self._names.take_known(values.ravel()).to_pylist(), dtype=object)
        return list(shown.reshape(values.shape).tolist())

    def _arrow(self, name: str, known: Array | None) -> Any:
        """A column of the table."""
        import pyarrow as pa

        values = _on_host(self.values[name])
        missing = None if known is None or known.all() else ~known.ravel()
        if self._names is not None and name in self._vertices:
            flat = self._names.take_known(values.ravel())
        else:
            flat = pa.array(np.ascontiguousarray(values).ravel(), mask=missing)
        return in_rows(flat, values.shape)


def in_rows(flat: Any, shape: Sequence[int]) -> Any:
    """An Arrow array with the entries of an array of that shape: numbers, or a list for every row."""
    import pyarrow as pa

    if len(shape) == 1:
        return flat
    lists: Any = pa.ListArray if len(flat) < 2**31 else pa.LargeListArray
    return lists.from_arrays(np.arange(shape[0] + 1) * shape[1], flat)


def _is_elsewhere(value: Any) -> bool:
    """Whether something is an array that is not in host memory, as CuPy's are."""
    return not isinstance(value, np.ndarray) and hasattr(value, "dtype") and hasattr(value, "get")


def _on_host(array: Any) -> Array:
    """An array in host memory; a GPU's array is copied."""
    return array if isinstance(array, np.ndarray) else np.asarray(array.get())


def _first(column: Array, k: int, smallest: bool) -> Array:
    """Where the ``k`` largest (or smallest) numbers are, in order."""
    if k == 0:
        return np.empty(0, dtype=np.int64)
    keys = column if smallest else _descending(column)
    # All that may be among the first k, then those in order: a full sort of a large array is not needed.
    limit = np.partition(keys, k - 1)[k - 1]
    chosen = np.flatnonzero(~(keys > limit))  # and not "at most": the limit may be NaN
    return chosen[np.argsort(keys[chosen], kind="stable")][:k]


def _descending(column: Array) -> Array:
    """Keys whose ascending order is the values' descending order, without overflow; NaN stays last."""
    if column.dtype.kind == "f":
        return -column
    if column.dtype.kind == "b":
        return ~column
    return ~column.view(f"i{column.itemsize}") if column.dtype.kind == "i" else column.max() - column


def edge_bytes(indices: Any, weights: Any = None) -> int:
    """The bytes of an edge, given its arrays: those of the neighbour, and of the weight where weights are read too."""
    return int(indices.dtype.itemsize) + (0 if weights is None else int(weights.dtype.itemsize))


def timed(columns: Mapping[str, Array], stamps: Array, bytes_per_edge: float) -> dict[str, Array]:
    """The columns of a trace, with ``bytes`` and ``seconds`` added.

    ``bytes`` are those of the edges that were read, in any memory. ``stamps`` are the nanoseconds at which each
    iteration began; the last stamp is the end of the run. A stamp of 0 means that the clock was not read. Iterations
    between two readings share the time by their edges and vertices.
    """
    edges = columns["edges"]
    moved = np.where(edges < 0, UNKNOWN, np.rint(edges * bytes_per_edge)).astype(np.int64)
    active = columns.get("frontier", columns.get("active", edges))
    seconds = seconds_between(stamps, np.maximum(edges, 0) + np.maximum(active, 0))
    return {**columns, "bytes": moved, "seconds": seconds}


def timed_rows(rows: Array, names: Sequence[str], bytes_per_edge: float) -> dict[str, Array]:
    """The same from the rows that a kernel writes: a column for each name, and the stamps.

    The last row has a stamp only: when the last iteration ended.
    """
    *columns, stamps = rows.T
    named = {name: column[:-1] for name, column in zip(names, columns, strict=True)}
    return timed(named, stamps, bytes_per_edge)


def seconds_between(stamps: Array, work: Array | None = None) -> Array:
    """The seconds from each stamp to the next; iterations whose end or begin was not stamped share theirs by work."""
    count = max(0, stamps.size - 1)
    if count == 0:
        return np.empty(0)
    looked = np.flatnonzero(stamps)
    if looked.size < 2:
        return np.zeros(count)
    shares = np.ones(count) if work is None else work + 1.0  # an iteration takes some time by itself
    place = np.append(0.0, np.cumsum(shares))
    known = stamps[looked] - stamps[looked[0]]  # small, so that floats are exact
    seconds: Array = np.maximum(np.diff(np.interp(place, place[looked], known / NANOSECONDS)), 0.0)
    return seconds
