"""Products on the GPU: matrix times dense vector in every way and by cuSPARSE, and matrix times sparse vector."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import clew
from bench.gpu.graphs import Case
from bench.gpu.timing import Work
from clew import layouts, semirings
from clew.adjacency import Adjacency
from clew.engines.cuda.balance import tiling
from clew.engines.cuda.memory.device_graph import graph_on, rows_on
from clew.engines.cuda.memory.packer import packed_neighbours
from clew.engines.cuda.products import sweep, vectors
from clew.engines.cuda.products.spmspv import spmspv
from clew.engines.cuda.products.spmv import LANES, SpmvMethod, spmv, spmv_bits
from clew.packed.code import pack

ELL_BYTES = 2 << 30
COO_EDGES = 1 << 28
SHARES = (1e-5, 1e-4, 1e-3, 1e-2, 0.1, 0.5)
#: The arithmetic of plus_times, written as a user would.
OWN = clew.Semiring(add=lambda a, b: a + b, identity=0, multiply=lambda weight, x: weight * x, name="own")


def cases(device: Any, case: Case) -> Iterator[Work]:
    """Everything on one graph."""
    whole = case.graph.outgoing
    rows = Adjacency(whole.indptr, whole.indices, np.asarray(whole.weights, dtype=np.float32))
    x = np.random.default_rng(1).random(rows.num_vertices).astype(np.float32)
    yield from _dense(device, rows, x)
    yield from _truths(device, Adjacency(rows.indptr, rows.indices), x < 0.01)
    yield from _sparse(device, rows, x)
    yield Work(
        "packing",
        "by the GPU, and back",
        lambda: packed_neighbours(device, whole, graph_on(device, whole.identity)),
        _like_the_hosts(whole),
    )


def _like_the_hosts(rows: Adjacency) -> Callable[[Any], str]:
    """A check of packed neighbours."""
    expected = pack(rows.indices, rows.num_columns - 1, rows.indptr)

    def check(packed: Any) -> str:
        np.testing.assert_array_equal(packed.words, expected.words)
        return f"{packed.nbytes / rows.num_arcs:.2f} B/edge"

    return check


def _dense(device: Any, rows: Adjacency, x: np.ndarray) -> Iterator[Work]:
    """plus_times in every way, other types and semirings in the way that is chosen."""
    plain = Adjacency(rows.indptr, rows.indices)
    precise = np.asarray(rows.weights, dtype=np.float64)
    expected = clew.spmv(Adjacency(rows.indptr, rows.indices, precise), x, device="cpu")
    close, on_device = _close_to(expected), device.upload(x)

    def product(
        edges: Any, values: Any, semiring: Any = semirings.plus_times, way: SpmvMethod | None = None
    ) -> Callable[[], Any]:
        out = device.empty(rows.num_vertices, values.dtype)

        def run() -> Any:
            spmv(device, edges, values, semiring, None, out, way or SpmvMethod())
            return out

        return run

    yield Work("spmv", "auto", product(rows, on_device), close, held=True)
    yield Work("spmv", "cuSPARSE", _cusparse(device, rows, on_device), close, held=True)
    # As users write it, the result in a new array: who answers first is the wall time of these two.
    yield Work("spmv", "clew.spmv", lambda: clew.spmv(rows, on_device, device="cuda"), close, held=True)
    yield Work("spmv", "CuPy's matrix @ x", _cusparse(device, rows, on_device, called=True), close, held=True)
    yield Work("spmv", "tiles", product(rows, on_device, way=SpmvMethod("tiles")), close, held=True)
    yield Work("spmv", "sweep", product(rows, on_device, way=SpmvMethod("sweep")), close, held=True)
    for each in (5, 11, 15):
        way = SpmvMethod("tiles", each=each)
        yield Work("spmv", f"tiles, each {each}", product(rows, on_device, way=way), close, held=True)
    yield Work("spmv", "own semiring", product(rows, on_device, OWN), close, held=True)
    for lanes in LANES:
        yield Work(
            "spmv", f"rows, {lanes} lanes", product(rows, on_device, way=SpmvMethod("rows", lanes)), close, held=True
        )
    for kind in ("tiles", "sweep"):
        yield Work("spmv unweighted", kind, product(plain, on_device, way=SpmvMethod(kind)))
        yield Work(
            "spmv float64",
            kind,
            product(rows, device.upload(x.astype(np.float64)), way=SpmvMethod(kind)),
            close,
            held=True,
        )
        yield Work("spmv min_plus", kind, product(rows, on_device, semirings.min_plus, SpmvMethod(kind)))
    if rows.num_arcs <= COO_EDGES:
        yield Work("spmv", "coo", product(layouts.coo(rows), on_device), close, held=True)
    if rows.num_vertices * int(rows.degrees().max(initial=0)) * 8 <= ELL_BYTES:
        yield Work("spmv", "ell", product(layouts.ell(rows, limit=ELL_BYTES), on_device), close, held=True)
    held = rows_on(device, rows)
    yield Work("spmv prepared", "tiles", lambda: (held.facts.clear(), tiling.tiles_of(device, held)))
    yield Work("spmv prepared", "sweep", lambda: (held.facts.clear(), sweep.sweep_of(device, held)))


def _truths(device: Any, rows: Adjacency, x: np.ndarray) -> Iterator[Work]:
    """Which vertices have an edge to one of a few: bytes, and bits in and out."""
    expected = clew.spvisit(rows, x, device="cpu")
    on_device, held = device.upload(x), rows_on(device, rows)
    words, out = vectors.packed(device, on_device), device.empty(x.size, np.bool_)
    out_words = device.zeros(words.size, np.uint32)

    def visit(way: SpmvMethod) -> Callable[[], Any]:
        def run() -> Any:
            spmv(device, rows, on_device, semirings.or_and, None, out, way)
            return out

        return run

    def visit_bits() -> Any:
        spmv_bits(device, held, words, semirings.or_and, None, out_words)  # bits that are set stay as they are
        return out_words

    def same(result: Any) -> str:
        result = vectors.unpacked(device, result, x.size) if result.dtype == np.uint32 else result
        np.testing.assert_array_equal(device.download(result), expected)
        return ""

    for lanes in (1, 8, 32):
        for packed in (False, True):
            variant = f"{lanes} lanes{', bits' if packed else ''}"
            yield Work("spvisit", variant, visit(SpmvMethod("rows", lanes, bits=packed)), same)
    yield Work("spvisit", "tiles", visit(SpmvMethod("tiles")), same)
    yield Work("spvisit", "bits in and out", visit_bits, same)


def _sparse(device: Any, rows: Adjacency, x: np.ndarray) -> Iterator[Work]:
    """Every way of merging, over the number of active vertices; where SpMV overtakes them is the crossover."""
    for share in SHARES:
        active = np.flatnonzero(np.random.default_rng(2).random(x.size) < share).astype(rows.indices.dtype)
        expected = clew.spmspv(rows, (active, x[active]), device="cpu")
        ids, values = device.upload(active), device.upload(x[active])
        edges = int(rows.degrees()[active].sum())

        def same(result: Any, expected: Any = expected, edges: int = edges) -> str:
            np.testing.assert_array_equal(device.download(result[0]), expected[0])
            np.testing.assert_allclose(device.download(result[1]), expected[1], rtol=1e-3)
            return f"{edges:,} edges"

        for merge in ("none", "merge", "radix"):
            run = lambda merge=merge, ids=ids, values=values: spmspv(  # noqa: E731
                device, rows, ids, values, semirings.plus_times, None, merge
            )
            yield Work("spmspv", f"{share:g} {merge}", run, same)


def _cusparse(device: Any, rows: Adjacency, x: Any, *, called: bool = False) -> Callable[[], Any]:
    """The product of cuSPARSE, into an array that is there; ``called`` by CuPy's operator, into a new one."""
    from cupyx import cusparse
    from cupyx.scipy.sparse import csr_matrix

    held = rows_on(device, rows)
    arrays = (held.weights, held.neighbours, held.offsets.astype(np.int32))
    matrix = csr_matrix(arrays, shape=(rows.num_vertices, rows.num_vertices))
    out = device.empty(rows.num_vertices, np.float32)

    def run() -> Any:
        watch = getattr(device, "watch", None)
        if watch is not None:
            watch.before("cusparse")
        found = matrix @ x if called else cusparse.spmv(matrix, x, out)
        if watch is not None:
            watch.after()
        return found

    return run


def _close_to(expected: np.ndarray) -> Callable[[Any], str]:
    def check(result: Any) -> str:
        np.testing.assert_allclose(np.asarray(result.get()), expected, rtol=2e-3, atol=1e-3)
        return ""

    return check
