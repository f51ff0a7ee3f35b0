"""The waist on the GPU's kernels, emulated: every kernel at its boundaries, whichever one would be chosen.

That the engine gives what the reference does on any graph is in tests/engines.
"""

from __future__ import annotations

import gc

import numpy as np
import pytest

import clew
from clew import layouts, semirings
from clew.engines.choice import gpu_for
from clew.engines.cuda.balance import tiling
from clew.engines.cuda.engine import CudaEngine
from clew.engines.cuda.memory.device_graph import rows_on
from clew.engines.cuda.products import algebra, spgemm, spmspv, spmv, sweep, vectors
from clew.engines.cuda.products.spmv import AUTO, LANES, SpmvMethod
from clew.engines.reference import ReferenceEngine
from clew.primitives.arguments import engine_of
from tests.engines.inputs import numbers, weighted
from tests.on_gpu import emulation_only, fetched

pytestmark = pytest.mark.usefixtures("small_heap")

TILE = tiling.WARP * tiling.EACH
SIZES = (0, 1, 31, 32, 33, 257, 1500)
BY_LANES = [SpmvMethod("rows", lanes) for lanes in LANES]
WAYS = [*BY_LANES, SpmvMethod("tiles"), SpmvMethod("tiles", each=5), SpmvMethod("sweep"), SpmvMethod()]
OWN = clew.Semiring(add=lambda a, b: a if a > b else b, identity=-128, multiply=lambda weight, x: x - weight)
ARITHMETIC = [
    (semirings.plus_times, "float32"),
    (semirings.min_plus, "int8"),
    (semirings.or_and, "bool"),
    (semirings.any_pair, "int64"),
    (OWN, "int16"),
]


@pytest.fixture(scope="module")
def device():
    return gpu_for("emulated", 0)


def rows_of_lengths(lengths, dtype=None, seed=0):
    """Rows of these lengths over as many columns, at random; hubs and empty rows as asked."""
    rng = np.random.default_rng(seed)
    n = len(lengths)
    source = np.repeat(np.arange(n), lengths)
    graph = clew.Graph.from_edges(source, rng.integers(0, max(n, 1), source.size), None, n)
    return weighted(graph, dtype, seed).outgoing


def check_spmv(device, edges, semiring, dtype, ways=(AUTO,), seed=1):
    rng = np.random.default_rng(seed)
    n = edges.num_vertices
    x = numbers(rng, dtype, n)
    weight = np.dtype(dtype) if edges.weights is None else edges.weights.dtype
    expected = np.empty(n, semiring.result_dtype(weight, x.dtype))
    ReferenceEngine().spmv(edges, x, semiring, None, expected)
    wanted = rng.random(n) < 0.5
    there, chosen = device.upload(x), device.upload(wanted)
    for way in ways:
        engine = CudaEngine(device, way)
        found = device.upload(np.full(n, 1).astype(expected.dtype))
        engine.spmv(edges, there, semiring, None, found)
        np.testing.assert_array_equal(fetched(found), expected, err_msg=str(way))
        found = device.upload(np.full(n, 1).astype(expected.dtype))
        engine.spmv(edges, there, semiring, chosen, found)
        some = np.where(wanted, expected, np.ones(1, expected.dtype))
        np.testing.assert_array_equal(fetched(found), some, err_msg=str(way))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("semiring", "dtype"), ARITHMETIC, ids=lambda value: getattr(value, "name", value))
def test_every_way_through_rows_of_every_length(device, size, semiring, dtype):
    """Lengths around one, two and many rounds of lanes; every fifth row is empty.

    Built-in floats and a user's own functions go every way. The others take every kernel, and between them every number
    of lanes with both ways of fetching: their loop is the same whatever the arithmetic is.
    """
    lengths = np.resize([1, 0, 31, 2, 33, 7, 0, 3, 32, 5], size)
    if size > 300:
        lengths[3:] %= 4
    ways = WAYS
    if (dtype, semiring) not in (("float32", semirings.plus_times), ("int16", OWN)):
        first = [kind for _, kind in ARITHMETIC[1:4]].index(dtype)
        ways = [*BY_LANES[first::3], *WAYS[len(BY_LANES) :]]
    check_spmv(device, rows_of_lengths(lengths, dtype), semiring, dtype, ways)


@pytest.mark.parametrize("length", [1, TILE - 2, TILE - 1, TILE, TILE + 1, 5000])
@pytest.mark.parametrize("dtype", ["float64", "int8"])
def test_hubs(device, length, dtype):
    """One row among many: at the start, in the middle, at the end, and beside another."""
    for place in ([0], [20], [39], [20, 21]):
        lengths = np.resize([1, 0, 2], 40)
        lengths[place] = length
        ways = [SpmvMethod("rows", 32), SpmvMethod("rows", 4), SpmvMethod("tiles"), SpmvMethod("sweep")]
        check_spmv(device, rows_of_lengths(lengths, dtype), semirings.plus_times, dtype, ways)


@emulation_only  # a GPU's grid is too large for the reference to keep up with
def test_more_tiles_than_the_grid_has_warps(device):
    rows = rows_of_lengths(np.resize([3, 0, 700, 1, 90], 3000), "float32")
    assert tiling.tiles_of(device, rows_on(device, rows)).count > 2 * 8 * 5 * device.num_processors
    check_spmv(device, rows, semirings.plus_times, "float32", [SpmvMethod("tiles")])


@pytest.mark.quick
@pytest.mark.parametrize("size", SIZES)
def test_coordinates_and_tables(device, size):
    rows = rows_of_lengths(np.resize([1, 0, 31, 2, 33, 7, 0, 3], size), "int32")
    for semiring in (semirings.min_plus, semirings.plus_times):
        check_spmv(device, layouts.coo(rows), semiring, "int32")
        check_spmv(device, layouts.ell(rows), semiring, "int32")


@pytest.mark.parametrize("length", [511, 512, 513, 1024, 5000])
def test_coordinates_of_hubs(device, length):
    """A chunk is 512 edges: rows that fill one, that span several, and that end with one."""
    for place in ([0], [5], [9], [5, 6]):
        lengths = np.resize([1, 0, 2], 10)
        lengths[place] = length
        check_spmv(device, layouts.coo(rows_of_lengths(lengths, "int8")), semirings.plus_times, "int8")


def test_layouts_may_share_columns(device):
    first = layouts.coo(rows_of_lengths([1, 2, 0, 3], "int32"))
    for weights in (first.weights + 1, None, first.weights):
        other = layouts.COO(first.rows, first.columns, weights, 4)
        check_spmv(device, other, semirings.plus_times, "int32")


def test_rows_may_share_columns_and_begin_elsewhere(device):
    lengths = ([1, 2, 0, 3], [2, 2, 1, 1])
    columns = rows_of_lengths(lengths[0]).indices
    for _ in range(2):
        for some in lengths:
            rows = np.repeat(np.arange(4, dtype=columns.dtype), some)
            listed = layouts.COO(rows, columns, None, 4)
            check_spmv(device, listed, semirings.plus_times, "int32")
            check_spmv(device, layouts.csr(listed), semirings.plus_times, "int32")
    assert rows_on(device, layouts.csr(listed)) is rows_on(device, layouts.csr(listed))  # offsets are counted anew


def test_tables_may_have_gaps(device):
    table = layouts.ELL(np.array([[1, -1, 0], [-1, 2, -1], [2, 0, -1]], dtype=np.int32), None)
    check_spmv(device, table, semirings.plus_times, "int32")


def test_ids_and_offsets_of_64_bits(device):
    graph = weighted(clew.generate.kronecker(6, seed=1), "float64")
    wide = clew.Graph.from_csr(graph.indptr, graph.indices, graph.weights, id_dtype="int64").outgoing
    check_spmv(device, wide, semirings.plus_times, "float64", WAYS[::4])
    check_spmv(device, layouts.coo(wide), semirings.plus_times, "float64")
    found = CudaEngine(device).spgemm(wide, graph.outgoing, semirings.plus_times, None)
    expected = clew.spgemm(graph, graph, device="reference")
    assert found.indices.dtype == np.int64
    np.testing.assert_array_equal(fetched(found.indices), expected.indices)
    np.testing.assert_array_equal(fetched(found.weights), expected.weights)


def test_the_way_follows_the_degrees():
    plain = algebra.of_semiring(semirings.plus_times, None, np.dtype(np.float32), np.dtype(np.float32))
    truth = algebra.of_semiring(semirings.or_and, None, np.dtype(np.bool_), np.dtype(np.bool_))
    some = algebra.of_semiring(semirings.any_pair, None, np.dtype(np.int64), np.dtype(np.int64))
    even, skewed = tiling.Degrees(4.0, 8), tiling.Degrees(30.0, 160_000)
    assert spmv.choose(even, plain, SpmvMethod()) == SpmvMethod("rows", 1)
    assert spmv.choose(skewed, plain, SpmvMethod()).name == "tiles"
    assert spmv.choose(skewed, truth, SpmvMethod()).name == "rows"
    assert spmv.choose(skewed, some, SpmvMethod("tiles")) == SpmvMethod("rows", 1)
    assert spmv.choose(skewed, plain, SpmvMethod("rows", 4)) == SpmvMethod("rows", 4)
    assert [spmv.lanes_for(mean) for mean in (0, 4, 5, 40, 1e6)] == [1, 1, 2, 16, 32]


@emulation_only
def test_layouts_are_made_when_products_are_many(device, monkeypatch):
    """Where there is no memory for a layout, there is none."""
    monkeypatch.setattr(sweep, "FROM_ARCS", 0)
    monkeypatch.setattr(sweep, "SWEEP_AFTER", 4)
    rng = np.random.default_rng(0)
    for fails in ("nothing", "sweep"):
        lengths = np.resize([1, 0, 2], 600)
        lengths[5] = 900
        rows = rows_of_lengths(lengths, "float32", seed=len(fails))
        held, x = rows_on(device, rows), rng.random(600).astype(np.float32)
        found = [np.empty(600, np.float32) for _ in range(6)]
        for k, out in enumerate(found):
            if (k, fails) == (4, "sweep"):
                device.memory.fail_at(1)
            CudaEngine(device).spmv(rows, x, semirings.plus_times, None, out)
            assert ("sweep" in held.facts) == (fails != "sweep" and k >= 4)
            if "sweep" in held.facts:
                np.testing.assert_allclose(out, found[0], rtol=1e-5)
            else:
                np.testing.assert_array_equal(out, found[0])


def test_layouts_are_for_columns_that_have_much_of_the_edges(device, monkeypatch):
    monkeypatch.setattr(sweep, "FROM_ARCS", 0)
    monkeypatch.setattr(sweep, "HOT_COLUMNS", 8)
    for graph, expected in ((clew.generate.star(300), "sweep"), (clew.generate.grid(20, 20), "tiles")):
        assert sweep.earned_layout(device, rows_on(device, graph.outgoing), 1000) == expected


def test_products_are_sorted_only_where_a_dense_vector_would_be_long():
    assert spmspv.choose(370, 1 << 22) == "none"
    assert spmspv.choose(370, 1 << 28) == "merge"
    assert spmspv.choose(1 << 17, 1 << 28) == "radix"
    assert spmspv.choose(1 << 24, 1 << 28) == "none"


@emulation_only
def test_layouts_make_room_for_what_is_asked_for(device, monkeypatch):
    """Where all edges must be in device memory, nothing smaller can be tried: the layouts go before the run does."""
    monkeypatch.setattr(sweep, "FROM_ARCS", 0)
    monkeypatch.setattr(sweep, "SWEEP_AFTER", 0)
    graph = weighted(clew.generate.star(400), "float32")
    x = np.ones(graph.num_vertices, np.float32)
    with clew.memory("device"):
        expected = clew.spmv(graph, x, device="emulated")
        assert "sweep" in rows_on(device, graph.outgoing).facts
        depths = clew.bfs(graph, 0, device="emulated").depth
        device.memory.fail_at(1)
        np.testing.assert_array_equal(clew.bfs(graph, 0, device="emulated").depth, depths)
        assert "sweep" not in rows_on(device, graph.outgoing).facts
        np.testing.assert_allclose(clew.spmv(graph, x, device="emulated"), expected)


@pytest.mark.parametrize("dtype", ["int8", "int64"])
def test_sweeps_of_several_tiles_and_runs(device, monkeypatch, dtype):
    """More columns than a word has bits for, rows in many parts, and tiles that warps take one after the other."""
    monkeypatch.setattr(sweep, "PART", 3)
    monkeypatch.setattr(sweep, "MOST_ROWS", 2)
    lengths = np.zeros(140_000, dtype=np.int64)
    lengths[::50] = np.resize([1, 40, 2, 7, 3], 2800)
    rows = rows_of_lengths(lengths, dtype)
    made = sweep.sweep_of(device, rows_on(device, rows))
    assert made.num_tiles > device.num_processors * sweep.WARPS
    assert made.split_rows.size
    check_spmv(device, rows, semirings.plus_times, dtype, [SpmvMethod("sweep")])


RUNS = {
    "spmv": lambda engine, rows, x, out: engine.spmv(rows, x, semirings.plus_times, None, out),
    "spmv, coo": lambda engine, rows, x, out: engine.spmv(layouts.coo(rows), x, semirings.plus_times, None, out),
    "spmspv": lambda engine, rows, x, out: engine.spmspv(
        rows, np.arange(x.size, dtype=np.int32), x, semirings.plus_times, None, "none"
    ),
    "spmspv, sorted": lambda engine, rows, x, out: engine.spmspv(
        rows, np.arange(x.size, dtype=np.int32), x, semirings.plus_times, None, "merge"
    ),
    "spgemm": lambda engine, rows, x, out: engine.spgemm(rows, rows, semirings.plus_times, None),
    "spgemm, masked": lambda engine, rows, x, out: engine.spgemm(rows, rows, semirings.plus_times, rows),
    "compact": lambda engine, rows, x, out: engine.compact(x > 2),
}


@emulation_only
@pytest.mark.parametrize("name", RUNS)
def test_no_allocation_that_fails_does_harm(device, name):
    """The k-th allocation fails, for every k: a clean error, nothing lost, and the next try gives the right answer."""
    x, before, failed = numbers(np.random.default_rng(1), "float64", 40), device.memory.live_allocations, 0
    while True:
        rows = rows_of_lengths(np.resize([1, 0, 50], 40), "float64")
        engine, out = CudaEngine(device, SpmvMethod("tiles")), np.empty(40)
        device.memory.fail_at(failed + 1)
        try:
            RUNS[name](engine, rows, x, out)
        except clew.ResourceError:
            failed += 1
        else:
            break
        finally:
            device.memory.fail_at(None)
        RUNS[name](engine, rows, x, out)
        del rows
        gc.collect()
        assert device.memory.live_allocations == before
    assert failed > 0


def test_what_is_known_of_a_graph_is_found_once(device):
    rows = rows_on(device, clew.generate.kronecker(6, seed=1).outgoing)
    assert tiling.tiles_of(device, rows) is tiling.tiles_of(device, rows)
    assert tiling.degrees_of(rows) is tiling.degrees_of(rows)


@pytest.mark.quick
@pytest.mark.parametrize("size", [0, 1, 31, 32, 33, 1000])
def test_bit_vectors(device, size):
    rng = np.random.default_rng(size)
    x = rng.random(size) < 0.2
    there = device.upload(x)
    np.testing.assert_array_equal(fetched(vectors.unpacked(device, vectors.packed(device, there), size)), x)
    rows = rows_of_lengths(np.resize([1, 0, 40, 2], size))
    expected = clew.spvisit(rows, x, device="reference")
    for way in (SpmvMethod("rows", 4, bits=True), SpmvMethod("rows", 32, bits=True), SpmvMethod("tiles", bits=True)):
        found = device.empty(size, np.bool_)
        spmv.spmv(device, rows, there, semirings.or_and, None, found, way)
        np.testing.assert_array_equal(fetched(found), expected)
    if size:
        words = device.zeros(-(-size // 32), np.uint32)
        spmv.spmv_bits(device, rows_on(device, rows), vectors.packed(device, there), semirings.or_and, None, words)
        np.testing.assert_array_equal(fetched(vectors.unpacked(device, words, size)), expected)


@pytest.mark.quick
@pytest.mark.parametrize("count", [0, 1, 31, 32, 33, 1023, 1024, 1025, 40_000])
def test_compaction(device, count):
    rng = np.random.default_rng(count)
    for mask in (rng.random(count) < 0.3, np.ones(count, np.bool_), np.zeros(count, np.bool_)):
        values = rng.random(count)
        there = device.upload(mask)
        places, taken = vectors.true_places(device, there, count, np.int32, values=device.upload(values))
        np.testing.assert_array_equal(fetched(places), np.flatnonzero(mask))
        np.testing.assert_array_equal(fetched(taken), values[mask])
        words = vectors.packed(device, there)
        places, _ = vectors.true_places(device, words, count, np.int64, bits=True)
        np.testing.assert_array_equal(fetched(places), np.flatnonzero(mask))


@pytest.mark.parametrize("count", [1, 2, 31, 1023, 1024, 1025, 2048, 2049, 10_000])
def test_merge_sort(device, count):
    rng = np.random.default_rng(count)
    for top in (3, 2**63):
        items = rng.integers(0, top, count, dtype=np.uint64)
        found = vectors.merge_sorted(device, device.upload(items.copy()))
        np.testing.assert_array_equal(fetched(found), np.sort(items))


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64"]
)
@pytest.mark.parametrize("name", ["plus", "min", "max", "any", "lor", "land", "bor", "band", "bxor", "own"])
def test_atomics_of_every_monoid_and_type(device, name, dtype):
    """All vertices push to one: as many threads as there are want to add to the same place, and to its neighbours."""
    if name in ("bor", "band", "bxor") and np.dtype(dtype).kind == "f":
        pytest.skip("floats have no bits to combine")
    monoid = clew.Monoid(lambda a, b: b if b > a else a, 0) if name == "own" else getattr(clew.monoids, name)
    semiring = clew.Semiring(monoid, lambda weight, x: x)
    rng = np.random.default_rng(3)
    n = 300
    graph = clew.Graph.from_edges(np.repeat(np.arange(n), 3), np.tile([4, 5, 7], n), None, n)
    values = rng.integers(0, 2, n).astype(dtype)
    expected = clew.spmspv(graph, (np.arange(n), values), semiring, device="reference")
    active, there = device.upload(np.arange(n, dtype=np.int32)), device.upload(values)
    found = fetched(CudaEngine(device).spmspv(graph.outgoing, active, there, semiring, None, "none"))
    np.testing.assert_array_equal(found[0], expected[0])
    if name == "any":
        assert np.isin(found[1], values).all()
    else:
        np.testing.assert_array_equal(found[1], expected[1])


def test_atomics_are_the_hardwares_own_where_it_has_them():
    kind = lambda name, dtype: spmspv.atomic_of(getattr(clew.monoids, name), np.dtype(dtype))["ATOMIC"]  # noqa: E731
    assert [kind("plus", dtype) for dtype in ("int8", "int64", "float32")] == [spmspv.SWAP, spmspv.ADD, spmspv.ADD]
    assert [kind("min", dtype) for dtype in ("uint32", "float64")] == [spmspv.MIN, spmspv.SWAP]
    assert kind("times", "int32") == spmspv.SWAP
    assert kind("lor", "bool") == spmspv.TRUE
    assert kind("any", "float64") == spmspv.STORE


@pytest.mark.parametrize("merge", ["none", "merge", "radix"])
@pytest.mark.parametrize("size", [1, 31, 32, 33, 256, 257, 3000])
def test_pushes_of_every_size(device, merge, size):
    """So many edges in all, from a hub, and from many vertices some of which have none."""
    star = weighted(clew.generate.star(size + 1), "int32")
    spread = clew.Graph(rows_of_lengths(np.resize([1, 0, 2], size), "int32"))
    for graph in (star, spread):
        active = np.arange(0, graph.num_vertices, 1 + (graph is spread)).astype(np.int32)
        values = numbers(np.random.default_rng(1), "int32", active.size)
        expected = clew.spmspv(graph, (active, values), semirings.min_plus, device="reference")
        pushed = (device.upload(active), device.upload(values))
        found = fetched(CudaEngine(device).spmspv(graph.outgoing, *pushed, semirings.min_plus, None, merge))
        for ours, theirs in zip(found, expected, strict=True):
            np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("products_of_row", [spgemm.ROOM - 1, spgemm.ROOM, spgemm.ROOM + 1, 3000])
def test_rows_of_a_product_around_the_room_in_shared_memory(device, monkeypatch, products_of_row):
    """Vertex 0 leads to 1 and 2, which lead to so many together, some of them the same."""
    half = products_of_row // 2
    source = np.concatenate([[0, 0], np.full(half, 1), np.full(products_of_row - half, 2)])
    target = np.concatenate([[1, 2], 3 + np.arange(half), 3 + 2 * np.arange(products_of_row - half)])
    graph = weighted(clew.Graph.from_edges(source, target, None, 2 * products_of_row), "float64")
    expected = clew.spgemm(graph, graph, device="cpu")
    for listed in (spgemm.LISTED, 10):
        monkeypatch.setattr(spgemm, "LISTED", listed)
        found = clew.spgemm(graph, graph, device="emulated")
        np.testing.assert_array_equal(found.indptr, expected.indptr)
        np.testing.assert_array_equal(found.indices, expected.indices)
        np.testing.assert_array_equal(found.weights, expected.weights)


@pytest.mark.parametrize("shape", [(0, 5), (1, 1), (31, 33), (40, 700), (700, 40)])
def test_outer_and_elementwise(device, shape):
    rng = np.random.default_rng(0)
    u, v = rng.random(shape[0]).astype(np.float32), rng.integers(0, 9, shape[1]).astype(np.int8)
    np.testing.assert_array_equal(clew.outer(min, u, v, device="emulated"), clew.outer(min, u, v, device="cpu"))
    table = rng.random(shape)
    np.testing.assert_array_equal(clew.elementwise(max, table, 0.5, device="emulated"), np.maximum(table, 0.5))


@pytest.mark.parametrize("start", [0, 7])
def test_segments_need_not_cover_all_values(device, start):
    values = np.arange(500, dtype=np.int64)
    for monoid in (clew.monoids.plus, clew.monoids.max, clew.monoids.land):
        indptr = start + np.array([0, 0, 3, 300, 300, 410])
        expected = clew.reduce_segments((values, indptr), monoid, device="reference")
        np.testing.assert_array_equal(clew.reduce_segments((values, indptr), monoid, device="emulated"), expected)


class OnGpu:
    """What CuPy's and others' arrays look like from outside."""

    __cuda_array_interface__ = None


def test_arrays_are_not_fetched_behind_the_users_back():
    graph = clew.generate.path(3)
    with pytest.raises(clew.GraphError, match="in GPU memory"):
        clew.spmv(graph, OnGpu(), device="cpu")


def test_a_result_for_the_host_is_computed_there():
    assert engine_of("auto", 1 << 40, out=np.zeros(3)).name == "cpu"
    assert engine_of("emulated").name == "cuda"


def test_small_skewed_graphs():
    graph = clew.generate.star(3000)
    x = np.random.default_rng(1).random(3000)
    found = clew.spmv(graph, x, device="emulated")
    np.testing.assert_allclose(found, clew.spmv(graph, x, device="reference"), rtol=1e-12)
    mask = np.arange(3000) % 3 == 0
    found = clew.spmv(graph, x, clew.semirings.min_plus, mask=mask, device="emulated")
    np.testing.assert_array_equal(found, clew.spmv(graph, x, clew.semirings.min_plus, mask=mask, device="reference"))


FACTOR = 2.0


def times_factor(value):
    return value * FACTOR


def test_functions_that_use_a_global_follow_it(monkeypatch):
    def within(weight, x):
        def inner(value):
            return value * FACTOR

        return inner(x)

    graph = clew.generate.path(3)
    for device in ("cpu", "emulated"):
        for multiply in (lambda weight, x: x * FACTOR, within, lambda weight, x: times_factor(x)):
            scaled = clew.Semiring(add=max, identity=0.0, multiply=multiply)
            found = []
            for factor in (2.0, 10.0):
                monkeypatch.setitem(globals(), "FACTOR", factor)
                found.append(clew.spmv(graph, [1.0, 2.0, 3.0], scaled, device=device).tolist())
            assert found == [[4.0, 6.0, 4.0], [20.0, 30.0, 20.0]]
