"""Placed graphs: the same graph, the same answers, bytes counted and budgets kept."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew.io import ligra
from clew.placement import (
    AllFast,
    AllSlow,
    AsNumbered,
    Degree,
    Frontier,
    Hot,
    Interleave,
    Intraleave,
    Placement,
    Random,
    Strategy,
    compare,
    parse_bytes,
    parse_strategy,
)
from clew.placement import heat as heat_module
from clew.placement import placement as placement_module
from clew.placement.heat import HEAT
from tests.algorithms.graphs import graphs, thread_count
from tests.placement.example import example

STRATEGIES = [
    Degree(1, 80),
    Frontier(0, 1),
    Interleave(0, "1-2"),
    Intraleave(0, "1-2"),
    Random(3, 0.5),
    AllFast(),
    AllSlow(),
    Hot(100),
    Hot(100, "pagerank"),
    Hot("0.1KB", "access"),
    Hot(100, "cost"),
    AsNumbered(100),
]


def row_bytes(graph):
    return graph.degrees() * (graph.indices.itemsize + (graph.weights.itemsize if graph.weighted else 0)) + 8


@settings(deadline=None)
@given(graph=graphs(min_vertices=1), strategy=st.sampled_from(STRATEGIES), data=st.data())
def test_a_placed_graph_is_the_same_graph_renumbered(graph, strategy, data):
    if data.draw(st.booleans()):
        graph = clew.generate.random_weights(graph, 1, 9)
    budget = data.draw(st.none() | st.integers(0, int(row_bytes(graph).sum())))
    placement = strategy.place(graph, budget)
    placed = placement.apply(graph)
    assert placed == graph.relabeled(placement.permutation)
    assert (placement.permutation[placement.fast] >= placement.boundary).all()
    assert placement.fast_bytes == row_bytes(graph)[placement.fast].sum()
    assert placement.slow_bytes + placement.fast_bytes == row_bytes(graph).sum()
    assert budget is None or placement.fast_bytes <= budget
    again = Placement.of(placed)
    assert np.array_equal(again.permutation, placement.permutation)
    assert (again.boundary, again.slow_bytes, again.fast_bytes, again.strategy) == (
        placement.boundary,
        placement.slow_bytes,
        placement.fast_bytes,
        placement.strategy,
    )


ALGORITHMS = {
    "bfs": ("depth", lambda g: clew.bfs(g, 0)),
    "sssp": ("distance", lambda g: clew.sssp(g, 0)),
    "sswp": ("width", lambda g: clew.sswp(g, 0)),
    "bellman_ford": ("distance", lambda g: clew.bellman_ford(g, 0)),
    "pagerank": ("rank", clew.pagerank),
    "k_core": ("core", lambda g: clew.k_core(g.symmetrized())),
    "triangles": ("count", lambda g: clew.triangles(g.symmetrized("min"))),
    "connected_components": (None, clew.connected_components),
}


@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.parametrize("strategy", [Degree(4, 80), Intraleave(0, "1-2"), Hot("64KiB")], ids=str)
def test_results_are_those_of_the_unplaced_graph(name, strategy):
    value, run = ALGORITHMS[name]
    graph = clew.generate.rmat(11, 8, 0.45, 0.22, 0.22, seed=2, duplicates="drop", loops="drop")
    graph = clew.generate.random_weights(graph, 1, 99)
    placement = strategy.place(graph)
    assert 0 < placement.boundary < graph.num_vertices
    placed, plain = run(placement.apply(graph)), run(graph)
    if value is None:  # labels are vertices, and which one stands for a component is up to the algorithm
        labels = placement.restore(placed.label, vertices=True)
        pairs = {(a, b) for a, b in zip(labels.tolist(), plain.label.tolist(), strict=True)}
        assert len(pairs) == len(np.unique(labels)) == len(np.unique(plain.label))
        return
    same = np.allclose if name == "pagerank" else np.array_equal
    assert same(placement.restore(placed.values[value]), plain.values[value])
    by_name, expected = placed.to_dict(value), plain.to_dict(value)
    assert set(by_name) == set(expected)
    assert all(by_name[vertex] == pytest.approx(expected[vertex]) for vertex in expected)


def test_parents_come_back_as_old_ids():
    graph = example()
    placement = Degree(2, 80).place(graph)
    found = clew.bfs(placement.apply(graph), 0)
    parents = placement.restore(found.parent, vertices=True)
    assert parents[0] == 0
    assert all(int(v) in graph.neighbors(int(u)) for v, u in enumerate(parents) if v)
    unreached = placement.restore(clew.bfs(placement.apply(graph), 5).parent, vertices=True)
    assert (unreached == -1).sum() == 8


@pytest.mark.quick
def test_names_come_along():
    graph = clew.Graph.from_edges(["a", "b", "b", "b"], ["b", "c", "d", "a"], [1, 2, 3, 4])
    placement = Degree(1, 80).place(graph)
    placed = placement.apply(graph)
    assert sorted(placed.neighbors("b")) == ["a", "c", "d"]
    assert clew.sssp(placed, "a").to_dict("distance") == {"a": 0, "b": 1, "c": 3, "d": 4}


def test_a_permutation_that_also_sorts_within_the_groups():
    graph = example()
    moved = np.array([5, 4, 3, 2, 1, 0, 9, 8, 7, 6])
    placed = Placement(moved, 6, 0, 0).apply(graph)
    assert placed == graph.relabeled(moved)


def test_another_graph_is_refused():
    with pytest.raises(clew.GraphError, match="placement has 10 vertices"):
        AllFast().place(example()).apply(clew.generate.path(3))


def test_a_boundary_out_of_range_is_refused():
    wrong = clew.Graph(example().outgoing, metadata={"placement_boundary": 11})
    with pytest.raises(clew.GraphError, match="boundary is 11"):
        Placement.of(wrong)
    assert Placement.of(example()) is None


def test_ligra_finds_the_boundary():
    assert placement_module.BOUNDARY == ligra.BOUNDARY


@pytest.mark.quick
def test_an_empty_graph():
    graph = clew.Graph.from_edges([], [], num_vertices=0)
    for strategy in (
        Degree(1, 80),
        Random(0, 0.5),
        AllFast(),
        Hot("1GiB"),
        Hot(0, "pagerank"),
        Hot(9, "access"),
        Hot(9, "cost"),
        AsNumbered(9),
    ):
        placement = strategy.place(graph)
        assert (placement.boundary, placement.apply(graph).num_vertices) == (0, 0)


# ------------------------------------------------------------------ budgets


@pytest.mark.quick
def test_budgets_of_nothing_of_one_row_and_of_everything():
    graph = example()
    sizes = row_bytes(graph)
    for by in ("degree", "pagerank", "access", "cost"):
        assert Hot(0, by).place(graph).num_fast == 0
        assert Hot(int(sizes.sum()), by).place(graph).boundary == 0
        assert Hot(int(sizes.sum()) - 1, by).place(graph).boundary == 1
        assert Hot(int(sizes.min()), by).place(graph).num_fast == 1
    assert np.flatnonzero(AllFast().place(graph, int(sizes[0])).fast).tolist() == [0]
    assert AllFast().place(graph, int(sizes[0]) - 1).fast_bytes <= sizes[0] - 1


def test_the_hottest_go_first_and_what_is_too_large_is_passed_over():
    star = clew.generate.star(100)  # every leaf leads to the hub, whose row is the largest
    hub = int(star.degrees().argmax())
    assert Hot(int(row_bytes(star)[hub])).place(star).fast[hub]
    small = Hot(int(row_bytes(star)[hub]) - 1).place(star)
    assert not small.fast[hub]
    assert small.num_fast > 1
    graph = clew.generate.rmat(10, 8, 0.57, 0.19, 0.19, seed=1)
    heat, chosen = graph.degrees("in"), Hot("8KiB").place(graph).fast
    assert heat[chosen].mean() > 3 * heat.mean()
    for by in ("pagerank", "access"):
        assert heat[Hot("8KiB", by).place(graph).fast].mean() > 2 * heat.mean()


@settings(deadline=None)
@given(
    graph=graphs(min_vertices=1),
    by=st.sampled_from(["degree", "pagerank", "access", "cost"]),
    part=st.floats(0, 1),
    rounds=st.sampled_from([0, 1, 2, 8]),
    digit=st.sampled_from([1, 2, 11]),
)
def test_the_hottest_are_those_that_fit_one_after_the_other(graph, by, part, rounds, digit):
    sizes, heat = row_bytes(graph), HEAT[by](graph)
    left, expected = int(part * sizes.sum()), np.zeros(graph.num_vertices, dtype=bool)
    budget = left
    for v in sorted(range(graph.num_vertices), key=lambda v: (-heat[v], v)):
        if sizes[v] <= left:
            left -= int(sizes[v])
            expected[v] = True
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(heat_module, "ROUNDS", rounds)
        changed.setattr(heat_module, "DIGIT", digit)
        assert np.array_equal(Hot(budget, by).choose(graph), expected)


def test_chosen_rows_that_fit_are_kept_in_order_of_ids():
    graph = clew.generate.star(6)
    hub, leaf = int(row_bytes(graph).max()), int(row_bytes(graph).min())
    assert AllFast().choose_within(graph, hub - 1).tolist() == [False] + [True] * ((hub - 1) // leaf) + [False] * (
        5 - (hub - 1) // leaf
    )
    assert AllFast().choose_within(graph, None).all()


class Own(Strategy):
    """A user's strategy, which chooses whatever it was told."""

    name = "own"

    def __init__(self, chosen):
        self.chosen = chosen

    def choose(self, graph):
        return self.chosen

    def __str__(self):
        return self.name


def test_a_strategy_of_ones_own_may_choose_by_ids_with_a_budget_too():
    graph, chosen = clew.generate.star(6), np.array([1, 4])
    for budget in (None, "1KiB"):
        assert np.flatnonzero(Own(chosen).place(graph, budget).fast).tolist() == [1, 4]
    assert np.array_equal(chosen, [1, 4])


@pytest.mark.parametrize("budget", [None, "1KiB"])
def test_a_mask_of_the_wrong_size_is_refused_with_a_budget_too(budget):
    with pytest.raises(clew.GraphError, match="expected one entry per vertex"):
        Own(np.ones(7, dtype=bool)).place(clew.generate.star(6), budget)


def test_chance_is_one_sequence_however_many_draw_from_it():
    graph = clew.generate.path(200_000)
    expected = np.random.default_rng(5).random(graph.num_vertices) < 0.3
    for count in (1, 3):
        with thread_count(count):
            assert np.array_equal(Random(5, 0.3).choose(graph), expected)


def test_the_smaller_of_two_budgets_holds():
    graph = clew.generate.rmat(10, 8, seed=1)
    for strategy in (Hot("8KiB"), AsNumbered("8KiB")):
        assert strategy.place(graph, "4KiB").fast_bytes <= 4096
        assert 4096 < strategy.place(graph, "1GiB").fast_bytes <= 8192


def test_placements_do_not_depend_on_threads():
    graph = clew.generate.rmat(14, 16, 0.57, 0.19, 0.19, seed=1)
    strategies = [Degree(8, 80), Frontier(1, 100), Intraleave(1, "1-2"), Hot("128KiB", "access"), Hot(9999, "pagerank")]
    strategies += [Hot(9999, "cost"), Random(1, 0.3)]
    for strategy in strategies:
        made = []
        for count in (1, 3):
            with thread_count(count):
                placement = strategy.place(graph)
                made.append((placement.permutation, placement.apply(graph)))
        assert np.array_equal(made[0][0], made[1][0])
        assert made[0][1] == made[1][1]


# ------------------------------------------------------------------ comparing


def test_two_memories_at_once_beat_either():
    graph = clew.generate.rmat(12, 16, seed=1)
    total = int(row_bytes(graph).sum())
    hub = int(graph.degrees().argmax())
    ranked = compare(graph, [AllSlow(), AllFast(), Random(0, 0.8), Interleave(hub, "1-1")], speeds=(1e9, 4e9))
    seconds = {compared.strategy.name: compared.seconds for compared in ranked}
    assert [compared.seconds for compared in ranked] == sorted(seconds.values())
    assert ranked[0].strategy == Random(0, 0.8)  # four fifths in the memory that is four times as fast
    assert seconds["all_slow"] == pytest.approx(4 * seconds["all_fast"])
    assert seconds["all_fast"] <= 3 * total / 4e9  # three searches


def test_auto_was_removed_and_the_error_says_what_to_use():
    for asked in (lambda: clew.placement.Auto, lambda: parse_strategy("auto:fast_memory=1"), import_auto):
        with pytest.raises(clew.GraphError, match=r'Auto was removed.*Hot\(fast_memory, by="cost"\).*hot:by=cost'):
            asked()
    with pytest.raises(AttributeError, match=r"'clew\.placement' has no attribute 'Best'"):
        clew.placement.Best  # noqa: B018


def import_auto():
    from clew.placement import Auto  # noqa: F401


# ------------------------------------------------------------------ texts


@pytest.mark.parametrize(
    ("text", "expected"),
    [("0", 0), ("8GiB", 8 << 30), ("8 gib", 8 << 30), ("1.5K", 1500), ("2MiB", 2 << 20), ("3TB", 3 * 10**12),
     (".5KiB", 512), ("10B", 10), (7, 7), (np.int64(7), 7), ("9007199254740993", 9007199254740993)],
)  # fmt: skip
def test_amounts_of_memory(text, expected):
    assert parse_bytes(text) == expected


@pytest.mark.parametrize("text", ["", "GiB", "-1", -1, "8 furlongs", "1e9", None, True, 1.5, "0x10", "٣"])
def test_what_is_no_amount_of_memory(text):
    with pytest.raises(clew.GraphError, match="amount of memory"):
        parse_bytes(text)


@pytest.mark.parametrize("strategy", STRATEGIES, ids=str)
def test_strategies_as_text(strategy):
    assert str(parse_strategy(str(strategy))) == str(strategy)
    graph = example()
    assert np.array_equal(parse_strategy(str(strategy)).place(graph).permutation, strategy.place(graph).permutation)


def test_short_names():
    assert parse_strategy("degree:out_degree=2,cutoff=80") == Degree(2, 80)
    assert parse_strategy(" all-fast ") == AllFast()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nonsense", "there is no strategy 'nonsense'; expected one of degree, frontier"),
        ("degree", "degree needs out_degree, cutoff_percentile; expected degree:out_degree="),
        ("degree:out_degree=2", "needs cutoff_percentile"),
        ("degree:out_degree=two,cutoff=80", "'two' is not an integer"),
        ("random:seed=1,bias=x", "'x' is not a number"),
        ("degree:out_degree=2,cutoff=80,speed=9", "'speed=9' is not an option of degree"),
        ("degree:out_degree=2,cutoff=80,cutoff=70", "at most once"),
        ("all_fast:x", "expected all_fast alone"),
        ("hot:fast_memory=lots", "'lots' is not an amount of memory"),
        ("hot:fast_memory=1,by=luck", "by is 'luck'; expected one of 'degree'"),
    ],
)
def test_texts_that_are_wrong(text, said):
    with pytest.raises(clew.GraphError, match=said):
        parse_strategy(text)


def test_numbers_beyond_64_bits_are_very_many():
    graph, many = example(), 10**30
    assert Degree(many, 80).place(graph).num_fast == 0
    assert Frontier(0, many).place(graph).num_fast == 0
    for kind in (Interleave, Intraleave):
        assert kind(0, (many, many)).place(graph).num_fast == 0
        assert kind(0, (0, many)).place(graph).boundary == kind(0, (0, 1)).place(graph).boundary


def test_a_source_that_is_no_vertex():
    graph = example()
    with pytest.raises(clew.GraphError, match="'x' is not a vertex: the vertices of this graph are integers"):
        Frontier("x", 1).place(graph)
    with pytest.raises(clew.GraphError) as asked:
        graph.vertex(1000)
    with pytest.raises(clew.GraphError) as said:
        Frontier("1000", 1).place(graph)
    assert str(said.value) == str(asked.value)
