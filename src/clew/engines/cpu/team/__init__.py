"""Run one kernel on a team of threads that meet at barriers; see ``kernels``.

Kernels process rows in blocks that depend on the graph alone, and so do sums. They prefetch where values are scattered.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from clew import threads
from clew.adjacency import Adjacency
from clew.build.rows import blocks_of
from clew.dtypes import Array
from clew.engines.cpu.team import kernels
from clew.graph import Graph
from clew.progress import Poll, showing

SMALL = 1 << 16  # arcs; below this one thread is done before a second has woken up
BRIEF = 1 << 24  # arcs; up to here a traversal takes some tenths of a second at most
GRAIN = 1 << 14  # arcs and rows to a block: some twenty microseconds of work
MOST = 1 << 10  # blocks; each member of a team adds up all of their sums after every round

AHEAD = 128  # edges; about as long as memory takes to answer
NEAR = 1 << 20  # bytes that a core's own cache may hold
MOSTLY_NEAR = 3 << 19  # bytes up to which that cache has enough hits for prefetching not to pay
FAR = 4 << 20  # bytes from which prefetching pays for scattered values; below, a core has other work meanwhile
SAMPLES = 64
FEW = 8  # edges to a vertex; graphs with fewer, such as roads, mostly have neighbours with near ids

Watch = Callable[[Array], tuple[float, float | None]]

_one_team = threading.Lock()


def members(work: int) -> int:
    """The number of threads for this much work."""
    return threads.count() if work > SMALL else 1


def run(
    kernel: Callable[..., Any],
    work: int,
    *args: Any,
    most: int | None = None,
    bounded: bool = False,
    shown: str = "",
    unit: str = "",
    poll: Poll | None = None,
    watch: Watch | None = None,
) -> Any:
    """Run ``kernel(member, size, state, *args)`` on all threads at once, and return what member 0 returns.

    ``work`` is the approximate number of arcs to read; little work gets a team of one. Only one team runs at a time:
    two that wait for each other's threads would deadlock. The calling thread waits outside the team, so that it
    receives Ctrl-C. It then asks the team to stop, and kernels check for that between steps.

    ``most`` limits the members to those that the arrays have room for, since the number of threads may change.

    ``bounded`` says that no arc is read more than a few times, and that every member ends with a barrier. Kernels that
    take chunks in rounds need no barrier. The calling thread is then member 0 itself, unless there is much work. No
    thread must be woken, and Ctrl-C waits for the result.

    Long runs show a progress bar. ``shown`` is its title, by default the kernel's name, and ``unit`` what it counts.
    ``poll``, or ``watch`` by the team's state, returns the progress.
    """
    state = np.zeros(kernels.STATE_SIZE, dtype=np.int64)
    size = members(work) if most is None else min(members(work), most)
    if work <= SMALL or (bounded and size == 1 and work <= BRIEF):
        return kernel(0, 1, state, *args)

    def stop() -> None:
        state[int(kernels.STOP)] = 1

    def begun() -> bool:
        return bool(state[int(kernels.ROUND)])

    with _one_team:
        if bounded and work <= BRIEF:
            return threads.alongside(kernel, size, begun, stop, size, state, *args)
        look = poll if watch is None else lambda: watch(state)
        with showing(shown or str(getattr(kernel, "__name__", "working")).replace("_", " "), look, unit=unit):
            return threads.apart(kernel, size, stop, size, state, *args)[0]


def settling(changes: Array, tolerance: float, most: int) -> tuple[float, float | None]:
    """The number of rounds so far, and the expected total: the changes per round shrink about evenly."""
    done = int(np.count_nonzero(changes))
    if tolerance <= 0:
        return done, most
    if done < 3 or changes[done - 1] >= changes[0]:
        return done, None
    shrinking = np.log(changes[0] / changes[done - 1]) / (done - 1)
    return done, min(most, done + max(0.0, float(np.log(changes[done - 1] / tolerance) / shrinking)))


def take(kernel: Callable[..., Any], members: int, count: int, work: int, *args: Any, shown: str = "") -> list[Any]:
    """Run ``kernel(member, taken, …)`` on several threads, each of which takes the next of ``count`` items.

    ``taken`` is an array of one number, the next item. Ctrl-C stops the run after the current items, unless there is
    little ``work``.
    """
    taken = np.zeros(1, dtype=np.int64)
    if work <= BRIEF:
        return threads.each(kernel, members, taken, *args)

    def stop() -> None:
        taken[0] = count

    with _one_team, showing(shown, lambda: (min(int(taken[0]), count), count), unit="searches", when=bool(shown)):
        return threads.apart(kernel, members, stop, taken, *args)


def symmetric_rows(graph: Graph) -> tuple[tuple[Any, Any], tuple[Any, Any] | None]:
    """The rows in which a vertex finds all its neighbours: the out-edges and, of a directed graph, the in-edges.

    They are plain or packed.
    """
    return graph.outgoing.readable(), graph.incoming.readable() if graph.directed else None


def total_degrees(graph: Graph) -> Array:
    """The number of edges at every vertex, in either direction; a new array."""
    return graph.degrees() + graph.degrees("in") if graph.directed else graph.degrees()


def fixed_blocks(rows: Adjacency) -> Array:
    """Boundaries of blocks of rows with about equally many arcs, the same for any number of threads."""
    return blocks_of(rows, max(1, min(MOST, (rows.num_arcs + rows.num_vertices) // GRAIN)))


def ahead_of(rows: Adjacency, values: Array) -> np.uint64:
    """How many edges ahead to prefetch the neighbours' values; 0 where they are likely to be in the cache."""
    if values.nbytes < MOSTLY_NEAR:
        return np.uint64(0)
    far = rows.num_arcs >= FEW * rows.num_vertices or is_scattered(rows, values)
    return np.uint64(AHEAD if far else 0)


def is_scattered(rows: Adjacency, values: Array) -> bool:
    """Whether the values at the rows' neighbours are spread over more memory than the caches near a core hold.

    It samples a few rows. A grid has as many vertices as a random graph, but its neighbours are near each other.
    """
    if values.nbytes < FAR or not rows.num_arcs:
        return False
    if rows.reads_packed:  # a sample would have to be unpacked, and prefetching near values costs little
        return True
    some = np.arange(SAMPLES) * rows.num_vertices // SAMPLES
    edges = (rows.indptr[some] + rows.indptr[some + 1]) // 2
    steps = np.abs(rows.indices[np.minimum(edges, rows.num_arcs - 1)] - some)
    return int(np.count_nonzero(steps * values.itemsize > NEAR // 4)) > SAMPLES // 4
