"""The graphs that GPU peers were timed on, made on the GPU: the same edges and weights bit for bit, and known sums."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import clew
from clew.adjacency import Adjacency


@dataclass(frozen=True)
class Case:
    """A graph to be timed on, where searches start, and what all peers agreed on."""

    name: str
    graph: clew.Graph
    source: int
    depths: int | None
    distances: int | None


@dataclass(frozen=True)
class Recipe:
    """How a graph is made: its edges, the number of vertices, and whether edges go both ways."""

    edges: Callable[[Any, Path], tuple[Any, Any]]
    vertices: int
    symmetric: bool
    from_hub: bool
    depths: int | None = None
    distances: int | None = None


def recursive(scale: int, factor: int, a: float, b: float, c: float, seed: int) -> Callable[[Any, Path], Any]:
    """R-MAT: every bit of an edge's two ends is drawn from one of four quarters."""

    def edges(cp: Any, _: Path) -> tuple[Any, Any]:
        draw = cp.random.default_rng(seed)
        source, target = (cp.zeros(factor << scale, cp.int32) for _ in range(2))
        for _ in range(scale):
            r = draw.random(factor << scale, dtype=cp.float32)
            source = source * 2 + (r >= a + b)
            target = target * 2 + (((r >= a) & (r < a + b)) | (r >= a + b + c))
        return source.astype(cp.int64), target.astype(cp.int64)

    return edges


def streets(side: int, seed: int = 2) -> Callable[[Any, Path], Any]:
    """A square grid with a tenth of its edges left out."""

    def edges(cp: Any, _: Path) -> tuple[Any, Any]:
        v = cp.arange(side * side, dtype=cp.int64)
        right, down = v[v % side < side - 1], v[: side * side - side]
        keep = cp.random.default_rng(seed).random(right.size + down.size) > 0.1
        return cp.concatenate([right, down])[keep], cp.concatenate([right + 1, down + side])[keep]

    return edges


def triangulated(points: int, seed: int = 1) -> Callable[[Any, Path], Any]:
    """The Delaunay triangulation of random points."""

    def edges(cp: Any, _: Path) -> tuple[Any, Any]:
        from scipy.spatial import Delaunay

        corners = Delaunay(np.random.default_rng(seed).random((points, 2))).simplices
        sides = np.concatenate([corners[:, pair] for pair in ([0, 1], [1, 2], [2, 0])]).astype(np.int64)
        return cp.asarray(sides[:, 0]), cp.asarray(sides[:, 1])

    return edges


def listed(name: str) -> Callable[[Any, Path], Any]:
    """The edges in a file of the data folder: ``.npz`` with src and dst, or anything clew reads."""

    def edges(cp: Any, data: Path) -> tuple[Any, Any]:
        path = next(iter(sorted(data.rglob(name + ".*"))))
        if path.suffix == ".npz":
            arrays = np.load(path)
            return cp.asarray(arrays["src"].astype(np.int64)), cp.asarray(arrays["dst"].astype(np.int64))
        graph = clew.read(path, ids="keep")
        source = np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr))
        return cp.asarray(source), cp.asarray(graph.indices.astype(np.int64))

    return edges


RECIPES = {
    "slashdot": Recipe(listed("soc-Slashdot0902"), 82_168, False, True, 223_594, 9_684_837),
    "notredame": Recipe(listed("web-NotreDame"), 325_729, False, True, 1_886_024, 203_995_816),
    "roadtokyo": Recipe(listed("roadtokyo"), 2_064_578, True, False, 2_201_003_335, 259_617_695_006),
    "delaunay20": Recipe(triangulated(1 << 20), 1 << 20, True, False, 172_189_431, 11_336_370_258),
    "grid3000": Recipe(streets(3000), 9_000_000, True, False, 27_031_098_660, 1_889_428_791_881),
    "rmat22": Recipe(recursive(22, 16, 0.57, 0.19, 0.19, 1), 1 << 22, True, True, 4_811_767, 149_733_465),
    "kron21": Recipe(recursive(21, 48, 0.57, 0.19, 0.19, 7), 1 << 21, True, True, 2_890_768, 73_899_129),
}
#: The Kronecker graphs of the paper on SpMSpV, below the one above; not among the default graphs.
RECIPES |= {
    f"kron{scale}": Recipe(recursive(scale, 48, 0.57, 0.19, 0.19, 7), 1 << scale, True, True) for scale in range(16, 21)
}


def make(name: str, data: Path, kept: Path) -> Case:
    """One of the graphs; kept in a folder, so that the next run only loads it."""
    recipe, path = RECIPES[name], kept / f"{name}.npz"
    if path.exists():
        arrays = dict(np.load(path))
    else:
        arrays = _built(recipe, data)
        kept.mkdir(parents=True, exist_ok=True)
        np.savez(path, **arrays)
    rows = Adjacency(arrays["indptr"], arrays["indices"], arrays["weights"])
    graph = clew.Graph(rows, directed=not recipe.symmetric)
    degree = np.diff(arrays["indptr"])
    source = int(np.argmax(degree)) if recipe.from_hub else int(np.flatnonzero(degree)[0])
    return Case(name, graph, source, recipe.depths, recipe.distances)


def _built(recipe: Recipe, data: Path) -> dict[str, Any]:
    """Rows without loops and duplicates, and weights from 1 to 255 that are the same both ways."""
    import cupy as cp

    source, target = recipe.edges(cp, data)
    n = recipe.vertices
    if recipe.symmetric:
        source, target = cp.concatenate([source, target]), cp.concatenate([target, source])
    key = cp.unique(source * n + target)
    source, target = key // n, key % n
    keep = source != target
    source, target = source[keep], target[keep]
    indptr = cp.zeros(n + 1, cp.int64)
    indptr[1:] = cp.cumsum(cp.bincount(source, minlength=n))
    low, high = cp.minimum(source, target).astype(cp.uint64), cp.maximum(source, target).astype(cp.uint64)
    mixed = low * cp.uint64(0x9E3779B97F4A7C15) ^ (high * cp.uint64(0xC2B2AE3D27D4EB4F))
    mixed ^= mixed >> cp.uint64(31)
    mixed *= cp.uint64(0xD6E8FEB86659FD93)
    mixed ^= mixed >> cp.uint64(32)
    weights = ((mixed % cp.uint64(255)) + cp.uint64(1)).astype(cp.int32)
    return {"indptr": indptr.get(), "indices": target.astype(cp.int32).get(), "weights": weights.get()}
