"""Every format that can be written: what was written is read back, or was refused, or is reported as not kept."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import clew
from clew.io import registry
from tests.io.graphs import graphs

WRITABLE = [
    pytest.param(one.name, suffix, id=f"{one.name}{suffix}")
    for one in registry.formats()
    if one.write is not None
    for suffix in one.suffixes
    if suffix in one.suffixes[:1] or suffix in (".wsg", ".csv", ".el", ".v", ".properties")
]

# Lists of edges have no vertices without edges, and numbers with gaps are names: test_edge_list_writing, test_arrays.
WITH_NAMES = [one for one in WRITABLE if one.values[0] not in ("edge-list", "npy")]

# Weights as they may be: whole, negative, fractional, extreme, and no numbers at all.
WEIGHTS: dict[str, Any] = {
    "none": None,
    "whole": np.array([3, 1, 2, 5, 4]),
    "small": np.array([3, 1, 2, 5, 4], dtype=np.int8),
    "unsigned": np.array([3, 1, 2**64 - 1, 5, 4], dtype=np.uint64),
    "negative": np.array([-3, 1, -(2**63), 5, 4]),
    "fractions": np.array([1.5, 2.5, 0.1, -4.0, 1e300]),
    "short": np.array([1.5, 2.5, 0.1, -4.0, 1e30], dtype=np.float32),
    "no numbers": np.array([np.nan, np.inf, -np.inf, 0.0, -0.0]),
    "flags": np.array([True, False, True, True, False]),
}
NAMES: dict[str, Any] = {
    "none": None,
    "large": np.array([2**31 - 2, 2**31 - 1, 2**31, 2**32, 2**63 - 1, 0]),
    "negative": np.array([-1, 0, 1, 2, 3, 4]),
    "zeros": ["01234", "1234", "001234", "+1234", "1234.0", "0x1234"],
    "text": ["ann", "bob lee", 'c"y', "d,e;f|g", "#h", ""],
}
EMPTY = {
    "nothing": clew.Graph.from_edges([], []),
    "nothing undirected": clew.Graph.from_edges([], [], directed=False),
    "one vertex": clew.Graph.from_edges([], [], num_vertices=1),
    "a loop": clew.Graph.from_edges([0], [0]),
    "an undirected loop": clew.Graph.from_edges([0], [0], [7], directed=False),
    "no edges": clew.Graph.from_edges([], [], num_vertices=5, directed=False),
    "no edges, with weights": clew.Graph.from_edges([], [], np.empty(0, dtype=np.float64), num_vertices=3),
    "no edges, with names": clew.Graph.from_edges([], [], num_vertices=3, names=[7, 8, 10]),
}


def small(directed: bool, weights: Any, names: Any) -> clew.Graph:
    """Five edges among six vertices: a loop, a duplicate, and one vertex without edges."""
    return clew.Graph.from_edges([0, 0, 1, 2, 3], [1, 1, 2, 2, 4], weights, 6, directed=directed, names=names)


def content(graph: clew.Graph, *, named: bool, isolated: bool) -> tuple[Any, ...]:
    """What two graphs have to have in common to be the same; vertices go by name, or by id."""
    source, target, weights = graph.edges()
    called = list(graph.names) if named and graph.names is not None else list(range(graph.num_vertices))
    values = [None] * source.size if weights is None else [_comparable(weight) for weight in weights.tolist()]
    ends = [(called[u], called[v]) for u, v in zip(source.tolist(), target.tolist(), strict=True)]
    if not graph.directed:
        ends = [min(pair, pair[::-1]) for pair in ends]
    seen = {end for pair in ends for end in pair}
    edges = Counter(zip(ends, values, strict=True))
    return graph.directed, graph.weighted, edges, set(called) if isolated else seen


def _comparable(weight: float) -> Any:
    return "nan" if weight != weight else weight


def check(graph: clew.Graph, path: Path, format_name: str) -> None:
    """Write, read and compare; only what ``write`` reports may be missing."""
    shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    try:
        lost = clew.write(graph, path, format=format_name)
    except clew.FormatError as error:
        assert_about(error, path)
        return
    options: dict[str, Any] = {}
    if any("both ways" in one for one in lost):
        options["directed"] = False
    if any("no weights" in one for one in lost):
        options["weights"] = False
    elif graph.weights is not None and not _is_kept(graph.weights.dtype, format_name):
        options["weight_dtype"] = graph.weights.dtype  # of which only the values are in the file
    named = not any("names" in one for one in lost)
    isolated = not any("without edges" in one for one in lost)
    again = clew.read(path, **options)
    assert content(again, named=named, isolated=isolated) == content(graph, named=named, isolated=isolated)


def assert_about(error: clew.FormatError, path: Path) -> None:
    """A refusal says which file could not be written, and nothing is left of it."""
    assert error.path == str(path)
    assert not path.exists()


def _is_kept(dtype: np.dtype[Any], format_name: str) -> bool:
    """Whether a format keeps the dtypes of weights, or at least every value of this one."""
    if format_name in ("clew", "parquet", "arrow", "npz", "matrix-market", "galois"):
        return True
    return dtype.kind in "iu" or dtype == np.float64


@pytest.mark.parametrize(("name", "suffix"), WRITABLE)
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("directed", [True, False])
def test_weights(tmp_path: Path, name: str, suffix: str, weights: str, directed: bool) -> None:
    check(small(directed, WEIGHTS[weights], None), tmp_path / f"graph{suffix}", name)


@pytest.mark.quick
@pytest.mark.parametrize(("name", "suffix"), WITH_NAMES)
@pytest.mark.parametrize("names", NAMES)
def test_names(tmp_path: Path, name: str, suffix: str, names: str) -> None:
    check(small(True, None, NAMES[names]), tmp_path / f"graph{suffix}", name)
    check(small(False, [5, 4, 3, 2, 1], NAMES[names]), tmp_path / f"graph{suffix}", name)


@pytest.mark.quick
@pytest.mark.parametrize(("name", "suffix"), WITH_NAMES)
@pytest.mark.parametrize("which", EMPTY)
def test_few_or_no_edges(tmp_path: Path, name: str, suffix: str, which: str) -> None:
    check(EMPTY[which], tmp_path / f"graph{suffix}", name)


@pytest.mark.parametrize(("name", "suffix"), WITH_NAMES)
def test_random_graphs(tmp_path: Path, name: str, suffix: str) -> None:
    @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
    @given(graphs())
    def round_trip(graph: clew.Graph) -> None:
        check(graph, tmp_path / f"graph{suffix}", name)

    round_trip()


def test_what_is_not_kept_is_reported(tmp_path: Path) -> None:
    named = clew.Graph.from_edges(["a", "b"], ["b", "c"], directed=False, metadata={"coordinates": [1]})
    assert clew.write(named, tmp_path / "a.clew") == []
    assert clew.write(named, tmp_path / "a.gr") == [
        "the names of vertices, which are numbers there",
        "that edges go both ways: read it with directed=False",
        "that edges have no weights: each has weight 1 there",
        "the metadata coordinates",
    ]
