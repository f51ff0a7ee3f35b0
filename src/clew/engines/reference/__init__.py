"""The reference engine: primitives as their definitions read, and vertex programs, in plain Python. The oracle.

The functions of a program run as they are, so that print and a debugger work in them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clew.adjacency import Adjacency
from clew.dtypes import OFFSET, Array
from clew.engines.base import HOST, columns_of, weight_dtypes
from clew.engines.cpu.program import NO_LIMIT, Done, directions_of
from clew.graph import Graph
from clew.layouts import Layout, csr
from clew.operators import Gather, Monoid, Operator, Semiring
from clew.result import Trace

if TYPE_CHECKING:
    from clew.program import VertexProgram

FURTHEST = 2.0**62  # as in kernels_waiting: intervals beyond are treated the same


class ReferenceEngine:
    """What the other engines are compared with."""

    name = "reference"
    memory = HOST

    def spmv(self, edges: Layout, x: Array, semiring: Semiring, mask: Array | None, out: Array) -> None:
        """out[i] = ⊕ over edges i → j of w ⊗ x[j]."""
        rows = csr(edges)
        for i in range(rows.num_vertices):
            if mask is None or mask[i]:
                products = (_product(semiring, w, x[j], out.dtype) for j, w in row(rows, i, x.dtype))
                out[i] = _sum(semiring.add, products, out.dtype)

    def spmspv(
        self, rows: Adjacency, active: Array, values: Array, semiring: Semiring, mask: Array | None, merge: str
    ) -> tuple[Array, Array]:
        """y[j] = ⊕ over edges i → j, i active, of w ⊗ values[i]; ``merge`` makes no difference here."""
        del merge
        dtype = semiring.result_dtype(_weight_dtype(rows, values.dtype), values.dtype)
        products: dict[int, list[Any]] = {}
        for i, value in zip(active, values, strict=True):
            for j, w in row(rows, i, values.dtype):
                if mask is None or mask[j]:
                    products.setdefault(int(j), []).append(_product(semiring, w, value, dtype))
        found = sorted(products)
        sums = [_sum(semiring.add, products[j], dtype) for j in found]
        return np.array(found, dtype=rows.indices.dtype), np.array(sums, dtype=dtype)

    def spgemm(self, a: Adjacency, b: Adjacency, semiring: Semiring, mask: Adjacency | None) -> Adjacency:
        """C[i, j] = ⊕ over k of a[i, k] ⊗ b[k, j]."""
        left, right = weight_dtypes(a, b)
        dtype = semiring.result_dtype(left, right)
        indptr = np.zeros(a.num_vertices + 1, dtype=OFFSET)
        columns: list[int] = []
        weights: list[Any] = []
        for i in range(a.num_vertices):
            products: dict[int, list[Any]] = {}
            allowed = None if mask is None else {int(j) for j, _ in row(mask, i, right)}
            for k, w in row(a, i, left):
                for j, x in row(b, k, right):
                    if allowed is None or int(j) in allowed:
                        products.setdefault(int(j), []).append(_product(semiring, w, x, dtype))
            for j in sorted(products):
                columns.append(j)
                weights.append(_sum(semiring.add, products[j], dtype))
            indptr[i + 1] = len(columns)
        indices: Any = np.array(columns, dtype=a.indices.dtype)
        return Adjacency(indptr, indices, np.array(weights, dtype=dtype))

    def reduce_segments(self, values: Array, indptr: Array, monoid: Monoid, out: Array) -> None:
        """out[i] = ⊕ of values[indptr[i]:indptr[i + 1]]."""
        for i in range(out.size):
            out[i] = _sum(monoid, values[indptr[i] : indptr[i + 1]], out.dtype)

    def elementwise(self, operator: Operator, u: Array, v: Array, out: Array) -> None:
        """out[i] = operator(u[i], v[i])."""
        with np.errstate(all="ignore"):
            for place in np.ndindex(out.shape):
                out[place] = cast(operator(u[place], v[place]), out.dtype)

    def outer(self, operator: Operator, u: Array, v: Array, out: Array) -> None:
        """out[i, j] = operator(u[i], v[j])."""
        with np.errstate(all="ignore"):
            for i, j in np.ndindex(out.shape):
                out[i, j] = cast(operator(u[i], v[j]), out.dtype)

    def compact(self, mask: Array) -> Array:
        """The i where mask[i] is true."""
        return np.array([i for i in range(mask.size) if mask[i]], dtype=OFFSET)

    def run_program(
        self, program: VertexProgram, graph: Graph, state: Array, active: Array
    ) -> tuple[Any, dict[str, Array]]:
        """Run a vertex program on ``state``, a record per vertex; returns how it ended, and the fields."""
        return run_program(program, graph, state, active), columns_of(state)


def _weight_dtype(rows: Adjacency, dtype: np.dtype[Any]) -> np.dtype[Any]:
    return dtype if rows.weights is None else rows.weights.dtype


def _product(semiring: Semiring, weight: Any, x: Any, dtype: np.dtype[Any]) -> Any:
    if semiring.absorbing and x.dtype.kind in "iu" and x == semiring.add.identity(x.dtype):
        return semiring.add.identity(dtype)
    with np.errstate(all="ignore"):
        return cast(semiring.multiply(weight, x), dtype)


def _sum(monoid: Monoid, values: Iterable[Any], dtype: np.dtype[Any]) -> Any:
    total = None
    with np.errstate(all="ignore"):
        for value in values:
            total = value if total is None else cast(monoid(total, value), dtype)
    return monoid.identity(dtype) if total is None else total


class Vertex:
    """The state of one vertex, with its fields as attributes; what is assigned changes the state."""

    __slots__ = ("_number", "_state")

    def __init__(self, state: Array, number: int) -> None:
        object.__setattr__(self, "_state", state)
        object.__setattr__(self, "_number", number)

    def __getattr__(self, name: str) -> Any:
        self._check(name)
        return self._state[name][self._number]

    def __setattr__(self, name: str, value: Any) -> None:
        self._check(name)
        self._state[name][self._number] = cast(value, self._state.dtype[name])

    def _check(self, name: str) -> None:
        names = self._state.dtype.names or ()
        if name not in names:
            raise AttributeError(f"a vertex has no field {name!r}; its fields are {', '.join(names)}.")

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={self._state[name][self._number]!r}" for name in self._state.dtype.names or ())
        return f"Vertex({self._number}: {fields})"


def run_program(program: VertexProgram, graph: Graph, state: Array, active: npt.NDArray[np.bool_]) -> Done:
    """Run the program on ``state``, in place."""
    with np.errstate(all="ignore"):  # as in compiled code
        return _Run(program, graph, state).until_nobody_is_active(active)


class _Run:
    """A program at work on the state of all vertices."""

    def __init__(self, program: VertexProgram, graph: Graph, state: Array) -> None:
        self.program, self.state = program, state
        self.along, self.against = directions_of(graph, program.direction)
        self.vertices = [Vertex(state, number) for number in range(state.size)]
        self.message = np.dtype(program.message)
        self.sent: dict[int, Any] = {}  # the latest message of every vertex that a gather may read
        self.present = -math.inf  # the interval of priorities whose turn it is
        self.rows: list[tuple[int, int, float]] = []

    def until_nobody_is_active(self, active: npt.NDArray[np.bool_]) -> Done:
        limit = NO_LIMIT if self.program.max_iterations is None else self.program.max_iterations
        steady = self.program.active_next == "all"
        everyone = range(self.state.size)
        now: Sequence[int] = everyone if steady else np.flatnonzero(active).tolist()
        if isinstance(self.program.reduce, Gather):
            self.sent = {u: self.send(u) for u in everyone}
        # Where all vertices stay active, one iteration more finds that nothing changed.
        changed: Sequence[int] = [0] if steady else now
        while changed and len(self.rows) < limit:
            due, waiting = self.in_turn(now)
            begun = perf_counter()
            next_ones = self.iterate(due)
            edges = sum(int(self.along.indptr[u + 1] - self.along.indptr[u]) for u in due)
            self.rows.append((len(due), edges, perf_counter() - begun))
            changed = next_ones if steady else sorted({*next_ones, *waiting})
            now = everyone if steady else changed
        return Done(len(self.rows), not changed, self.trace())

    def in_turn(self, active: Sequence[int]) -> tuple[Sequence[int], Sequence[int]]:
        """The active vertices whose turn it is, and those that wait for theirs."""
        if self.program.priority is None:
            return active, ()
        intervals = {u: self.interval(u) for u in active}
        self.present = max(self.present, min(intervals.values()))
        return [u for u in active if intervals[u] <= self.present], [u for u in active if intervals[u] > self.present]

    def interval(self, u: int) -> float:
        assert self.program.priority is not None
        return float(
            np.clip(np.floor(float(self.program.priority(self.vertices[u])) / self.program.width), -FURTHEST, FURTHEST)
        )

    def iterate(self, active: Sequence[int]) -> list[int]:
        """All active vertices send, then those that a message reached apply; returns the next active ones."""
        arrived = self.gathered(active) if isinstance(self.program.reduce, Gather) else self.reduced(active)
        if self.program.apply_to == "all":
            nothing = self.nothing()
            accepting = (v for v in range(self.state.size) if self.program.accepts(self.vertices[v]))
            arrived = {v: arrived.get(v, nothing) for v in accepting}
        return [v for v in sorted(arrived) if self.program.apply(arrived[v], self.vertices[v])]

    def reduced(self, active: Sequence[int]) -> dict[int, Any]:
        """What a monoid makes of the messages at every vertex that one reached."""
        monoid: Any = self.program.reduce
        sums: dict[int, Any] = {}
        for u, message in [(u, self.send(u)) for u in active]:
            for v, value in self.arrivals(u, message):
                if not (monoid.stops_at_first and v in sums):
                    sums[v] = cast(monoid(sums.get(v, self.nothing()), value), self.message)
        return sums

    def arrivals(self, u: int, message: Any) -> Iterator[tuple[int, Any]]:
        """Where a message of ``u`` arrives, and its value there."""
        for v, weight in row(self.along, u, self.message):
            if self.program.accepts(self.vertices[v]):
                value = self.program.process(message, weight, self.vertices[v])
                if self.program.matters(value, self.vertices[v]):
                    yield int(v), value

    def gathered(self, active: Sequence[int]) -> dict[int, Any]:
        """What a gather makes of the latest messages of all neighbours, for every vertex that a message reached."""
        gather: Any = self.program.reduce
        self.sent |= {u: self.send(u) for u in active}
        reached = {int(v) for u in active for v, _ in row(self.along, u, self.message)}
        found = {}
        for v in sorted(reached):
            values = self.heard(v)
            if values:
                found[v] = cast(gather.function(*np.unique(np.array(values), return_counts=True)), self.message)
        return found

    def heard(self, v: int) -> list[Any]:
        """What the messages of all neighbours are worth at ``v``."""
        vertex = self.vertices[v]
        if not self.program.accepts(vertex):
            return []
        values = (self.program.process(self.sent[int(u)], w, vertex) for u, w in row(self.against, v, self.message))
        return [value for value in (cast(each, self.message) for each in values) if self.program.matters(value, vertex)]

    def send(self, u: int) -> Any:
        return cast(self.program.send(self.vertices[u]), self.message)

    def nothing(self) -> Any:
        """The reduction of no messages."""
        reduction: Any = self.program.reduce
        return (
            cast(reduction.empty, self.message) if isinstance(reduction, Gather) else reduction.identity(self.message)
        )

    def trace(self) -> Trace:
        active, edges, seconds = np.array(self.rows).reshape(-1, 3).T
        return Trace({"active": active.astype(np.int64), "edges": edges.astype(np.int64), "seconds": seconds})


def row(rows: Adjacency, i: Any, dtype: np.dtype[Any]) -> Iterable[tuple[Any, Any]]:
    """The (column, weight) of every edge of row i; the weight is 1 of ``dtype`` where there are none."""
    for k in range(rows.indptr[i], rows.indptr[i + 1]):
        yield rows.indices[k], dtype.type(1) if rows.weights is None else rows.weights[k]


def cast(value: Any, dtype: np.dtype[Any]) -> Any:
    """A number as a scalar of ``dtype``."""
    return np.asarray(value).astype(dtype)[()]
