"""A cluster on paper: the real partition and messages for up to 1,024 workers, counted, and time by a model.

Counted on a Kronecker graph: edges per block, the bytes that every worker sends in a superstep of bfs and PageRank, and
the slowest worker of each superstep. Time follows from constants that are measured here (CPU time per arc), measured
before (7 µs per peer and exchange), and stated (cores, latency and bandwidth of hosts).
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import clew
from clew import threads
from clew.engines.cluster import kernels_narrow as narrowing
from clew.engines.cluster import kernels_superstep as superstep
from clew.engines.cluster.hubs import sample_partition, sampled
from clew.engines.cluster.kernels_sockets import HEADER
from clew.engines.cluster.overlap import number_of_parts
from clew.engines.cluster.partition import Grid, Partition
from clew.plan.cluster import PEER

FRAME = HEADER + superstep.HEAD  # bytes of a message besides its places
NEVER = 127  # the level of an offer that no block makes
LATENCY = 10e-6  # seconds of a network per exchange
#: What a host has: cores, what they are worth together (they share memory), and bits per second of its link.
HOSTS = {"100 Gbit/s, 32 cores": (16, 100e9), "25 Gbit/s, 32 cores": (16, 25e9), "25 Gbit/s, 1 core": (1, 25e9)}
PER_HOST = 26  # weak scaling: 2^26 vertices and 2^31 arcs on every host
DEGREE = 32
# Published, for comparison: graph500-26 on 4 hosts of 32 threads; GTEPS per node or GPU of Graph500.
GRAPE = {"bfs": 0.20, "pagerank": 2.42}
GRAPH500 = {"Fugaku, per node": 1.3, "H100, per GPU": 50.0}
GRAPE_ROUNDS = 10


@dataclass
class Counts:
    """What one number of workers needs. Bytes are those of the worker that sends or receives most."""

    workers: int
    vertices: int
    balance: float  # edges of the largest block by those of the mean one
    search_steps: list[tuple[float, int]]  # share of a host's edges on the slowest worker, bytes of the busiest
    search_bytes: int  # of all workers, parents not included
    parent_bytes: int
    most_parent_bytes: int
    values: int  # that a round of PageRank sends, all workers
    most_values: int

    @property
    def peers(self) -> int:
        """The others that a worker talks to."""
        grid = Grid(self.workers)
        return grid.rows + grid.columns - 2


def count(graph: clew.Graph, depth: Any, workers: int) -> Counts:
    """Partition the graph, and pack all messages of a search and of a round of PageRank."""
    grid = Grid(workers)
    source, target = np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr)), graph.indices.astype(np.int64)
    partition = sample_partition(graph.num_vertices, grid, *sampled([source, target], 1))
    worker, row, column = partition.edges(source, target)
    level = np.where(depth < 0, NEVER - 1, depth).astype(np.int8)[source]
    blocks = np.bincount(worker, minlength=workers)
    followed = [np.bincount(worker[level == k], minlength=workers) for k in range(int(depth.max()) + 1)]
    # Of every block: the level at which it first offers each of its columns, and the rows that it has edges of.
    offers = np.full((workers, partition.columns), NEVER, np.int8)
    np.minimum.at(offers, (worker, column), level)
    used = np.zeros((workers, partition.rows), np.bool_)
    used[worker, row] = True
    owned = [partition.owned(rank) for rank in range(workers)]
    steps, total = [], 0
    for k, edges in enumerate(followed):
        busiest, whole = _search_bytes(partition, used, offers, [depth[ids] == k for ids in owned], k)
        steps.append((float(edges.max() * workers / graph.num_arcs), busiest))
        total += whole
    parents, most_parents = _parent_bytes(partition, offers, [depth[ids] for ids in owned])
    sent = _values(partition, used, offers < NEVER)
    return Counts(
        workers,
        graph.num_vertices,
        float(blocks.max() / blocks.mean()),
        steps,
        total,
        parents,
        most_parents,
        int(sent.sum()),
        int(sent.max()),
    )


def _search_bytes(partition: Partition, used: Any, offers: Any, frontier: list[Any], level: int) -> tuple[int, int]:
    """The bytes of one level: of the worker that sends most, and of all. The messages are packed as members do.

    They are about the rows and columns that have edges in the block.
    """
    grid, segment = partition.grid, partition.segment
    room = np.empty(superstep.HEAD + segment * 2 + 64, np.uint8)
    sent = np.zeros(grid.workers, np.int64)
    for rank, mine in enumerate(frontier):
        place = grid.row_of(rank).index(rank) * segment
        for member in grid.row_of(rank):
            if member != rank:
                sent[rank] += _packed(mine[used[member, place : place + mine.size]], room)
        for k, owner in enumerate(grid.column_of(rank)):
            if owner != rank:
                offered = offers[rank, k * segment : (k + 1) * segment]
                sent[rank] += _packed(offered[offered < NEVER] == level, room)
    return int(sent.max()), int(sent.sum())


def _packed(mask: Any, room: Any) -> int:
    """The bytes of a message with the places of a mask, without its head, which does not grow with the graph."""
    places = np.flatnonzero(mask).astype(np.int32)
    return int(superstep.pack(places, places.size, mask.size, room)) - superstep.HEAD


def _parent_bytes(partition: Partition, offers: Any, depths: list[Any]) -> tuple[int, int]:
    """After the search: an owner asks a member that offered a vertex for its parent, a row of that member's block.

    It takes the offer of its own block where there is one. The parent of the first level is the source.
    """
    grid, segment = partition.grid, partition.segment
    room = np.empty(superstep.HEAD + segment * 2 + 64, np.uint8)
    sent = np.zeros(grid.workers, np.int64)
    for rank, mine in enumerate(depths):
        place = grid.column_of(rank).index(rank) * segment
        asked = (mine <= 1) | (offers[rank, place : place + mine.size] == mine - 1)
        for member in grid.column_of(rank):
            if member != rank:
                gives = (offers[member, place : place + mine.size] == mine - 1) & ~asked
                asked |= gives
                sent[rank] += _packed(gives, room)
                sent[member] += -(-int(gives.sum()) * (partition.rows - 1).bit_length() // 64) * 8
    return int(sent.sum()), int(sent.max())


def _values(partition: Partition, used: Any, summed: Any) -> Any:
    """The values that every worker sends, or receives, in a round of PageRank: the larger number."""
    grid, segment = partition.grid, partition.segment
    expand = used.reshape(grid.workers, grid.columns, segment).sum(axis=2)
    fold = summed.reshape(grid.workers, grid.rows, segment).sum(axis=2)
    sent, received = np.zeros(grid.workers, np.int64), np.zeros(grid.workers, np.int64)
    for rank in range(grid.workers):
        for k, owner in enumerate(grid.row_of(rank)):
            if owner != rank:  # the owner of a row sends its values to the block
                sent[owner] += expand[rank, k]
                received[rank] += expand[rank, k]
        for k, owner in enumerate(grid.column_of(rank)):
            if owner != rank:  # the block sends sums to the owner of a column
                sent[rank] += fold[rank, k]
                received[owner] += fold[rank, k]
    return sent if sent.max() >= received.max() else received


@dataclass(frozen=True)
class Constants:
    """Seconds of CPU per arc and core, for members of a cluster."""

    bfs: float
    rank64: float
    rank32: float
    narrow: float  # a value that is sent with 28 bits, on both sides


def search_seconds(counts: Counts, constants: Constants, arcs: float, cores: int, link: float, *, even: bool) -> float:
    """A search of a graph with so many arcs on every host; ``even`` ignores how uneven the blocks are."""
    scale = arcs / DEGREE / (counts.vertices / counts.workers)  # vertices of a host by those that were counted
    seconds = 0.0
    for slowest, sent in counts.search_steps:
        share = slowest / max(1.0, counts.balance) if even else slowest
        seconds += constants.bfs * arcs * share / cores
        seconds += 2 * (counts.peers * PEER + LATENCY) * (counts.workers > 1)
        seconds += (sent * scale + counts.peers * FRAME) * 8 / link
    return seconds + counts.most_parent_bytes * scale * 8 / link


def rank_seconds(
    counts: Counts,
    per_arc: float,
    width: int,
    arcs: float,
    cores: int,
    link: float,
    *,
    even: bool,
    overlapped: bool,
    narrow: float = 0.0,
) -> float:
    """A round of PageRank, as members schedule it: see ``clew.engines.cluster.overlap``.

    ``narrow`` are the seconds of CPU time in which a float32 becomes 28 bits, and a float32 again.
    """
    scale = arcs / DEGREE / (counts.vertices / counts.workers)
    computing = per_arc * arcs * (1.0 if even else counts.balance) / cores
    if counts.workers == 1:
        return computing
    values = counts.most_values * scale
    computing += narrow * values / cores
    size = width * narrowing.WORDS / narrowing.VALUES if narrow else width
    moving = values * size * 8 / link / 2  # sums and values are as many in an undirected graph
    parts = number_of_parts(int(arcs / DEGREE), width) if overlapped else 1
    exchange = moving / parts + counts.peers / 2 * PEER + LATENCY  # of one part's sums, or of its values
    now = link_free = folded = before = 0.0
    for part in range(parts):
        now += computing / parts
        before, folded = folded, max(now, link_free) + exchange
        link_free = folded
        if part:  # the part before this one has arrived, and its new values leave
            now = max(now, before)
            link_free = max(now, link_free) + exchange
    link_free = max(folded, link_free) + exchange
    return link_free + counts.peers * PEER + 2 * LATENCY  # the sum of changes


def measured(graph: clew.Graph, source: int) -> tuple[Constants, Constants]:
    """The constants of four members of a cluster, and of the engine of one machine, from CPU time on this graph."""
    from bench.cluster import best_cpu, members_of

    threads.set_count(1)
    calls = {
        "bfs": lambda g: clew.bfs(g, source),
        "rank64": lambda g: clew.pagerank(g, tolerance=0, max_iterations=10),
        "rank32": lambda g: clew.pagerank(g, tolerance=0, max_iterations=10, dtype="float32"),
    }
    rounds = {"bfs": 1, "rank64": 10, "rank32": 10}
    with members_of(graph, 4) as team:
        together = {name: best_cpu(lambda run=run: team(run)) for name, run in calls.items()}
    alone = {name: best_cpu(lambda run=run: run(graph)) for name, run in calls.items()}
    narrow = _narrow_seconds()
    return tuple(  # type: ignore[return-value]
        Constants(**{name: seconds / graph.num_arcs / rounds[name] for name, seconds in each.items()}, narrow=narrow)
        for each in (together, alone)
    )


def _narrow_seconds() -> float:
    """CPU seconds in which a value becomes 28 bits, and a float32 again."""
    from bench.cluster import best_cpu

    words = np.random.default_rng(1).uniform(1, 2, 1 << 20).astype(np.float32).view(np.uint32)

    def both() -> None:
        narrowing.narrow(words)
        narrowing.widen(words)

    return best_cpu(both, rounds=10) / words.size


def main(options: list[str]) -> None:
    """Count, and print what the model says."""
    parser = argparse.ArgumentParser(prog="python -m bench cluster --simulate")
    parser.add_argument("--scale", type=int, default=20, help="the graph has 2^SCALE vertices")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 4, 16, 64, 256, 1024])
    chosen = parser.parse_args(options)
    graph = clew.generate.kronecker(chosen.scale, seed=1)
    source = int(np.argmax(graph.degrees()))
    depth = clew.bfs(graph, source).depth
    began = time.process_time()
    counted = [count(graph, depth, workers) for workers in chosen.workers]
    here, alone = measured(graph, source)
    console = Console(width=130)
    console.print(f"Counted on kron{chosen.scale}, {time.process_time() - began:.0f} s of CPU.")
    _show_counts(console, counted)
    _show_balance(console, chosen.scale, [each for each in chosen.workers if each > 1])
    console.print(
        f"CPU per arc and core, in ns: four members bfs {here.bfs * 1e9:.2f}, PageRank {here.rank64 * 1e9:.2f} and "
        f"{here.rank32 * 1e9:.2f} (float32); the engine of one machine {alone.bfs * 1e9:.2f}, "
        f"{alone.rank64 * 1e9:.2f} and {alone.rank32 * 1e9:.2f}. "
        f"A float32 to 28 bits and back takes {here.narrow * 1e9:.2f}.\n"
        f"Stated: {PEER * 1e6:g} µs per peer and exchange, "
        f"{LATENCY * 1e6:g} µs of latency; 32 cores are worth 16, since they share memory."
    )
    for title, (cores, link) in HOSTS.items():
        _show_weak(console, title, counted, here, cores, link)
    _show_strong(console, counted, here)


def _show_counts(console: Console, counted: list[Counts]) -> None:
    table = Table(title="Counted", title_justify="left")
    for name in (
        "workers",
        "balance",
        "bfs levels",
        "bfs bytes a vertex",
        "parents",
        "PageRank MB a round, f64",
        "peers",
    ):
        table.add_column(name, justify="right")
    for each in counted:
        table.add_row(
            f"{each.workers:,}",
            f"{each.balance:.3f}",
            f"{len(each.search_steps)}",
            f"{each.search_bytes / each.vertices:.2f}",
            f"{each.parent_bytes / each.vertices:.2f}",
            f"{each.values * 8 / 1e6:.1f}",
            f"{each.peers}",
        )
    console.print(table)


def _show_balance(console: Console, scale: int, workers: list[int]) -> None:
    """The largest block by the mean one on smaller and larger graphs: the largest vertex matters less and less."""
    table = Table(title="Balance by the scale of the graph", title_justify="left")
    for name in ("workers", *(f"kron{each}" for each in range(scale - 6, scale + 1, 2))):
        table.add_column(name, justify="right")
    rows = []
    for each in range(scale - 6, scale + 1, 2):
        graph = clew.generate.kronecker(each, seed=1)
        source = np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr))
        blocks, ends = [], (source, graph.indices.astype(np.int64))
        for count in workers:
            partition = sample_partition(graph.num_vertices, Grid(count), *sampled(ends, 1))
            worker, _, _ = partition.edges(*ends)
            edges = np.bincount(worker, minlength=count)
            blocks.append(edges.max() / edges.mean())
        rows.append(blocks)
    for count, *found in zip(workers, *rows, strict=True):
        table.add_row(f"{count:,}", *(f"{each:.3f}" for each in found))
    console.print(table)


def _show_weak(console: Console, title: str, counted: list[Counts], per: Constants, cores: int, link: float) -> None:
    """Efficiency with 2^26 vertices per host: the time of one host by the time of all."""
    table = Table(title=f"Weak scaling, 2^{PER_HOST} vertices a host: {title}", title_justify="left")
    columns = (
        "hosts",
        "bfs",
        "bfs, even blocks",
        "GTEPS a host",
        "PageRank f64",
        "f32",
        "f32, even blocks",
        "f32 without overlap",
    )
    for name in columns:
        table.add_column(name, justify="right")
    arcs, one = float(DEGREE << PER_HOST), counted[0]
    alone = search_seconds(one, per, arcs, cores, link, even=False)
    for each in counted:
        search = [search_seconds(each, per, arcs, cores, link, even=even) for even in (False, True)]
        ranks = []
        for cost, width, overlapped, even, narrow in (
            (per.rank64, 8, True, False, 0.0),
            (per.rank32, 4, True, False, per.narrow),
            (per.rank32, 4, True, True, per.narrow),
            (per.rank32, 4, False, False, per.narrow),
        ):
            ranks.append(
                cost * arcs / cores
                / rank_seconds(each, cost, width, arcs, cores, link, even=even, overlapped=overlapped, narrow=narrow)
            )  # fmt: skip
        row = [f"{each.workers:,}", *(f"{alone / seconds:.2f}" for seconds in search), f"{arcs / 2e9 / search[0]:.1f}"]
        table.add_row(*row, *(f"{rank:.2f}" for rank in ranks))
    console.print(table)
    console.print("Graph500: " + ", ".join(f"{name} {rate:g} GTEPS" for name, rate in GRAPH500.items()))


def _show_strong(console: Console, counted: list[Counts], per: Constants) -> None:
    """Seconds for one graph of 2^26 vertices on more and more hosts."""
    (title, (cores, link)) = next(iter(HOSTS.items()))
    table = Table(title=f"Strong scaling, kron26 on all hosts: {title}", title_justify="left")
    for name in ("hosts", "bfs, s", "speedup", f"PageRank f64, {GRAPE_ROUNDS} rounds, s", "speedup"):
        table.add_column(name, justify="right")
    first: tuple[float, float] | None = None
    for each in counted:
        arcs = float(DEGREE << PER_HOST) / each.workers
        search = search_seconds(each, per, arcs, cores, link, even=False)
        rank = GRAPE_ROUNDS * rank_seconds(each, per.rank64, 8, arcs, cores, link, even=False, overlapped=True)
        first = first or (search, rank)
        speedups = f"{first[0] / search:.1f}", f"{first[1] / rank:.1f}"
        table.add_row(f"{each.workers:,}", f"{search:.4f}", speedups[0], f"{rank:.3f}", speedups[1])
    console.print(table)
    console.print(
        f"Published, libgrape-lite on 4 hosts of 32 threads, graph500-26 (half as many vertices): bfs "
        f"{GRAPE['bfs']:g} s, PageRank {GRAPE['pagerank']:g} s."
    )
