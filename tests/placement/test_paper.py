"""Table I and Figure 3 of the paper, and what each knob does.

Its text says what Figure 3 shows for Frontier and Interleave. Of Table I, bold type marks what is chosen, and of Figure
3c colours: what is expected there follows from the rules in the text.
"""

from __future__ import annotations

import numpy as np
import pytest

import clew
from clew.placement import AllFast, AllSlow, Degree, Frontier, Interleave, Intraleave, Random
from clew.placement.placement import level_sizes, levels_from
from tests.placement.example import IN_DEGREES, ROWS, example

pytestmark = pytest.mark.quick


def fast(strategy, graph=None):
    placement = strategy.place(example() if graph is None else graph)
    assert placement.num_fast + placement.boundary == placement.num_vertices
    return np.flatnonzero(placement.fast).tolist()


def test_the_example_is_the_papers():
    graph = example()
    assert graph.degrees().tolist() == [len(row) for row in ROWS.values()]
    assert graph.degrees("in").tolist() == IN_DEGREES


def test_table_1_degree():
    # Of vertex 3's children, 9(1) is at percentile 33, 6(2) at 67 and 4(3) at 100; of vertex 8's, 3(2), 2(3), 1(3).
    assert fast(Degree(out_degree=2, cutoff_percentile=80)) == [2, 3, 6, 9]


@pytest.mark.parametrize(
    ("out_degree", "cutoff", "chosen"),
    [
        (3, 80, []),  # no vertex has more than three out-edges
        (2, 0, []),
        (2, 33, []),  # 33.3 is not less than 33
        (2, 34, [3, 9]),
        (2, 100, [2, 3, 6, 9]),  # 100 is not less than 100
        (1, 80, [2, 3, 4, 6, 9]),  # of the pairs, the one at 50: 3 of (1, 3), 4 of (2, 4), 2 of (1, 2)
    ],
)
def test_degree_knobs(out_degree, cutoff, chosen):
    assert fast(Degree(out_degree, cutoff)) == chosen


def test_figure_3a_frontier():
    assert fast(Frontier(source=0, threshold=3)) == [2, 4, 6, 9]
    assert fast(Frontier(0, 1)) == [1, 2, 3, 4, 5, 6, 7, 8, 9]
    assert fast(Frontier(0, 0)) == list(range(10))
    assert fast(Frontier(0, 4)) == []


def test_figure_3b_interleave():
    assert fast(Interleave(source=0, ratio="1-2")) == [1, 2, 3, 4, 6, 9]
    assert fast(Interleave(0, (1, 1))) == [1, 3, 5, 7, 8]
    assert fast(Interleave(0, "0:1")) == list(range(10))
    assert fast(Interleave(0, "1-0")) == []


def test_figure_3c_intraleave():
    # Frontiers 0; 1 3; 2 4 6 9; 5 7 8: in each, one to slow memory, two to fast memory, one to slow memory, …
    assert fast(Intraleave(source=0, ratio="1-2")) == [3, 4, 6, 7, 8]
    assert fast(Intraleave(0, "1-1")) == [3, 4, 7, 9]


def test_random_depends_on_the_seed_alone():
    graph = clew.generate.path(10_000)
    assert fast(Random(1, 0.25), graph) == fast(Random(1, 0.25), graph)
    assert fast(Random(1, 0.25), graph) != fast(Random(2, 0.25), graph)
    assert abs(len(fast(Random(1, 0.25), graph)) - 2500) < 200
    assert fast(Random(1, 0.0)) == []
    assert fast(Random(1, 1.0)) == list(range(10))


def test_both_ends():
    assert (fast(AllFast()), fast(AllSlow())) == (list(range(10)), [])


def test_what_a_search_does_not_reach_is_slow():
    for strategy in (Frontier(5, 0), Interleave(5, "0-1"), Intraleave(5, "0-1")):
        assert fast(strategy) == [4, 5]


def test_the_ids_of_both_groups():
    placement = Degree(2, 80).place(example())
    assert placement.boundary == 6
    assert placement.permutation.tolist() == [0, 1, 6, 7, 2, 3, 8, 4, 5, 9]


def test_sources_are_names():
    graph = clew.Graph.from_edges(["a", "b", "b"], ["b", "c", "d"])
    assert fast(Frontier("a", 1), graph) == [2, 3]
    assert fast(Frontier("0", 3)) == [2, 4, 6, 9]  # as a command line has it
    for one, source in ((graph, "x"), (example(), "x"), (example(), 10), (example(), "10")):
        with pytest.raises(clew.GraphError, match=str(source)):
            Frontier(source, 1).place(one)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Degree(-1, 80), "out_degree is -1"),
        (lambda: Degree(2, 101), "cutoff_percentile is 101"),
        (lambda: Frontier(0, -1), "threshold is -1"),
        (lambda: Interleave(0, "0-0"), "ratio is '0-0'"),
        (lambda: Interleave(0, "1-2-3"), "ratio"),
        (lambda: Intraleave(0, (1, -1)), "ratio"),
        (lambda: Intraleave(0, 7), "ratio is 7"),
        (lambda: Random(-1, 0.5), "seed is -1"),
        (lambda: Random(1, 1.5), "bias is 1.5"),
    ],
)
def test_knobs_that_are_wrong(make, said):
    with pytest.raises(clew.GraphError, match=said):
        make()


@pytest.mark.parametrize("shape", ["kronecker", "path", "grid", "rmat, directed"])
def test_levels_are_those_of_a_search(shape):
    from tests.algorithms.graphs import LARGE, thread_count

    graph = LARGE[shape]()
    for count in (1, 3):
        with thread_count(count):
            depth = levels_from(graph, 7)
            assert np.array_equal(depth, clew.bfs(graph, 7, device="cpu").depth)
            assert level_sizes(graph, depth)[0].sum() == (depth >= 0).sum()
