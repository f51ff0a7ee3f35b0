"""Two variants of the kernels of every factory, on a path of three vertices; run as a script, it computes some of them.

Graphs are made of arrays, so that nothing else is compiled on the way.
"""

from __future__ import annotations

import json
import sys
from typing import ClassVar

import numpy as np

import clew
from clew.adjacency import Adjacency
from clew.engines.cpu import compiler
from clew.engines.cpu.program import no_priority
from clew.packed import packed
from examples.vertex_programs import BreadthFirst, LabelPropagation, PageRank

SEMIRINGS = {"plus_times": clew.semirings.plus_times, "min_plus": clew.semirings.min_plus}
ROWS = Adjacency(np.array([0, 1, 3, 4]), np.array([1, 0, 2, 1], np.int32), np.array([1, 1, 2, 2], np.uint8))
X = np.array([1, 2, 3], np.uint8)


def products(layout, semiring):
    expected = clew.spmv(layout, X, semiring, device="reference")
    np.testing.assert_array_equal(clew.spmv(layout, X, semiring, device="cpu"), expected)


def packed_product(semiring):
    expected = clew.spmv(ROWS, X, semiring, device="reference")
    np.testing.assert_array_equal(clew.spmv(packed(ROWS), X, semiring, device="cpu"), expected)


def sparse_product(merge, semiring):
    vertices, sums = clew.spmspv(ROWS, ([0, 2], X[:2]), semiring, merge=merge, device="cpu")
    expected = clew.spmspv(ROWS, ([0, 2], X[:2]), semiring, device="reference")
    np.testing.assert_array_equal(vertices, expected[0])
    np.testing.assert_array_equal(sums, expected[1])


def matrix_product(semiring):
    found, expected = (clew.spgemm(ROWS, ROWS, semiring, device=device) for device in ("cpu", "reference"))
    np.testing.assert_array_equal(found.indices, expected.indices)
    np.testing.assert_array_equal(found.weights, expected.weights)


def vectors(function, operator):
    found, expected = (function(operator, X, X[::-1].copy(), device=device) for device in ("cpu", "reference"))
    np.testing.assert_array_equal(found, expected)


def segments(monoid):
    found, expected = (clew.reduce_segments(ROWS, monoid, device=device) for device in ("cpu", "reference"))
    np.testing.assert_array_equal(found, expected)


def combined(monoid, expected):
    """Messages from others, by the kernel of the cluster's engine."""
    from clew.engines.cluster.kernels_routes import make_combine

    values = X.copy()
    compiler.kernel(make_combine, monoid.operator.function).dispatcher(np.array([0, 2]), X[1:].copy(), values)
    assert values.tolist() == expected


def multisets(kind, expected):
    """The labels that arrive at every vertex, counted and reduced by the kernels of the cluster's engine."""
    from clew.engines.cluster.kernels_gather import gather_kernels
    from clew.engines.cpu.program import multisets_of

    functions = (kind.process, kind.reduce.function, kind.accepts, kind.matters)
    made = compiler.kernel(gather_kernels, *functions).dispatcher
    state = np.array([(0,), (1,), (2,)], dtype=[("label", np.int32)]).view(np.recarray)
    rows = (ROWS.indptr.view(np.uint64), ROWS.indices.view(np.uint32), ROWS.weights)
    room = tuple(each[0] for each in multisets_of(2, np.dtype(np.int32)))
    found = np.zeros(4, [("place", np.int32), ("count", np.int64), ("value", np.int32)]).view(np.recarray)
    assert made.count(rows, state, np.arange(3, dtype=np.int32), np.arange(3), room, found) == 4
    assert found["place"].tolist() == [0, 1, 1, 2]
    totals = np.zeros(3, np.int32)
    made.reduce(np.array([0, 1, 3, 4]), found["value"].copy(), found["count"].copy(), totals)
    assert totals.tolist() == expected


class LongBreadthFirst(BreadthFirst):
    fields: ClassVar = {"depth": "int64"}
    message = "int64"


class Means(PageRank):
    @staticmethod
    def apply(total, vertex):
        vertex.rank = total
        return False


class FirstLabel(LabelPropagation):
    reduce = clew.gathers.median


def program(program, field, expected):
    graph = clew.Graph(ROWS, directed=False)
    np.testing.assert_allclose(clew.run(program, graph, device="cpu").values[field], expected, atol=1e-3)


def pipeline(kind):
    """One step of a search from vertex 0, by the kernels of the hybrid engine that run on the CPU."""
    from clew.engines.hybrid.kernels import pipeline_kernels

    functions = (kind.send, kind.process, clew.monoids.any.operator.function, kind.apply)
    filters = (kind.accepts, kind.matters, no_priority)
    made = compiler.kernel(pipeline_kernels, *functions, *filters, first_suffices=True, ordered=False).dispatcher
    state = np.array([(0,), (-1,), (-1,)], dtype=[("depth", kind.fields["depth"])]).view(np.recarray)
    bounds, words = np.array([0, 3]), np.zeros((5, 1), np.uint64)
    active, frontier, reached, theirs, changed = words
    messages, sums = np.zeros(3, kind.message), np.zeros(3, kind.message)
    rows = (ROWS.indptr.view(np.uint64), ROWS.indices.view(np.uint32), ROWS.weights)
    zero = messages.dtype.type(0)
    active[0] = 1
    args = (bounds, state, active, frontier, messages, rows[0], np.uint64(0), 1.0)
    assert made.select(0, *args)[:2] == (1, 1)
    made.push(0, bounds, rows, state, messages, frontier, (sums, sums.view(f"u{sums.itemsize}")), reached)
    assert (reached[0], sums[1]) == (2, 1)
    assert made.pull(0, bounds, rows, state, messages, frontier, False, zero, sums, reached) == 2
    assert made.apply(0, bounds, state, zero, False, (reached, sums), (theirs, sums), active, changed) == 1
    assert state["depth"].tolist() == [0, 1, -1]
    made.send_all(0, bounds, state, messages)
    assert messages.tolist() == [1, 2, 0]


FIRST = {
    "make_rows": lambda: products(ROWS, SEMIRINGS["plus_times"]),
    "make_packed_rows": lambda: packed_product(SEMIRINGS["plus_times"]),
    "make_coordinates": lambda: products(clew.layouts.coo(ROWS), SEMIRINGS["plus_times"]),
    "make_table": lambda: products(clew.layouts.ell(ROWS), SEMIRINGS["plus_times"]),
    "make_scatter": lambda: sparse_product("none", SEMIRINGS["plus_times"]),
    "make_sorted": lambda: sparse_product("merge", SEMIRINGS["plus_times"]),
    "make_multiply": lambda: matrix_product(SEMIRINGS["plus_times"]),
    "make_elementwise": lambda: vectors(clew.elementwise, clew.operators.plus),
    "make_outer": lambda: vectors(clew.outer, clew.operators.plus),
    "make_segments": lambda: segments(clew.monoids.plus),
    "program_kernel": lambda: program(BreadthFirst(0), "depth", [0, 1, 2]),
    "steady_kernel": lambda: program(PageRank(), "rank", [0.2568, 0.4865, 0.2568]),
    "gather_kernel": lambda: program(LabelPropagation(), "label", [0, 1, 0]),
    "pipeline_kernels": lambda: pipeline(BreadthFirst),
    "make_combine": lambda: combined(clew.monoids.plus, [3, 2, 6]),
    "gather_kernels": lambda: multisets(LabelPropagation, [1, 0, 1]),
}
SECOND = {
    "make_rows": lambda: products(ROWS, SEMIRINGS["min_plus"]),
    "make_packed_rows": lambda: packed_product(SEMIRINGS["min_plus"]),
    "make_coordinates": lambda: products(clew.layouts.coo(ROWS), SEMIRINGS["min_plus"]),
    "make_table": lambda: products(clew.layouts.ell(ROWS), SEMIRINGS["min_plus"]),
    "make_scatter": lambda: sparse_product("none", SEMIRINGS["min_plus"]),
    "make_sorted": lambda: sparse_product("radix", SEMIRINGS["plus_times"]),
    "make_multiply": lambda: matrix_product(SEMIRINGS["min_plus"]),
    "make_elementwise": lambda: vectors(clew.elementwise, clew.operators.max),
    "make_outer": lambda: vectors(clew.outer, clew.operators.max),
    "make_segments": lambda: segments(clew.monoids.max),
    "program_kernel": lambda: program(LongBreadthFirst(0), "depth", [0, 1, 2]),
    "steady_kernel": lambda: program(Means(), "rank", [0.1417, 0.5667, 0.1417]),
    "gather_kernel": lambda: program(FirstLabel(), "label", [0, 1, 0]),
    "pipeline_kernels": lambda: pipeline(LongBreadthFirst),
    "make_combine": lambda: combined(clew.monoids.max, [2, 2, 3]),
    "gather_kernels": lambda: multisets(FirstLabel, [1, 0, 1]),
}
VARIANTS = (*FIRST.items(), *SECOND.items())


def dispatchers():
    """The compiled kernels of every factory that was used in this process, by the factory's name."""
    for (factory, *_), made in compiler._kernels.items():
        several = made.dispatcher if isinstance(made.dispatcher, tuple) else (made.dispatcher,)
        for dispatcher in several:
            yield factory.__name__, dispatcher


def main():
    """Compute the variants whose numbers are given; print what was compiled, and the names that Numba gave to it."""
    for number in map(int, sys.argv[1:]):
        VARIANTS[number][1]()
    used = [
        (factory, dispatcher.py_func.__name__, dispatcher.stats.cache_misses.total(), result.fndesc.env_name)
        for factory, dispatcher in dispatchers()
        for result in dispatcher.overloads.values()
    ]
    print(json.dumps(used))


if __name__ == "__main__":
    main()
