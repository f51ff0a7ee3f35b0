"""The same seed gives the same graph for any number of threads; another seed gives another one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from zlib import crc32

import pytest

from clew import generate, threads
from clew.graph import Graph

# Large enough to be cut into pieces of different lengths by 2 and by 3 threads.
GENERATORS: dict[str, Callable[[int], Graph]] = {
    "rmat": lambda seed: generate.rmat(13, 16, seed=seed),
    "kronecker": lambda seed: generate.kronecker(13, seed=seed),
    "uniform": lambda seed: generate.uniform(1000, 150_000, seed=seed),
    "grid": lambda seed: generate.grid(400, 301, diagonals=True, delete=0.2, max_weight=99, seed=seed),
    "delaunay": lambda seed: generate.delaunay(3000, seed=seed),
    "small_world": lambda seed: generate.small_world(30_001, 8, 0.3, seed=seed),
    "barabasi_albert": lambda seed: generate.barabasi_albert(30_000, 5, seed=seed),
    "ssca2": lambda seed: generate.ssca2(14, max_weight=50, seed=seed),
    "random_weights": lambda seed: generate.random_weights(generate.cycle(150_000), 0.0, 1.0, seed),
}


def checksum(graph: Graph) -> int:
    return crc32(b"" if graph.weights is None else graph.weights.tobytes(), crc32(graph.indices.tobytes()))


@pytest.fixture(autouse=True)
def _default_threads() -> Iterator[None]:
    yield
    threads.set_count(None)


@pytest.mark.parametrize("name", GENERATORS)
def test_any_number_of_threads(name):
    threads.set_count(1)
    alone = GENERATORS[name](1)
    for count in (2, 3):
        threads.set_count(count)
        assert GENERATORS[name](1) == alone


@pytest.mark.parametrize("name", GENERATORS)
def test_another_seed_another_graph(name):
    assert GENERATORS[name](1) != GENERATORS[name](2)


@pytest.mark.quick
def test_graphs_stay_as_they_are_from_version_to_version():
    """Seeds stand in papers and benchmarks: a change of any stream must be a decision, not an accident."""
    made = {name: checksum(make(7)) for name, make in GENERATORS.items() if name != "delaunay"}
    assert made == {
        "rmat": 2133295511,
        "kronecker": 1744676591,
        "uniform": 2682837037,
        "grid": 2149564964,
        "small_world": 4238091297,
        "barabasi_albert": 1361654368,
        "ssca2": 3768481788,
        "random_weights": 3812796193,
    }
