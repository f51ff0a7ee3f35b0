"""A little of everything, for a Python that clew was installed for just now: run as a script, without pytest.

``python smoke.py FOLDER`` writes its files below FOLDER and prints one line for each part.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import networkx as nx
import numpy as np

import clew

DEVICES = ("cpu", "emulated", "hybrid-emulated")


class Nearest(clew.VertexProgram):
    """Distances from vertex 0, as a user writes it."""

    fields = {"distance": "float64"}  # noqa: RUF012 -- as a user writes it
    reduce = clew.monoids.min

    def start(self, graph):
        distance = np.full(graph.num_vertices, np.inf)
        distance[0] = 0
        return {"distance": distance}, [0]

    send = staticmethod(lambda vertex: vertex.distance)
    process = staticmethod(lambda message, weight, vertex: message + weight)
    matters = staticmethod(lambda value, vertex: value < vertex.distance)

    @staticmethod
    def apply(total, vertex):
        vertex.distance = total
        return True


def graph():
    """A skewed graph with weights, of arrays: what generators compile is not what differs between engines."""
    ends = np.random.default_rng(1).zipf(1.6, (2, 400)) % 64
    source, target = np.unique(np.sort(ends[:, ends[0] != ends[1]], axis=0), axis=1)
    weights = np.arange(source.size) % 9 + 1.0
    return clew.Graph.from_edges(source, target, weights, 64, directed=False)


def algorithms(g):
    matrix = g.to_scipy()
    expected = {
        "depth": nx.single_source_shortest_path_length(nx.from_scipy_sparse_array(matrix), 0),
        "rank": nx.pagerank(nx.from_scipy_sparse_array(matrix), weight=None, tol=1e-12),
    }
    for device in DEVICES:
        depth = clew.bfs(g, 0, device=device).depth
        assert {v: d for v, d in enumerate(depth.tolist()) if d >= 0} == expected["depth"], device
        rank = clew.pagerank(g, tolerance=1e-12, device=device).rank
        np.testing.assert_allclose(rank, list(expected["rank"].values()), rtol=1e-6, err_msg=device)


def products(g):
    x = np.arange(g.num_vertices, dtype="float64")
    own = clew.Semiring(lambda a, b: max(a, b), lambda weight, value: weight * value + 1, identity=-np.inf)
    for semiring in (clew.semirings.plus_times, own):
        expected = clew.spmv(g, x, semiring, device="reference")
        for device in DEVICES:
            np.testing.assert_allclose(clew.spmv(g, x, semiring, device=device), expected, err_msg=device)


def programs(g):
    expected = clew.sssp(g, 0, device="cpu").distance
    for device in DEVICES:
        np.testing.assert_array_equal(clew.run(Nearest(), g, device=device).distance, expected, err_msg=device)


def files(g, folder):
    for name in ("graph.parquet", "graph.mtx", "graph.clew", "graph.npz"):
        clew.write(g, folder / name)
        again = clew.read(folder / name)
        assert (again.num_vertices, again.num_edges) == (g.num_vertices, g.num_edges), name
        np.testing.assert_array_equal(again.weights, g.weights, err_msg=name)
    assert len(clew.pagerank(g, device="cpu").to_pandas()) == g.num_vertices


def command_line(folder):
    for arguments in (["info", "graph.parquet"], ["run", "pagerank", "graph.parquet"]):
        command = [sys.executable, "-W", "error", "-m", "clew", *arguments]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, ""), (command, done.stderr)
        assert done.stdout, command


def networkx_backend():
    path = nx.path_graph(4)
    assert nx.shortest_path_length(path, 0, 3, backend="clew") == 3
    found, expected = nx.pagerank(path, backend="clew"), nx.pagerank(path)
    assert max(abs(found[v] - expected[v]) for v in path) < 1e-6


def gpu_code():
    """What a GPU would run compiles: with clew's own operators, and with users' or a sentence that says what does."""
    from dataclasses import replace

    from clew.engines.cuda.products.algebra import of_semiring
    from clew.engines.cuda.toolchain.compiler import cubin
    from clew.engines.cuda.toolchain.device import index_defines
    from clew.engines.cuda.toolchain.source import KernelSource, compiled
    from clew.errors import MissingDependencyError

    numbers = of_semiring(clew.semirings.plus_times, *(np.dtype(np.float32),) * 3)
    macros = {**index_defines(np.dtype(np.int32), 1), **numbers.defines, "V": 8, "STOP": 0}
    program = KernelSource.of("spmv_rows.cuh", macros, numbers.operators)
    assert cubin(program, "sm_90").startswith(b"\x7fELF")
    own = [(name, compiled(lambda a, b: a + 3 * b, op.arguments, op.result)) for name, op in program.operators]
    try:
        assert cubin(replace(program, operators=tuple(own)), "sm_90").startswith(b"\x7fELF")
    except MissingDependencyError as error:
        if not all(word in str(error) for word in ("numba-cuda", "NumPy")):
            raise


def main():
    folder = Path(sys.argv[1])
    g = graph()
    for part in (algorithms, products, programs):
        part(g)
        print(part.__name__, flush=True)
    files(g, folder)
    command_line(folder)
    networkx_backend()
    print("files, command_line, networkx_backend", flush=True)
    gpu_code()
    print("gpu_code")


if __name__ == "__main__":
    main()
