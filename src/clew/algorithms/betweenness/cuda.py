"""Betweenness on a GPU: dependencies of sources on vertices, a block for each source or all of them for one.

With weights, the whole grid searches from one source after the other. Near-far finds the distances. One pass counts the
edges on shortest paths that lead to each vertex. A launch of betweenness.cuh counts paths and sums up dependencies.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from clew import build
from clew.adjacency import Adjacency
from clew.algorithms.betweenness import cpu, kernels, summary, with_lengths
from clew.algorithms.registry import Answer
from clew.algorithms.sssp.cuda import finished_search
from clew.algorithms.sssp.cuda import workspace as path_space
from clew.dtypes import Array, as_bits
from clew.engines.cuda.balance.launches import launch_over, share_of
from clew.engines.cuda.memory.device_graph import into_of, rows_on
from clew.engines.cuda.toolchain.device import GRID_BARRIER_WORDS, Device, blocks_for
from clew.errors import ResourceError
from clew.graph import Graph
from clew.progress import over
from clew.workspace import Workspace, result, scratch

THREADS = 512
BIG_ROW = 4096  # edges of a row from which on a block sums it up
SOURCES_PER_LAUNCH = 8  # of searches by the whole grid; then the host checks for Ctrl-C,
EDGES_PER_LAUNCH = 1 << 33  # or after this many edges, followed forward and backward
MANY_BYTES = 8 << 30  # memory for searches by one block each
ENTRIES = 1 << 26  # dependencies that a round of those keeps
#: The macros of a search for paths that its distances are read with.
OF_DISTANCES = ("weight_t", "value_t", "key_t", "WIDEST", "WORDS", "LINKS")
CONTROL_BYTES = 4 * GRID_BARRIER_WORDS + 4 * 8 + 5 * 8


def workspace(graph: Graph, teams: int = 1, in_round: int = 0, weighted: bool = False) -> Workspace:
    """The arrays of ``teams`` searches that run side by side, and of ``in_round`` rows of dependencies."""
    n = graph.num_vertices
    if weighted:
        return Workspace(centrality=result(n, np.float64, 0), **length_space(graph).deferred())
    searches = search_space(n, graph.num_arcs, graph.outgoing.id_dtype, graph.directed, teams)
    return Workspace(
        centrality=result(n, np.float64, 0),
        dependencies=scratch((in_round, n), np.float64, later=True),
        **searches.deferred(),
    )


def search_space(
    num_vertices: int,
    num_arcs: int,
    ids: np.dtype[Any],
    directed: bool,
    teams: int = 1,
    big_row: int = BIG_ROW,
    *,
    weighted: bool = False,
) -> Workspace:
    """The arrays of ``teams`` searches, in the order that the kernel takes them."""
    n = num_vertices
    marks = n if weighted else -(-n // 32) if directed else 0
    return Workspace(
        paths=scratch(teams * n, np.float64),
        along=scratch(teams * n, np.float64),
        depth=scratch(teams * n, ids),
        queue=scratch(teams * (n + 2), ids),
        long_rows=scratch(teams * most_long_rows(num_arcs, big_row), ids),
        levels=scratch(teams * (n + 2), ids),
        divided=scratch(teams * (n + 2), np.uint8),
        marks=scratch(teams * marks, np.uint32),
        control=scratch(teams * CONTROL_BYTES, np.uint8, 0),
    )


def length_space(graph: Graph) -> Workspace:
    """The arrays of a weighted search, and those of the search for its distances."""
    searches = search_space(graph.num_vertices, graph.num_arcs, graph.outgoing.id_dtype, graph.directed, weighted=True)
    distances = {f"distances: {name}": space for name, space in path_space(with_sums(graph)) if space.role == "scratch"}
    return Workspace(**searches.spaces, **distances)


def most_long_rows(num_arcs: int, big_row: int = BIG_ROW) -> int:
    """How many long rows a level may have at most."""
    return 2 * (num_arcs // big_row) + 1


def betweenness(device: Device, graph: Graph, sources: Array, scale: Any, weighted: bool) -> Answer:
    """The dependencies on every vertex, scaled."""
    scale = device.upload(scale) if isinstance(scale, np.ndarray) else scale
    centrality = (weighted_dependencies if weighted else dependencies)(device, graph, sources)
    centrality *= scale
    return summary(graph, sources, centrality)


def dependencies(
    device: Device,
    graph: Graph,
    sources: Array,
    *,
    many: bool | None = None,
    large: float = cpu.LARGE,
    threads: int = THREADS,
    **constants: int,
) -> Any:
    """For every vertex, the sum of the sources' dependencies on it (float64, on the device).

    ``many`` says whether every source gets a block of its own. Otherwise all blocks work on one source after the other.
    The default is True where there are enough sources to fill the device, and memory for their searches. The sum for
    one source is the same either way. ``constants`` (BIG_ROW, SHORT_ROW, NARROW) replace those of the kernel.
    """
    rows, into = distinct_rows(device, graph)
    total = workspace(graph).allocate(device).centrality
    if sources.size == 0:
        return total
    search = Searches(device, rows, into, large, {"BIG_ROW": BIG_ROW, **constants})

    def wide(failed: Array) -> None:
        for source in failed:
            row = np.empty(graph.num_vertices)
            kernels.wide_dependencies(rows.unsigned(), as_bits(np.array([source]))[0], row)
            total[...] += device.upload(row)

    at_once = MANY_BYTES // max(1, search.space(1).nbytes)
    if many is None:
        many = a_block_each_pays(sources.size, at_once, device.num_processors)
    if many:
        try:
            search.run(sources, total, wide, max(1, at_once), threads)
            return total
        except ResourceError:
            total.fill(0)  # less memory is free than there might be
    search.run(sources, total, wide, 0, threads)
    return total


def weighted_dependencies(
    device: Device, graph: Graph, sources: Array, *, large: float = cpu.LARGE, **constants: int
) -> Any:
    """The same for paths whose lengths are sums of weights; the CPU searches where there are too many paths."""
    total = workspace(graph, weighted=True).allocate(device).centrality
    if sources.size:
        rows, into = distinct_rows(device, with_sums(graph), weighted=True)
        search = Searches(device, rows, into, large, {"BIG_ROW": BIG_ROW, **constants}, weighted=True)
        failed = search.run_by_length(sources, total)
        if failed.size:
            total += device.upload(cpu.weighted_dependencies(graph, failed))
    return total


def with_sums(graph: Graph) -> Graph:
    """The graph with weights whose sums are those of float64: integers may stay what they are."""
    assert graph.weights is not None
    return with_lengths(graph, weighted=True) if graph.weights.dtype.kind == "f" else graph


def a_block_each_pays(num_sources: int, at_once: int, num_processors: int) -> bool:
    """Whether there are sources, and memory for their searches, to keep every processor busy."""
    return min(num_sources, at_once) >= num_processors


class Searches:
    """The graph, and how to start searches on it."""

    def __init__(
        self,
        device: Device,
        rows: Adjacency,
        into: Adjacency | None,
        large: float,
        constants: dict[str, int],
        *,
        weighted: bool = False,
    ) -> None:
        self.device, self.large, self.constants, self.weighted = device, large, constants, weighted
        parts = 1 if into is None else 2
        self.out = rows_on(device, rows, weights=weighted, parts=parts)
        self.into = None if into is None else rows_on(device, into, weights=weighted, parts=parts)
        self.index = np.dtype(self.out.neighbours.dtype)

    def space(self, teams: int) -> Workspace:
        """The arrays of searches that run side by side."""
        size, big_row = (self.out.num_vertices, self.out.num_arcs), self.constants["BIG_ROW"]
        return search_space(*size, self.index, self.into is not None, teams, big_row, weighted=self.weighted)

    def run(
        self, sources: Array, total: Any, wide: Callable[[Array], None], at_once: int = 0, threads: int = THREADS
    ) -> None:
        """Add the dependencies of all sources: with a block for each of ``at_once`` sources, or all blocks for one.

        ``at_once`` is 0 for the latter. Else, rows of dependencies are added in the order of the sources. ``wide`` adds
        those of sources whose counts lie too far apart for a float64.
        """
        device, n, many = self.device, self.out.num_vertices, at_once > 0
        # Searches that take a few tenths of a second together, or one.
        per_launch = max(1, share_of(EDGES_PER_LAUNCH, self.out) // (self.out.num_arcs + n))
        kernel, blocks, in_round = self.kernel("betweenness", many), 1, min(SOURCES_PER_LAUNCH, per_launch)
        if many:
            blocks = min(device.resident_blocks(kernel, threads), at_once, sources.size)
            in_round = min(sources.size, max(blocks, min(ENTRIES // n, per_launch)))
        memory = tuple(vars(self.space(blocks).allocate(device)).values())
        found = device.empty((in_round, n), np.float64) if many else total
        for start in over(range(0, sources.size, in_round), "searching", unit="sources"):
            chosen = sources[start : start + in_round]
            failed, taken = device.empty(chosen.size, np.uint8), device.zeros(1, np.uint32)
            there = device.upload(chosen.astype(np.int64))
            arguments = self.arguments(there, memory, found, failed, taken)
            if many:
                device.launch(kernel, min(blocks, chosen.size), threads, *arguments)
                given = (self.index.type(n), np.uint64(chosen.size), found, failed, total)
                device.launch(self.kernel("add_dependencies", many), blocks_for(device, n, 256), 256, *given)
            else:
                device.launch_cooperative(kernel, threads, *arguments, cluster=device.cluster_size)
            wide(chosen[np.flatnonzero(device.download(failed))])

    def run_by_length(self, sources: Array, total: Any) -> Array:
        """Add the weighted dependencies of all sources; returns those of them that have too many paths to a vertex."""
        device = self.device
        memory = self.space(1).allocate(device)
        there, failed = device.upload(sources.astype(np.int64)), device.zeros(sources.size, np.uint8)
        for place in over(range(sources.size), "searching", unit="sources"):
            one = slice(place, place + 1)
            search = finished_search(device, self.out, int(sources[place]))
            memory.marks.fill(0)
            search.over_edges("count_tight_edges", memory.marks)
            given = self.arguments(there[one], tuple(vars(memory).values()), total, failed[one], None)
            kernel = self.kernel(
                "betweenness", False, WEIGHTED=1, **{name: search.ready.defines[name] for name in OF_DISTANCES}
            )
            lengths = self.out.weights, None if self.into is None else self.into.weights
            distances = search.words, *lengths, search.ready.ends[1]
            device.launch_cooperative(kernel, THREADS, *given, *distances, cluster=device.cluster_size)
            search.end()
        chosen: Array = sources[np.flatnonzero(device.download(failed))]
        return chosen

    def kernel(self, name: str, many: bool, **macros: Any) -> Any:
        """A kernel for these rows."""
        wide = {macro: self.out.defines[macro] for macro in ("index_t", "offset_t")}
        variant = {"DIRECTED": int(self.into is not None), "MANY": int(many), "CLUSTER": self.device.cluster_size}
        return self.device.kernel("betweenness.cuh", name, {**wide, **variant, **self.constants, **macros})

    def arguments(
        self, sources: Any, memory: tuple[Any, ...], dependency: Any, failed: Any, taken: Any
    ) -> tuple[Any, ...]:
        """What the kernel takes: ``sources`` are on the device, ``memory`` is that of ``space``."""
        into = (None, None) if self.into is None else (self.into.offsets, self.into.neighbours)
        n = self.index.type(self.out.num_vertices)
        most_long = most_long_rows(self.out.num_arcs, self.constants["BIG_ROW"])
        graph = (n, self.out.offsets, self.out.neighbours, *into)
        limits = (np.uint64(sources.size), np.float64(self.large), np.uint64(most_long))
        return (*graph, sources, *limits, *memory[:-1], dependency, failed, taken, memory[-1])


def distinct_rows(device: Device, graph: Graph, *, weighted: bool = False) -> tuple[Adjacency, Adjacency | None]:
    """The out-edges and, of a directed graph, the in-edges; without duplicates, on the host.

    Of duplicates of a ``weighted`` graph, the shortest stays.
    """
    rows = _without_duplicates(device, graph.outgoing, weighted)
    return rows, _without_duplicates(device, into_of(device, graph), weighted) if graph.directed else None


def _without_duplicates(device: Device, rows: Adjacency, weighted: bool) -> Adjacency:
    """The rows themselves where no edge is there twice: a path over either of two equal edges is one path."""
    there = rows_on(device, rows, weights=weighted)

    def are_distinct() -> bool:
        found = device.zeros(1, np.uint32)
        wide = {macro: there.defines[macro] for macro in ("index_t", "offset_t")}
        macros, n = {**wide, "DIRECTED": 0, "MANY": 0}, there.num_vertices
        given = (there.neighbours.dtype.type(n), there.offsets, there.neighbours, found)
        launch_over(device, "betweenness.cuh", "find_duplicates", macros, n * 32, *given)
        return not device.download(found)[0]

    if there.once("distinct", are_distinct):
        return rows
    weights, keep = (rows.weights, "min") if weighted else (None, "drop")
    return build.from_rows(rows.indptr, rows.indices, weights, directed=True, duplicates=keep, loops="drop").adjacency
