"""Packed graphs made range by range: the same bits as those of a graph that was plain first."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import clew
from clew.build.rows import Policies
from clew.generate.drawn import postponed
from clew.packed import PackedAdjacency
from clew.packed import build as packing
from clew.packed.build import EdgeSource, build_packed


def assert_same_bits(found: PackedAdjacency, expected: Any) -> None:
    for name in ("offsets", "neighbours"):
        one, other = getattr(found, name), getattr(expected, name)
        assert (one.size, one.largest, one.dtype) == (other.size, other.largest, other.dtype)
        for part in ("words", "heads", "bases"):
            np.testing.assert_array_equal(getattr(one, part), getattr(other, part))
    assert found.weights_as == expected.weights_as
    assert (found.stored_weights is None) == (expected.stored_weights is None)
    if found.stored_weights is not None:
        assert found.stored_weights.dtype == expected.stored_weights.dtype
        np.testing.assert_array_equal(found.stored_weights.view("u1"), expected.stored_weights.view("u1"))


def source_of(arrays: list[Any], shares: int, batch: int, n: int | None = None) -> EdgeSource:
    """Edges in shares and batches."""

    def batches(share: int) -> Any:
        size = arrays[0].size
        first, stop = (size * each // shares for each in (share, share + 1))
        for start in range(first, max(stop, first + 1), batch):
            yield tuple(None if each is None else each[start : min(start + batch, stop)] for each in arrays)

    return EdgeSource(shares, batches, lambda: (n, None if arrays[2] is None else arrays[2].dtype))


WEIGHTS = {
    "none": lambda random, size: None,
    "small": lambda random, size: random.integers(-3, 200, size),
    "whole": lambda random, size: random.integers(0, 9, size).astype(np.float64),
    "fractions": lambda random, size: np.where(np.arange(size) % 97 == 96, 0.5, 3.0),
}


@pytest.mark.quick
@settings(max_examples=80, deadline=None)
@given(
    n=st.sampled_from([1, 2, 3, 64, 65, 1000, 70_000]),
    size=st.sampled_from([0, 1, 63, 64, 65, 4095, 4096, 4097, 9000]),
    skew=st.sampled_from([0, 1, 4]),
    room=st.sampled_from([None, 1, 5_000, 40_000]),
    shares=st.integers(1, 5),
    directed=st.booleans(),
    duplicates=st.sampled_from(["keep", "drop", "min", "sum"]),
    loops=st.sampled_from(["keep", "drop"]),
    weights=st.sampled_from(sorted(WEIGHTS)),
    seed=st.integers(0, 9),
)
@example(1000, 9000, 4, 1, 3, False, "sum", "keep", "small", 0)
def test_the_same_bits_as_of_plain_rows(
    n, size, skew, room, shares, directed, duplicates, loops, weights, seed
) -> None:
    random = np.random.default_rng(seed)
    # With a skew, most edges are those of a few vertices, whose rows need more than a small room.
    source, target = ((random.random(size) ** (1 + skew) * n).astype(np.int64) for _ in range(2))
    values = WEIGHTS[weights](random, size)
    if n > 1000 and room is not None:
        room *= 50  # a range may have a single row, but thousands of ranges take long
    policies = Policies(directed, duplicates, loops, mirror=not directed)
    built = build_packed(source_of([source, target, values], shares, 777, n), policies, room)
    expected = clew.Graph.from_edges(source, target, values, n, directed, duplicates, loops)
    assert_same_bits(built.adjacency, expected.packed().outgoing)
    assert built.report == expected.report


def test_any_number_of_threads_and_ranges_of_one_row() -> None:
    with postponed():
        drawn: Any = clew.generate.rmat(9, 20, directed=False, seed=3)
    expected = clew.generate.rmat(9, 20, directed=False, seed=3).packed().outgoing
    for count in (1, 3):
        clew.threads.set_count(count)
        try:
            assert_same_bits(drawn.packed_graph(1).outgoing, expected)
        finally:
            clew.threads.set_count(None)


@pytest.mark.parametrize(
    ("name", "args", "options"),
    [
        ("rmat", (13, 8), {"directed": False, "scramble": True}),
        ("kronecker", (12,), {}),
        ("uniform", (3000, 50_000), {"loops": "drop"}),
        ("barabasi_albert", (2000, 5), {"duplicates": "drop"}),
    ],
)
def test_generators_make_packed_graphs(name, args, options) -> None:
    make = getattr(clew.generate, name)
    found, expected = make(*args, **options, packed=True), make(*args, **options)
    assert found.is_packed
    assert found.directed == expected.directed
    assert found.report == expected.report
    assert_same_bits(found.outgoing, expected.packed().outgoing)


def test_ids_and_the_number_of_vertices_are_found_in_the_first_pass() -> None:
    """Cells grow while larger ids are found, in every share by itself."""
    source = np.array([5, 2**17, 7, 2**25 + 3, 1], np.int64)
    target = np.array([0, 9, 2**20, 11, 1], np.int64)
    built = build_packed(source_of([source, target, None], 2, 1), Policies(False, "keep", "keep", mirror=True))
    expected = clew.Graph.from_edges(source, target, directed=False)
    assert_same_bits(built.adjacency, expected.packed().outgoing)


def test_ids_of_more_than_32_bits() -> None:
    source, target = np.array([0, 3, 70_000], np.int64), np.array([2**33, 2**40, 5], np.int64)
    rows = build_packed(
        source_of([source % 80_000, target % 80_000, None], 1, 2, 80_000),
        Policies(True, "keep", "keep", id_dtype=np.int64),
    ).adjacency
    expected = clew.Graph.from_edges(source % 80_000, target % 80_000, num_vertices=80_000, id_dtype=np.int64)
    assert_same_bits(rows, expected.packed().outgoing)


def test_wrong_edges_are_refused() -> None:
    source, target = np.array([0, -1]), np.array([1, 1])
    with pytest.raises(clew.GraphError, match="negative"):
        build_packed(source_of([source, target, None], 1, 9), Policies(True, "keep", "keep"))
    with pytest.raises(clew.GraphError, match="num_vertices is 1"):
        build_packed(source_of([target, target, None], 1, 9, 1), Policies(True, "keep", "keep"))


@pytest.mark.parametrize("growth", [1, -1])
def test_edges_that_change_between_passes_are_refused(growth) -> None:
    calls = []

    def batches(share: int) -> Any:
        calls.append(share)
        ids = np.arange(100 + growth * len(calls))
        yield ids % 10, ids % 7, None

    with pytest.raises(clew.GraphError, match="edges changed"):
        build_packed(EdgeSource(1, batches, lambda: (10, None)), Policies(True, "keep", "keep"))


def test_rows_that_do_not_fit_are_refused(monkeypatch) -> None:
    monkeypatch.setattr(packing, "available_bytes", lambda: 10_000)
    with pytest.raises(clew.ResourceError, match=r"rows need .* bytes are free"):
        clew.generate.star(5), clew.generate.uniform(10, 100_000, packed=True)
    monkeypatch.setattr(packing, "available_bytes", lambda: 300_000)  # which the ranges keep to
    found = clew.generate.uniform(1000, 100_000, packed=True)
    assert_same_bits(found.outgoing, clew.generate.uniform(1000, 100_000).packed().outgoing)


def test_packed_graphs_are_not_made_on_a_cluster() -> None:
    from clew.distributed.generating import Generators

    with pytest.raises(clew.GraphError, match="not packed"):
        Generators(None).uniform(10, 20, packed=True)  # type: ignore[arg-type]
