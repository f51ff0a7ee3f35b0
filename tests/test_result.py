"""Results: arrays first, tables when asked for."""

from __future__ import annotations

import pickle
from copy import copy
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import clew
from clew import GraphError, Result
from clew.names import VertexNames
from clew.result import Trace


@pytest.fixture
def result() -> Result:
    values = {"score": np.array([0.5, 0.1, 0.9]), "parent": np.array([-1, 0, 1])}
    return Result("demo", values, names=VertexNames(["a", "b", "c"]), facts={"total": 1.5}, iterations=3)


@pytest.mark.quick
def test_values_and_facts_are_attributes(result):
    assert result.score[2] == 0.9
    assert result.total == 1.5
    assert {"score", "parent", "total"} <= set(dir(result))
    with pytest.raises(AttributeError, match="has no 'rank'; it has score, parent, total"):
        result.rank  # noqa: B018
    assert len(result) == 3
    assert repr(result) == "Result of demo: score: float64[3], parent: int64[3], total=1.5, iterations=3"


@pytest.mark.quick
def test_everything_comes_by_name(result):
    assert result.top(2) == [("c", 0.9), ("a", 0.5)]
    assert result.top(1, smallest=True) == [("b", 0.1)]
    assert result.to_dict() == {"a": 0.5, "b": 0.1, "c": 0.9}
    assert result.to_dict("parent") == {"a": None, "b": "a", "c": "b"}
    assert result.of("c", "parent") == "b"
    assert result.to_arrow().to_pylist()[0] == {"vertex": "a", "score": 0.5, "parent": None}
    assert list(result.to_pandas().columns) == ["vertex", "score", "parent"]
    with pytest.raises(GraphError, match="no value 'rank'"):
        result.top(1, "rank")


def test_without_names_vertices_are_integers():
    result = Result("demo", {"parent": np.array([0, 0])})
    assert result.to_dict() == {0: 0, 1: 0}
    assert result.top(5) == [(0, 0), (1, 0)]
    assert Result("demo", {"x": np.array([])}).top(3) == []


@settings(max_examples=80, deadline=None)
@given(
    hnp.arrays(
        st.sampled_from(["bool", "int8", "int64", "uint8", "uint64", "float32", "float64"]),
        st.integers(1, 30),
        elements=None,
    ),
    st.integers(1, 35),
    st.booleans(),
)
def test_top_is_a_stable_sort(values, k, smallest):
    if values.dtype.kind == "f":
        values = np.nan_to_num(values)
    found = [vertex for vertex, _ in Result("demo", {"x": values}).top(k, smallest=smallest)]
    order = sorted(range(len(values)), key=lambda v: values[v].item() if smallest else -values[v].item())
    assert found == order[:k]


def test_top_has_nan_last_and_refuses_two_dimensions():
    result = Result("demo", {"x": np.array([1.0, np.nan, 3.0]), "pairs": np.zeros((3, 2))})
    assert [vertex for vertex, _ in result.top(3)] == [2, 0, 1]
    assert [vertex for vertex, _ in result.top(2, smallest=True)] == [0, 2]
    with pytest.raises(GraphError, match="2 values per vertex"):
        result.top(2, "pairs")


@pytest.mark.quick
def test_traces_are_tables():
    trace = Trace({"frontier": np.array([1, 2])})
    assert len(trace) == 2
    assert trace["frontier"].tolist() == [1, 2]
    assert trace.to_arrow().column_names == ["iteration", "frontier"]
    assert len(Trace()) == 0
    with pytest.raises(KeyError, match="no column 'edges'; it has frontier"):
        trace["edges"]


def test_without_values_there_are_facts():
    result = Result("count", {}, facts={"total": 7})
    assert repr(result) == "Result of count: total=7, iterations=1"
    with pytest.raises(GraphError, match="no value per vertex, only total"):
        result.top(3)


@pytest.mark.quick
def test_a_value_of_no_vertex_is_refused():
    result = clew.bfs(clew.generate.path(3), 0)
    for wrong in (3, -1, "a", 1.5):
        with pytest.raises(GraphError, match=f"{wrong!r} is not a vertex; expected an integer from 0 to 2"):
            result.of(wrong)


def test_what_top_and_values_cannot_be_is_refused():
    result = clew.bfs(clew.generate.path(3), 0)
    for wrong in (2.5, "3", None):
        with pytest.raises(GraphError, match=f"k is {wrong!r}; expected an integer"):
            result.top(wrong)
    with pytest.raises(GraphError, match="k is -1; expected 0 or more"):
        result.top(-1)
    for call in (lambda: result.top(3, by=["depth"]), lambda: result.to_dict(["depth"])):
        with pytest.raises(GraphError, match=r"there is no value \['depth'\]; expected one of depth, parent"):
            call()
    with pytest.raises(KeyError, match="the trace has no column"):
        result.trace[["edges"]]


def test_checkers_call_vertices_by_their_names():
    graph = clew.Graph.from_edges(["a", "b"], ["b", "c"], directed=False)
    result = clew.coloring(graph)
    result.color[2] = -1
    with pytest.raises(clew.VerificationError, match="a colour is 0 or more; broken once, at vertex 'c'"):
        clew.verify.coloring(graph, result)


class OnGpu:
    """As much of a CuPy array as results ask for."""

    def __init__(self, array) -> None:
        self.array, self.dtype = array, array.dtype

    def get(self):
        return self.array.copy()


@pytest.mark.quick
def test_arrays_among_the_facts_come_to_the_host_with_the_values():
    here = Result("found", {"label": np.arange(3)}, facts={"count": 3, "sizes": np.ones(3), "names": {"get": 1}})
    assert here.numpy() is here
    for values, facts in ((OnGpu(np.arange(3)), np.ones(3)), (np.arange(3), OnGpu(np.ones(3)))):
        there = Result("found", {"label": values}, facts={"count": np.int64(3), "sizes": facts}, iterations=7)
        brought = there.numpy()
        assert (type(brought.label), type(brought.sizes), brought.count) == (np.ndarray, np.ndarray, 3)
        assert brought.sizes.tolist() == [1, 1, 1]
        assert brought.iterations == 7
        assert brought.numpy() is brought


def test_checkers_take_results_from_a_gpu():
    graph = clew.generate.path(4)
    found = clew.connected_components(graph)
    there = {"label": OnGpu(found.label)}
    clew.verify.connected_components(graph, Result("found", there, facts={**found.facts, "sizes": OnGpu(found.sizes)}))
    with pytest.raises(clew.VerificationError):
        clew.verify.connected_components(graph, Result("found", there, facts={**found.facts, "count": 2}))


def searches(graph, source, device="cpu"):
    """A result of every algorithm that may not reach a vertex, with one value per vertex."""
    yield clew.bfs(graph, source, device=device)
    for search in (clew.sssp, clew.bellman_ford, clew.sswp):
        for dtype in ("int32", "float64", "uint8", "bool"):
            yield search(graph.with_weights(np.ones(graph.num_arcs, dtype=dtype)), source, device=device)


@pytest.mark.parametrize("names", [None, ["a", "b", "c", "d"]])
def test_unreached_vertices_are_missing_everywhere_but_in_the_arrays(names):
    graph = clew.Graph.from_edges([0, 1, 3], [1, 2, 0], num_vertices=4, names=names)
    a, b, c, d = names or range(4)
    for result in searches(graph, a):
        value = next(iter(result.values))
        raw = result.values[value]
        assert result.reached.tolist() == [True, True, True, False]
        assert raw[3] == result.unreached, result
        assert result.num_reached == 3
        for smallest in (False, True):
            ranked = result.top(4, smallest=smallest)
            assert ranked[3] == (d, None)
            assert {name for name, _ in ranked[:3]} == {a, b, c}
        assert d not in dict(result.top(3))
        assert list(result.to_dict()) == list(result.to_dict("parent")) == [a, b, c]
        assert result.of(d) is result.of(d, "parent") is None
        assert result.of(b) == raw[1]
        table = result.to_arrow()
        assert [column.null_count for column in table.columns] == [0, 1, 1]
        assert table[value].to_pylist() == [*raw[:3].tolist(), None]
        frame = result.to_pandas()
        assert frame[value].isna().tolist() == frame["parent"].isna().tolist() == [False, False, False, True]
        assert frame[value].dropna().tolist() == raw[:3].tolist()


def test_a_mean_over_distances_is_one_over_what_was_reached():
    graph = clew.Graph.from_edges([0, 1, 3], [1, 2, 0], [2**60 + 1, 1, 1])
    frame = clew.sssp(graph).to_pandas()
    assert frame["distance"].tolist()[:3] == [0, 2**60 + 1, 2**60 + 2]  # no float could tell these apart
    assert frame["distance"].max() == 2**60 + 2
    assert clew.bfs(graph).to_pandas()["depth"].mean() == 1.0


def test_unreached_pairs_are_missing_in_tables():
    graph = clew.Graph.from_edges([0, 1], [1, 2])
    for result, expected in (
        (clew.multi_source_bfs(graph, [0, 1]), [[0, None], [1, 0], [2, 1]]),
        (clew.all_pairs(graph), [[0, 1, 2], [None, 0, 1], [None, None, 0]]),
        (clew.all_pairs(graph.with_weights([1.0, 1.0])), [[0, 1, 2], [None, 0, 1], [None, None, 0]]),
    ):
        column = next(iter(result.values))
        assert result.to_arrow()[column].to_pylist() == expected
        assert list(result.to_dict().values()) == expected
        assert result.reached.tolist() == [[value is not None for value in row] for row in expected]


def test_edges_that_cannot_be_taken_reach_nobody():
    """An infinite weight is no edge, and a sum that overflows is no path: inf always means unreached."""
    graph = clew.Graph.from_edges([0, 1, 2], [1, 2, 3], [1e308, 1e308, 1.0])
    for weights in (graph.weights, [1.0, np.inf, 1.0]):
        for search in (clew.sssp, clew.bellman_ford):
            result = search(graph.with_weights(weights))
            assert result.reached.tolist() == [True, True, False, False]
            assert result.num_reached == 2
            assert result.parent[2] == -1


def test_results_in_which_everyone_has_an_answer_have_no_mask():
    result = clew.connected_components(clew.generate.path(3))
    with pytest.raises(AttributeError, match="a result of connected_components has no 'reached'; it has label"):
        result.reached  # noqa: B018
    assert result.to_pandas()["label"].dtype.kind == "i"


def test_a_mask_goes_to_the_host_with_the_values():
    result = clew.bfs(clew.Graph.from_edges([0], [1], num_vertices=3), device="emulated").numpy()
    assert isinstance(result.reached, np.ndarray)
    assert result.reached.tolist() == [True, True, False]
    assert Result("found", {"depth": OnGpu(np.array([0, -1]))}, unreached=-1).numpy().top(2) == [(0, 0), (1, None)]


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 30), st.randoms(use_true_random=False))
def test_paths_follow_edges_from_the_source(count, random):
    graph = clew.generate.random_weights(
        clew.generate.uniform(count, 2 * count, seed=random.randint(0, 99)), 1, 9, seed=1
    )
    graph = graph.relabeled(np.arange(count)[::-1].copy())  # which gives it names
    found = clew.sssp(graph, graph.name(0))
    for vertex in range(count):
        name = graph.name(vertex)
        if not found.reached[vertex]:
            with pytest.raises(GraphError, match="there is no path to"):
                found.path_to(name)
            continue
        path = found.path_to(name)
        assert (path[0], path[-1]) == (graph.name(0), name)
        assert all(b in graph.neighbors(a) for a, b in pairwise(path))
        lengths = [found.of(each) for each in path]
        assert lengths == sorted(lengths)


def test_results_without_parents_have_no_paths():
    graph = clew.generate.path(3)
    assert clew.bfs(graph, 0).path_to(2) == [0, 1, 2]
    with pytest.raises(GraphError, match="a result of pagerank has no paths"):
        clew.pagerank(graph).path_to(2)
    with pytest.raises(GraphError, match="9 is not a vertex"):
        clew.bfs(graph, 0).path_to(9)


def _weight(graph, a, b):
    arcs = range(*graph.indptr[[graph.vertex(a), graph.vertex(a) + 1]])
    weights = graph.weights if graph.weighted else np.ones(graph.num_arcs)
    return min(weights[arc].item() for arc in arcs if graph.name(graph.indices[arc]) == b)


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("kind", [None, "int8", "float32", "float64", "negative"])
def test_paths_between_pairs_have_the_lengths_of_the_result(kind, directed):
    """Also with weights of 0, which do not lead round in circles, and with negative ones in an acyclic graph."""
    rng = np.random.default_rng(1)
    source, target = rng.integers(0, 25, 60), rng.integers(0, 25, 60)
    weights = None
    if kind == "negative":
        directed, source, target = True, np.minimum(source, target), np.maximum(source, target) + 1
        weights = rng.integers(-5, 5, 60) * 0.1
    elif kind is not None:
        weights = (rng.integers(0, 3, 60) * (1 if kind == "int8" else 0.1)).astype(kind)
    names = [f"v{vertex}" for vertex in range(26)]
    graph = clew.Graph.from_edges(source, target, weights, directed=directed, names=names)
    results = [clew.all_pairs(graph, method="floyd_warshall")]
    if kind != "negative":
        results += [clew.all_pairs(graph, method="sparse"), clew.multi_source_bfs(graph, names[:3])]
    for result in results:
        hops = result.algorithm == "multi_source_bfs"
        values, reached = np.asarray(result), result.reached
        for start, end in np.ndindex(3, 26):
            place = (end, start) if hops else (start, end)
            if not reached[place]:
                with pytest.raises(GraphError, match="there is no path to"):
                    result.path_to(names[end], names[start])
                continue
            path = result.path_to(names[end], names[start])
            assert (path[0], path[-1], len(set(path))) == (names[start], names[end], len(path))
            length = sum(1 if hops else _weight(graph, a, b) for a, b in pairwise(path))
            assert length == pytest.approx(values[place], rel=1e-5, abs=1e-6)


def test_paths_from_several_sources_need_one():
    graph = clew.generate.path(4)
    assert clew.multi_source_bfs(graph, [3]).path_to(1) == [3, 2, 1]
    several = clew.multi_source_bfs(graph, [0, 3])
    with pytest.raises(GraphError, match=r"has several sources; pass one: path_to\(name, source\)"):
        several.path_to(1)
    with pytest.raises(GraphError, match="2 is not one of the sources, such as 0"):
        several.path_to(1, 2)
    with pytest.raises(GraphError, match="several sources"):
        clew.all_pairs(graph).path_to(1)
    assert clew.bfs(graph, 0).path_to(2, 0) == [0, 1, 2]
    with pytest.raises(GraphError, match="the search started at 0 and not at 3"):
        clew.bfs(graph, 0).path_to(2, 3)


@pytest.mark.quick
def test_a_trace_says_what_it_has():
    trace = Trace({"frontier": np.array([1, 20]), "seconds": np.array([0.00012345, 1])})
    assert repr(trace).splitlines() == [
        "Trace: 2 iterations",
        "iteration  frontier   seconds",
        "        0         1  0.000123",
        "        1        20         1",
    ]
    assert repr(Trace()) == "Trace: 0 iterations"
    assert "\n        0      1" in repr(Trace.later(lambda: {"edges": np.array([1])}))  # fetched when it is looked at
    assert repr(Trace({"edges": np.arange(99)})).splitlines()[-2:] == ["        9      9", "…"]


@pytest.mark.parametrize("algorithm", ["bfs", "sssp", "bellman_ford"])
def test_results_go_to_other_processes(algorithm):
    graph = clew.Graph.from_edges(["a", "b"], ["b", "c"], [1, 2])
    result = getattr(clew, algorithm)(graph, "a")
    again = pickle.loads(pickle.dumps(result))
    assert again.path_to("c") == ["a", "b", "c"]
    assert again.to_arrow().equals(result.to_arrow())
    assert again.trace["edges"].tolist() == result.trace["edges"].tolist()


def test_samples_go_to_other_processes_and_are_copied():
    sample = clew.sample_neighbors(clew.Graph.from_edges(["a", "b"], ["b", "c"]), ["c"], fanouts=[1, 1])
    for again in (pickle.loads(pickle.dumps(sample)), copy(sample)):
        assert [ends.tolist() for ends in again.edges()] == [["b", "a"], ["c", "b"]]


def test_a_dict_does_not_lose_parallel_edges():
    graph = clew.Graph.from_edges(["a", "a", "b"], ["b", "b", "c"], [1, 5, 9])
    with pytest.raises(GraphError, match="parallel edges from 'a' to 'b' have different values"):
        clew.maximum_flow(graph, "a", "c").to_dict()
    assert clew.bridges(graph).to_dict() == {("a", "b"): False, ("b", "c"): True}
