"""Run every algorithm, product and vertex program once on small graphs, for NVIDIA's compute-sanitizer to watch.

Nothing is checked here: tests do that. The sanitizer makes a run many times as slow, racecheck most of all, so small
graphs, some of the work, or a part of it can be chosen, and each be given to a process of its own:

    compute-sanitizer --tool memcheck python tools/gpu_sanitized.py
    compute-sanitizer --tool memcheck python tools/gpu_sanitized.py --memory zero_copy --as-large
    compute-sanitizer --tool racecheck python tools/gpu_sanitized.py --graphs grid --part 1/3
    compute-sanitizer --tool racecheck python tools/gpu_sanitized.py --graphs rmat --work bfs,sssp --memory tiered

The last line of either tool says how many errors or hazards it found, that of this script how many runs there were.
``--device emulated`` tries the script itself where there is no GPU.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import clew
from clew.algorithms.registry import ALGORITHMS
from clew.engines.choice import gpu_for

GRAPHS: dict[str, Callable[[], clew.Graph]] = {
    "rmat": lambda: clew.generate.rmat(8, 8, seed=1).symmetrized(),
    "directed": lambda: clew.generate.rmat(8, 6, seed=2),
    "grid": lambda: clew.generate.grid(12, 13),
    "star": lambda: clew.generate.star(600),
    "one": lambda: clew.generate.path(1),
    "path": lambda: clew.generate.path(9),
}
MODES = ("device", "zero_copy", "tiered")
FAST_PART = 2  # of the edges, one of so many is to be in GPU memory where they are tiered
SMALL_PAGE = 64  # bytes; a GPU's page is longer than all edges of these graphs, which then are in the page of the cut
ALL_PAIRS_BELOW = 500  # vertices
Run = Callable[[], Any]


def algorithm(name: str, graph: clew.Graph, device: str) -> Iterator[Run]:
    ends = {"sink": graph.name(graph.num_vertices - 1)} if ALGORITHMS[name].needs_sink else {}
    if name != "all_pairs" or graph.num_vertices < ALL_PAIRS_BELOW:
        yield partial(ALGORITHMS[name].function, graph, device=device, **ends)


def weighted_betweenness(graph: clew.Graph, device: str) -> Iterator[Run]:
    for find in (clew.betweenness, clew.edge_betweenness):
        yield partial(find, graph, weighted=True, samples=min(graph.num_vertices, 9), device=device)


def spmv(graph: clew.Graph, device: str) -> Iterator[Run]:
    """In rows as the public function chooses, and in all the layouts that it chooses from on large graphs."""
    from clew.engines.cuda.engine import CudaEngine
    from clew.engines.cuda.products.spmv import SpmvMethod

    x = np.ones(graph.num_vertices)
    for semiring in (clew.semirings.plus_times, clew.semirings.min_plus, clew.semirings.or_and):
        yield partial(clew.spmv, graph, x, semiring, device=device)
    gpu = gpu_for(device, 0)
    assert gpu is not None
    for kind in ("tiles", "sweep"):
        engine = CudaEngine(gpu, SpmvMethod(kind))
        there, out = gpu.upload(x), gpu.upload(x)
        yield partial(engine.spmv, graph.outgoing, there, clew.semirings.plus_times, None, out)


def spmspv(graph: clew.Graph, device: str) -> Iterator[Run]:
    x = (np.arange(0, graph.num_vertices, 2), np.ones(-(-graph.num_vertices // 2)))
    for merge in ("none", "merge", "radix"):
        yield partial(clew.spmspv, graph, x, merge=merge, device=device)


def spgemm(graph: clew.Graph, device: str) -> Iterator[Run]:
    yield partial(clew.spgemm, graph, graph, device=device)
    yield partial(clew.spgemm, graph, graph, mask=graph, device=device)


def rank_layouts(graph: clew.Graph, device: str) -> Iterator[Run]:
    """PageRank's rounds as products, which are for graphs larger than these."""
    from clew.algorithms.pagerank import Walk
    from clew.algorithms.pagerank.cuda import Tuning, pagerank

    gpu = gpu_for(device, 0)
    assert gpu is not None
    walk = Walk(damping=0.85, tolerance=0.0, max_iterations=3, dtype="float32")
    for layout in ("tiles", "sweep"):
        yield partial(pagerank, gpu, graph, walk, Tuning(products=True, layout=layout))


def programs(graph: clew.Graph, device: str) -> Iterator[Run]:
    from examples.vertex_programs import BreadthFirst, Components, PageRank, ShortestPaths

    for program in (BreadthFirst, Components, PageRank, ShortestPaths):
        yield partial(clew.run, program(), graph, device=device)


WORK: dict[str, Callable[[clew.Graph, str], Iterator[Run]]] = {
    **{name: partial(algorithm, name) for name in ALGORITHMS},
    **{each.__name__: each for each in (weighted_betweenness, spmv, spmspv, spgemm, rank_layouts, programs)},
}


def some_of(known: Any, text: str) -> list[str]:
    """The names between commas, all of them known."""
    found = [name.strip() for name in text.split(",")]
    for name in set(found) - set(known):
        raise argparse.ArgumentTypeError(f"unknown name {name!r}; expected some of {', '.join(known)}")
    return found


def part_of(text: str) -> tuple[int, int]:
    """Which part, counted from 1, and of how many."""
    which, _, parts = text.partition("/")
    if not (which.isdigit() and parts.isdigit() and 1 <= int(which) <= int(parts)):
        raise argparse.ArgumentTypeError(f"part is {text!r}; expected such as 1/3, 2/3 or 3/3")
    return int(which), int(parts)


def options_of(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", type=partial(some_of, GRAPHS), default=list(GRAPHS), help=", ".join(GRAPHS))
    parser.add_argument("--work", type=partial(some_of, WORK), default=list(WORK), help=", ".join(WORK))
    parser.add_argument("--part", type=part_of, default=(1, 1), help="of that work, such as 1/3")
    parser.add_argument("--memory", choices=MODES, default="device", help="where the edges are")
    parser.add_argument("--as-large", action="store_true", help="take the ways through paths that large graphs take")
    parser.add_argument("--device", default="cuda")
    return parser.parse_args(arguments)


def take_for_large() -> None:
    """Searches for paths have kernels for large and dense graphs; have these taken for such."""
    from clew.engines.cuda.balance import frontiers

    frontiers.LARGE = frontiers.DENSE = 1
    frontiers.ORDERED, frontiers.REACH = 8, 0


@contextmanager
def edges_in(memory: str, graph: clew.Graph, device: str) -> Iterator[None]:
    """Have edges where they are asked for; tiered ones take the ways of two memories though few pages would do."""
    if memory != "tiered":
        with clew.memory(memory):
            yield
        return
    gpu = gpu_for(device, 0)
    assert gpu is not None
    assert graph.weights is not None
    page, gpu.page = gpu.page, SMALL_PAGE
    try:
        with clew.memory(memory, (graph.indices.nbytes + graph.weights.nbytes) // FAST_PART):
            yield
    finally:
        gpu.page = page


def main(arguments: list[str] | None = None) -> int:
    """Run; the number of runs."""
    options = options_of(arguments)
    if options.as_large:
        take_for_large()
    which, parts = options.part
    runs = 0
    for name in options.graphs:
        graph = clew.generate.random_weights(GRAPHS[name](), 1, 9, seed=1)
        with edges_in(options.memory, graph, options.device):
            for work in options.work[which - 1 :: parts]:
                print(name, work, flush=True)  # the last line before an error says what it was
                for run in WORK[work](graph, options.device):
                    try:
                        run()
                    except clew.GraphError as error:  # such as one that is for undirected graphs
                        print(f"  refused: {error}", flush=True)
                        continue
                    runs += 1
    gpu = gpu_for(options.device, 0)
    if gpu is not None:
        gpu.synchronize()
    print(f"{runs} runs")
    return runs


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # for the examples
    main()
