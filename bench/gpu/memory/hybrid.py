"""Vertex programs on the CPU, on the GPU, and by the pipeline of both (the state on the CPU, products on the GPU).

The GPU and the pipeline may hold a part of the edges' bytes in GPU memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import clew
from bench.gpu.memory.cells import Cell, Figures
from bench.gpu.memory.graphs import Named
from bench.gpu.memory.markdown import Reason, milliseconds, reasons, table
from bench.gpu.memory.measuring import Bench, edge_bytes
from clew.engines.hybrid.program import CPU, GPU, PIPELINE, run_hybrid
from clew.errors import OperatorError
from clew.program import _mask, _state
from examples.vertex_programs import BreadthFirst, Components, PageRank, ShortestPaths

GRAPHS = ("rmat20",)
PARTS = (2, 8)  # of the edges' bytes, in GPU memory
WHERE = [(CPU, None), *((engine, part) for engine in (GPU, PIPELINE) for part in PARTS)]
NOT_FOR_A_GPU = Reason("does not compile", "does not compile: an `apply` with an array in it, which no GPU compiles.")


class Listed(ShortestPaths):
    """Shortest paths with an apply that no GPU compiles."""

    @staticmethod
    def apply(total: Any, vertex: Any) -> bool:
        """An array is made, for the smaller of two numbers."""
        vertex.distance = np.array([total, vertex.distance]).min()
        return True


PROGRAMS: tuple[type[clew.VertexProgram], ...] = (BreadthFirst, ShortestPaths, Components, PageRank, Listed)


def run_program(bench: Bench, program: clew.VertexProgram, graph: clew.Graph, engine: str) -> dict[str, Any]:
    """The fields' values, by one engine."""
    initial, active = program.start(graph)
    state, chosen = _state(program, initial, np.arange(graph.num_vertices)), _mask(active, graph.num_vertices)
    return run_hybrid(bench.gpu, program, graph, state, chosen, order=(engine,))[1]


def _timed(bench: Bench, named: Named, program: type[clew.VertexProgram], engine: str, part: int | None) -> Any:
    """Seconds of the best run; its answer is compared with the CPU's, which comes first."""
    call = partial(run_program, bench, program(), named.graph, engine)
    with clew.memory("auto", None if part is None else edge_bytes(named.graph, "sssp") // part):
        try:
            bench.once(call)  # which compiles, and puts the edges in their place
            taken, found = bench.repeated(call)
        except OperatorError:
            return NOT_FOR_A_GPU
    expected = bench.known.setdefault((named.name, program.__name__), found)
    for name, values in expected.items():
        if not np.allclose(found[name], values, rtol=1e-9, atol=1e-9 / max(1, values.size)):
            raise AssertionError(f"{program.__name__} on {named.name}: {name} differs from the CPU's")
    return min(taken)


def run(bench: Bench, smaller: int, data: Path, names: tuple[str, ...]) -> Iterator[dict[str, str]]:
    """The texts of two files, after every program."""
    result = Figures()
    for named in bench.graphs(names, smaller, data):
        result.named[named.name] = named.label
        for program in PROGRAMS:
            for engine, part in WHERE:
                case = partial(_timed, bench, named, program, engine, part)
                found = bench.shown(f"{named.name} {program.__name__} {_title(engine, part)}", case)
                key = (named.name, program.__name__, engine, part)
                result.add(key, found if isinstance(found, Reason) else Cell(found))
            bench.forget()
            yield {"hybrid.md": text(result), "hybrid.json": result.json}
        bench.forget_answers(named.name)


def _title(engine: str, part: int | None) -> str:
    return engine if part is None else f"{engine} 1/{part}"


def text(result: Figures) -> str:
    """The table."""
    works = list(dict.fromkeys(key[:2] for key in result.cells))
    rows = [
        [" ".join(work), *(milliseconds(result.run((*work, engine, part))) for engine, part in WHERE)] for work in works
    ]
    parts_of_text = [
        "### Vertex programs on the CPU, on the GPU and by the pipeline of both",
        "Milliseconds to the answer on the host, the best of repeated calls; the GPU and the pipeline with a part of "
        "the edges' bytes in GPU memory. All answers agree. Graphs: " + "; ".join(result.named.values()) + ".",
        table(["", *(_title(engine, part) for engine, part in WHERE)], rows),
        reasons(result.cells.values()),
    ]
    return "\n\n".join(part for part in parts_of_text if part)
