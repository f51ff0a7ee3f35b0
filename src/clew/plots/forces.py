"""Repulsion between vertices: pairwise if they are few, over a mesh if they are many."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from clew import threads
from clew.dtypes import Array

MOST_IN_PAIRS = 3_000
GRAIN = 4_096  # vertices a piece
MOST_NODES = 1024  # along each side of a mesh
MARGIN = 4  # nodes of the mesh around the vertices


class Push:
    """The repulsion at every vertex of a level, recomputed for new positions."""

    def __init__(self, charge: Array) -> None:
        self.charge = charge
        self.x, self.y = np.zeros((2, charge.size), dtype=np.float32)
        self.pieces = max(1, min(64, charge.size // GRAIN))
        self.nodes = 0 if charge.size <= MOST_IN_PAIRS else _nodes_for(charge.size)
        # The sums of a mesh depend on the order they are made in; with as many meshes on any machine it is the same.
        self.meshes = np.empty((min(4, self.pieces), self.nodes, self.nodes), dtype=np.float32)

    def update(self, x: Array, y: Array) -> None:
        """Let the charges push from these places."""
        from clew.plots import kernels_layout as kernels

        if not self.nodes:
            pieces = max(1, self.charge.size // 256)
            threads.each(kernels.pairs, pieces, pieces, x, y, self.charge, self.x, self.y)
            return
        left, bottom = x.min(), y.min()
        extent = max(x.max() - left, y.max() - bottom, np.float32(1e-6))
        per_unit = np.float32((self.nodes - 2 * MARGIN) / extent)
        left, bottom = left - MARGIN / per_unit, bottom - MARGIN / per_unit
        where = (np.float32(left), np.float32(bottom), per_unit)
        meshes = len(self.meshes)
        threads.each(kernels.spread, meshes, meshes, x, y, self.charge, *where, self.meshes)
        potential = _convolved(self.meshes.sum(axis=0))
        threads.each(kernels.read, self.pieces, self.pieces, x, y, potential, *where, self.x, self.y)


def _nodes_for(vertices: int) -> int:
    """The nodes along each side of the mesh: at least two to a vertex, up to as many as a picture shows."""
    import scipy.fft

    return int(scipy.fft.next_fast_len(int(np.clip(1.5 * np.sqrt(vertices), 128, MOST_NODES)), real=True))


def _convolved(mesh: Array) -> Array:
    """The potential at every node: the sum of charge · log(distance) over all nodes."""
    import scipy.fft

    nodes = len(mesh)
    workers = threads.count()
    padded = (2 * nodes, 2 * nodes)  # the convolution is circular: what wraps round falls into the padding
    spectrum: Any = scipy.fft.rfft2(mesh, padded, workers=workers)
    spectrum *= _kernel(nodes)
    potential: Any = scipy.fft.irfft2(spectrum, padded, workers=workers)
    return np.ascontiguousarray(potential[:nodes, :nodes])


@lru_cache(maxsize=4)
def _kernel(nodes: int) -> Array:
    """The spectrum of log(distance)."""
    import scipy.fft

    steps = np.minimum(np.arange(2 * nodes), 2 * nodes - np.arange(2 * nodes)).astype(np.float64)
    squares = steps[:, None] ** 2 + steps[None, :] ** 2
    squares[0, 0] = 0.25
    spectrum: Any = scipy.fft.rfft2((0.5 * np.log(squares)).astype(np.float32))
    return np.asarray(spectrum)
