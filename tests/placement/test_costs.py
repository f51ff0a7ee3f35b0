"""What reading rows costs where an access costs: counted as by hand, and ranked as an H200 ranked the strategies."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew.placement import (
    AllSlow,
    AsNumbered,
    Degree,
    Frontier,
    Hot,
    Interleave,
    Intraleave,
    Placement,
    Random,
    Speed,
    Strategy,
    compare,
)
from clew.placement import comparison as reads_module
from clew.placement.comparison import KNOWN, Layout, Reads, parse_speeds
from clew.placement.placement import levels_from
from clew.tiers import Rates
from tests.algorithms.graphs import graphs

LINK = (Speed(1e9, 1e6, 16, 32), Speed(8e9, 1e8, 8, 0))  # small lines, so that small graphs have several


def seconds_by_hand(graph, reads, speeds):
    """Of one step; ``reads`` are (vertex of the placed graph, neighbours read), as the rows lie."""
    boundary, taken = graph.metadata["placement_boundary"], []
    for side, speed in enumerate(speeds):
        lines, accesses = set(), 0
        base = graph.indptr[boundary] if side else 0
        for v, count in reads:
            if (v >= boundary) != bool(side) or not count:
                continue
            start = (graph.indptr[v] - base) * graph.indices.itemsize
            read = range(start // speed.line, (start + count * graph.indices.itemsize - 1) // speed.line + 1)
            accesses += not lines or (read[0] - max(lines) - 1) * speed.line > speed.near
            lines.update(read)
        taken.append(accesses * speed.access + len(lines) * speed.line / speed.in_order)
    return max(taken)


@settings(deadline=None)
@given(graph=graphs(min_vertices=1), bias=st.sampled_from([0.0, 0.4, 1.0]), bandwidth_alone=st.booleans())
def test_patterns_are_counted_as_by_hand(graph, bias, bandwidth_alone):
    speeds = parse_speeds((1e9, 4e9)) if bandwidth_alone else LINK
    placement = Random(3, bias).place(graph)
    placed = placement.apply(graph)  # the rows as they really lie then
    degrees, everyone = placed.degrees().tolist(), range(placed.num_vertices)
    reads = Reads(graph, 1, 0)
    found = reads.seconds([Layout.of(placement)], speeds)[0]
    assert found["sweep"] == pytest.approx(seconds_by_hand(placed, [(v, degrees[v]) for v in everyone], speeds))
    glance = [(v, min(2, degrees[v])) for v in everyone]
    assert found["glance"] == pytest.approx(seconds_by_hand(placed, glance, speeds))
    if not graph.num_arcs:
        assert found["search"] == found["relax"] == 0
        return
    source = np.random.default_rng(0).choice(np.flatnonzero(graph.degrees()), 1, replace=False)[0]
    depth = np.empty(graph.num_vertices, dtype=np.int64)
    depth[placement.permutation] = levels_from(graph, int(source))
    search = relax = 0.0
    for level in range(depth.max() + 1):
        on = depth == level
        pushed = seconds_by_hand(placed, [(v, degrees[v]) for v in np.flatnonzero(on)], speeds)
        relax += pushed
        unfound = (depth > level).sum() + (depth < 0).sum()
        if graph.directed or placed.degrees()[on].sum() <= 2 * (unfound + 0.1 * depth.size):
            search += pushed
            continue
        looked = []
        for v in np.flatnonzero((depth < 0) | (depth > level)):
            hits = np.flatnonzero(on[placed.indices[placed.indptr[v] : placed.indptr[v + 1]]])
            looked.append((v, int(hits[0]) + 1 if hits.size else degrees[v]))
        search += seconds_by_hand(placed, looked, speeds)
    assert found["search"] == pytest.approx(search)
    assert found["relax"] == pytest.approx(relax)


def test_some_blocks_of_a_large_graph_stand_for_all(monkeypatch):
    graph = clew.generate.kronecker(14, 16, seed=1)
    placement = Random(1, 0.5).place(graph)
    whole = Reads(graph, 2, 0).seconds([Layout.of(placement)], KNOWN["gpu"])[0]
    monkeypatch.setattr(reads_module, "SAMPLED_EDGES", graph.num_arcs // 8)
    sampled = Reads(graph, 2, 0).seconds([Layout.of(placement)], KNOWN["gpu"])[0]
    assert sampled["search"] != whole["search"]
    assert sampled["search"] == pytest.approx(whole["search"], rel=0.15)


def test_what_is_looked_at_in_a_large_graph_does_not_grow_with_it(monkeypatch):
    graph = clew.generate.kronecker(14, 16, seed=1)
    for asked in (graph.num_arcs // 8, graph.num_arcs // 64):
        monkeypatch.setattr(reads_module, "SAMPLED_EDGES", asked)
        share = Reads(graph, 1, 0)._share
        assert share * graph.num_arcs == pytest.approx(asked, rel=0.2)


class Sorted(Strategy):
    """By length within both groups: not as rows lay before."""

    name = "sorted"

    def choose(self, graph):
        return np.arange(graph.num_vertices) % 3 > 0

    def place(self, graph, fast_memory=None):
        slow_first = Placement.from_mask(graph, self.choose(graph))
        ids = np.empty(graph.num_vertices, dtype=np.int64)
        ids[np.lexsort((graph.degrees(), slow_first.fast))] = np.arange(graph.num_vertices)
        return replace(slow_first, permutation=ids)


@settings(deadline=None)
@given(graph=graphs(min_vertices=1))
def test_rows_that_were_sorted_within_the_groups_are_counted_as_they_lie(graph):
    found = compare(graph, [Sorted()], speeds=LINK)[0]
    placed = found.placement.apply(graph)
    sweep = [(v, degree) for v, degree in enumerate(placed.degrees().tolist())]
    assert found.patterns["sweep"] == pytest.approx(seconds_by_hand(placed, sweep, LINK))


def test_lines_of_any_length():
    graph = clew.generate.kronecker(8, 8, seed=1)
    speeds = (Speed(1e9, 1e6, 24, 48), Speed(8e9, 1e8, 40, 0))
    found = compare(graph, [Random(1, 0.5)], speeds=speeds)[0]
    placed = found.placement.apply(graph)
    glance = [(v, min(2, degree)) for v, degree in enumerate(placed.degrees().tolist())]
    assert found.patterns["glance"] == pytest.approx(seconds_by_hand(placed, glance, speeds))


def speedups(graph):
    """By strategy, how many times faster than AllSlow over a GPU's link, as bench/gpu/memory/placements.py has it.

    There, half of the bytes of edges and weights were the budget of all strategies, which count offsets as well; as
    numbered, a true half of the edges was fast.
    """
    graph = clew.generate.random_weights(graph, 1, 255, seed=1)
    source = int(graph.degrees().argmax())
    depth = levels_from(graph, source)
    mean_size = int((depth >= 0).sum()) // (int(depth.max()) + 1)
    half = graph.num_arcs * 8 // 2
    tried = {
        "AllSlow": AllSlow(),
        "Degree": Degree(2, 80),
        "Frontier": Frontier(source, mean_size),
        "Interleave": Interleave(source, "1-1"),
        "Intraleave": Intraleave(source, "1-1"),
        "Random": Random(1, 0.5),
        "Hot": Hot(half),
        "Hot by cost": Hot(half, "cost"),
    }
    names = {strategy: name for name, strategy in tried.items()}
    ranked = compare(graph, tried.values(), half, speeds="gpu")
    seconds = {names[one.strategy]: one.seconds for one in ranked}
    offsets = graph.num_vertices * 8 // 2
    seconds["as numbered"] = compare(graph, [AsNumbered(half + offsets)], speeds="gpu")[0].seconds
    return {name: seconds["AllSlow"] / taken for name, taken in seconds.items()}


def test_strategies_rank_as_measured_on_a_kronecker_graph():
    # On an H200, kron22: as numbered 3.3 times AllSlow, Frontier 3.0; Random, Intraleave, Degree 2.6 to 2.3;
    # Interleave and Hot 1.7. In the model, as on kron23 (1.98, 2.34; 1.86, 1.89; 1.35), the first group is little ahead
    # of the second, so a tie within 2 % is allowed there; the third group must be apart.
    found = speedups(clew.generate.kronecker(17, 16, seed=1))
    middle = [found[name] for name in ("Random", "Intraleave", "Degree")]
    assert min(found["as numbered"], found["Frontier"]) > 0.98 * max(middle)
    assert 0.9 * min(middle) > max(found["Interleave"], found["Hot"])
    assert found["Hot"] == min(taken for name, taken in found.items() if name != "AllSlow")
    assert found["Hot by cost"] == max(found.values())


def test_strategies_rank_as_measured_on_a_grid():
    # On an H200, grid3000: as numbered 1.6; Interleave 1.4; Frontier, Intraleave, Degree, Random 1.3 to 1.4; Hot 1.26.
    found = speedups(clew.generate.grid(300, 300, delete=0.1, seed=1))
    others = [found[name] for name in ("Interleave", "Frontier", "Intraleave", "Degree", "Random")]
    assert found["as numbered"] > 1.1 * max(others)
    assert max(others) < 1.05 * min(others)
    assert found["Hot"] < min(others)


def test_short_rows_go_first_by_cost():
    graph = clew.generate.rmat(10, 8, 0.57, 0.19, 0.19, seed=1)
    lengths, chosen = graph.degrees(), Hot("8KiB", "cost").place(graph).fast
    assert lengths[chosen].max() <= lengths[~chosen & (lengths > 0)].min()
    assert (lengths[chosen] == 0).sum() < 8 < (lengths == 0).sum()  # nobody reads empty rows: they get what is left


def test_speeds_from_a_measurement():
    rates = Rates(read=20e9, write=1.0, random=8 * 50e6, size=1)
    assert Speed.measured(rates) == (20e9, 50e6, 64, 4096)
    assert Speed.measured(rates, "file").line == 4096
    assert Speed.measured(rates, "pinned")[2:] == KNOWN["gpu"][0][2:]
    link = KNOWN["gpu"][0]
    one_row = link.seconds(np.array(1), np.array(1))
    assert 128 / one_row == pytest.approx(7.7e9)  # rows of 128 bytes anywhere, as measured
    assert Speed(1e9).access == 0
    assert Speed(1e9, 1e12, 64).access == 0  # no memory is faster at random


@pytest.mark.parametrize(
    ("speeds", "said"),
    [
        ("warp", "speeds is 'warp'; expected one of 'gpu', 'mcdram'"),
        ((0.0, 1e9), "expected numbers above 0"),
        ((1e9, 2e9, 3e9), "expected a pair"),
        (Speed(1e9), "expected a pair"),
        (None, "expected a pair"),
        (5, "expected a pair"),
        ((1e9, math.inf), "where only the accesses may be infinite"),
        ((Speed(1e9, math.nan), 1e9), "expected numbers above 0"),
        ((Speed(1e9, 1e8, 64, -1), 1e9), "expected numbers above 0"),
        (("fast", "slow"), "expected numbers above 0"),
    ],
)
def test_speeds_that_are_wrong(speeds, said):
    with pytest.raises(clew.GraphError, match=said):
        compare(clew.generate.path(3), [AllSlow()], speeds=speeds)


@pytest.mark.parametrize(("wrong", "said"), [({"searches": -1}, "searches is -1"), ({"seed": -1}, "seed is -1")])
def test_samples_that_cannot_be_drawn(wrong, said):
    with pytest.raises(clew.GraphError, match=said):
        compare(clew.generate.path(3), [AllSlow()], **wrong)
