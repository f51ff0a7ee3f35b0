"""Edges on the host are read by aligned lines: frontiers in the order of their rows, rows from a line's beginning."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import clew
from clew.engines.choice import gpu_for
from clew.engines.cuda.balance import frontiers
from clew.engines.cuda.memory.device_graph import rows_on
from clew.engines.cuda.products import spmv
from clew.engines.cuda.program import program
from clew.engines.cuda.program.program import Tuning
from clew.memory import current
from clew.operators import semirings
from examples.vertex_programs import BreadthFirst, PageRank, ShortestPaths
from tests.cuda.lines import begun_at
from tests.cuda.test_program import Degrees, Weighing, tuned, weighted

PUSHED = Tuning(threads=64, alone=(0, 0), pushed=1.0, pushed_to_any=1.0)
UNTOUCHED = 2**64 - 1
PULLED = replace(PUSHED, pushed=0.0, pushed_to_any=0.0)


class Beginning(Degrees):
    """In-degrees from given vertices alone: what is counted twice, or not at all, shows."""

    max_iterations = 1

    def __init__(self, vertices):
        self.vertices = vertices

    def start(self, graph):
        return {"degree": 0, "done": False}, self.vertices


class Leaning(Weighing):
    """Of messages that are equally large, the last one counts: which that is depends on the order of all."""

    reduce = clew.Monoid(lambda x, y: x if abs(x) > abs(y) else y, identity=0, name="largest")
    send = staticmethod(lambda vertex: 1 if vertex.mass % 2 < 1 else -1)
    process = staticmethod(lambda message, weight, vertex: message)


@pytest.fixture
def ordered(monkeypatch):
    """Whether a frontier of the last run was put in order: then the numbers of warps have been written."""
    kept, memory = [], program.order_memory

    def noted(*args):
        kept[:] = found = memory(*args)
        if found:
            found[2][...] = UNTOUCHED
        return found

    monkeypatch.setattr(program, "order_memory", noted)
    return lambda: bool(kept) and bool((kept[2] != UNTOUCHED).any())


def hubs_and_empty_rows():
    """Rows of 0 to 150 edges, hubs of thousands; between rows that share a line are empty ones."""
    lengths = np.array([0, 1, 0, 0, 5, 40, 0, 150, 0, 31, 32, 33, 0, 2] * 12 + [3000, 0, 1, 5000, 0])
    numbers = np.random.default_rng(1)
    source = np.repeat(np.arange(lengths.size), lengths)
    return clew.Graph.from_edges(source, numbers.integers(0, lengths.size, source.size), num_vertices=lengths.size)


@pytest.mark.parametrize("name", ["hubs", "skewed", "star", "wide"])
def test_frontiers_in_order_give_the_same_results(name, ordered):
    graph = {
        "hubs": hubs_and_empty_rows,
        "skewed": lambda: clew.generate.rmat(9, 12, seed=5),
        "star": lambda: clew.generate.star(700),
        "wide": lambda: clew.Graph.from_edges([0, 1, 2, 2, 5], [1, 2, 3, 5, 1], num_vertices=6, id_dtype="int64"),
    }[name]()
    source = int(np.argmax(graph.degrees()))
    searches = () if name == "wide" else ((BreadthFirst(source), graph), (ShortestPaths(source), weighted(graph)))
    for made, given in (*searches, (Degrees(), graph)):
        expected = clew.run(made, given, device="cpu")
        with clew.memory("zero_copy"):
            values, done = tuned(made, given, replace(PUSHED, order_from=1))
        assert ordered()
        for field, array in values.items():
            np.testing.assert_array_equal(array, expected.values[field], err_msg=f"{type(made).__name__} {field}")
        assert done.iterations == expected.iterations
        for column in ("active", "edges"):
            np.testing.assert_array_equal(done.trace[column], expected.trace[column], err_msg=column)


@pytest.mark.parametrize("size", [0, 1, 4, 5, 6, 33, 173])
def test_frontiers_from_a_size_on_are_put_in_order(size, ordered):
    """And only those; vertices without edges are of the frontier, but have nothing to read."""
    graph = hubs_and_empty_rows()
    made = Beginning(np.random.default_rng(size).choice(graph.num_vertices, size, replace=False))
    expected = clew.run(made, graph, device="cpu")
    with clew.memory("zero_copy"):
        values, done = tuned(made, graph, replace(PUSHED, order_from=5))
    np.testing.assert_array_equal(values["degree"], expected.degree)
    assert ordered() == (size >= 5)
    assert done.iterations == expected.iterations


def test_the_rule_is_that_of_searches(monkeypatch, ordered):
    """Lines where edges are on the host and the graph is large and dense; nothing of it elsewhere."""
    device, graph = gpu_for("emulated", 0), weighted(clew.generate.rmat(8, 16, seed=1))
    monkeypatch.setattr(frontiers, "LARGE", 1)
    monkeypatch.setattr(frontiers, "ORDERED", 2)
    monkeypatch.setattr(frontiers, "REACH", 0)
    every = replace(PUSHED, pushed=0.9)
    for edges, expected in (("device", False), ("zero_copy", True), ("tiered", True)):
        with clew.memory(edges, fast_memory=graph.indices.nbytes // 2 if edges == "tiered" else None):
            rows = rows_on(device, graph.outgoing)
            assert bool(program.order_memory(device, rows, every)) == expected == rows.on_host
            values, _ = tuned(ShortestPaths(3), graph, every)
            assert ordered() == expected
            np.testing.assert_array_equal(values["distance"], clew.sssp(graph, 3, device="cpu").distance)
            assert not program.order_memory(device, rows, replace(every, balance="degree_cut"))
    monkeypatch.setattr(frontiers, "LARGE", 1 << 23)
    with clew.memory("zero_copy"):
        assert not program.order_memory(device, rows_on(device, graph.outgoing), every)


def address_of(array):
    """In the emulation and on a GPU."""
    place = getattr(array, "__cuda_array_interface__", None) or array.__array_interface__
    return place["data"][0]


@pytest.mark.parametrize("offset", [0, 5])
def test_rows_from_the_beginning_of_a_line_have_the_same_sums(offset):
    """To the last digit, whatever the memory and wherever in it the array begins: blocks, warps and lanes to a row."""
    graph = weighted(hubs_and_empty_rows())
    moved = begun_at(graph, offset)
    for made in (Weighing(), PageRank(), Leaning()):
        made.direction = "in"  # pulls along the rows as they are
        expected, _ = tuned(made, graph, PULLED)
        with clew.memory("zero_copy"):
            values, _ = tuned(made, moved, PULLED)
            place = address_of(rows_on(gpu_for("emulated", 0), moved.outgoing).neighbours)
        if gpu_for("emulated", 0).name == "emulated":  # a GPU has small arrays copied into pages of their own
            assert place // graph.indices.itemsize % 32 == offset
        for field, array in values.items():
            np.testing.assert_array_equal(array, expected[field], err_msg=f"{type(made).__name__} {field}")


@pytest.mark.parametrize(("offset", "ids"), [(0, "int32"), (7, "int32"), (7, "int64")])
def test_algorithms_that_read_by_lines_find_the_same(offset, ids):
    """The pieces of long rows in searches, rows of any length in components, tiles of products: to the last digit."""
    device, hubs = gpu_for("emulated", 0), hubs_and_empty_rows()
    # Whatever edge is left out, somebody is not found; the first row is short, so that the long one begins in a line.
    leaves = np.arange(3, 4000)
    star = clew.Graph.from_edges(np.append([0, 0], np.ones(leaves.size, int)), np.append([1, 2], leaves))
    x = np.random.default_rng(2).random(hubs.num_vertices).astype(np.float32)

    def found(hubs, star):
        sums = device.empty(hubs.num_vertices, np.float32)
        way = spmv.SpmvMethod(name="tiles")
        spmv.spmv(device, hubs.outgoing, device.upload(x), semirings.plus_second, None, sums, way)
        assert rows_on(device, star.outgoing).on_host == (current().edges == "zero_copy")
        labels = [clew.connected_components(graph, device="emulated").label for graph in (hubs, star)]
        return clew.bfs(star, 0, device="emulated").depth, *labels, device.download(sums)

    expected = found(hubs, star)
    with clew.memory("zero_copy"):
        values = found(begun_at(hubs, offset, ids), begun_at(star, offset, ids))
    for one, other in zip(expected, values, strict=True):
        np.testing.assert_array_equal(one, other)
    assert values[0].max() == 2
    assert not values[2].any()
