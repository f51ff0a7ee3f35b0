"""How many rounds ranks and scores take until they settle, from the degrees of a graph and from a few random walks.

Ranks change by less from round to round as their walkers forget where they came from. Walkers forget quickly where each
step leads to another part of the graph. They do not in a small component, and not along a chain. A thousand walkers of
24 steps show which share of them forgets.

Scores that are products again and again settle by the ratio of the two largest eigenvalues. Those of a graph with hubs
follow from its degrees. The largest is the mean degree of a neighbour; the star of a hub has the root of its degree.

References
----------
F. Chung, L. Lu, V. Vu: "Spectra of random graphs with given expected degrees", PNAS 2003.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from clew.graph import Graph

WALKERS, STEPS = 1024, 24
SAMPLES = 256  # edges
FEW = STEPS // 4  # vertices: a walker that sees no more is in a small part
FORGETFUL = 0.8  # of a walk's vertices are seen once where walkers forget: 0.92 or more there, 0.71 in a small world
# By how much a round shrinks the change besides the damping, as measured. Where walkers forget, also from one vertex.
# In grids and meshes, from equal ranks; and there from one vertex, where only the damping does.
MIXING, LOCAL_MIXING, SLOW_MIXING, NO_MIXING = 0.5, 0.6, 0.66, 1.0
CHAINED = 0.5  # of the steps have no choice in a graph of chains
WANDERING = 0.1  # of the walkers have to be left to tell
SECOND = 1.5  # times as large as the star of the second hub is the second eigenvalue, as measured


class Walks(NamedTuple):
    """What walkers did.

    ``left`` is the share that found an edge in every step. ``stuck`` is the share that saw few vertices. ``paired`` is
    the part of those that saw only two, whose ranks are right from the start. ``led`` is the share of all
    steps that had no choice. ``fresh`` is the share of new vertices in walks that are left and not stuck.
    """

    left: float
    stuck: float
    paired: float
    led: float
    fresh: float

    @property
    def forgetful(self) -> bool:
        """Whether most walkers forget where they came from; one that finds no edge begins anywhere again."""
        return self.left - self.stuck < WANDERING or self.fresh >= FORGETFUL


def walks_in(graph: Graph, start: int | None = None) -> Walks:
    """A thousand walks, always the same ones: from random vertices, or all from one."""
    random, rows = np.random.default_rng(0), graph.outgoing
    if not rows.num_arcs:
        return Walks(0.0, 0.0, 0.0, 0.0, 1.0)
    at = random.integers(0, rows.num_vertices, WALKERS) if start is None else np.full(WALKERS, start)
    path, left, led, taken = [at], np.ones(WALKERS, dtype=np.bool_), 0, 0
    for _ in range(STEPS):
        first = rows.indptr[at].astype(np.int64)
        degree = rows.indptr[at + 1].astype(np.int64) - first
        left &= degree > 0
        place = first + (random.random(WALKERS) * degree).astype(np.int64)
        at = np.where(left, rows.indices[np.where(left, place, 0)].astype(np.int64), at)
        path.append(at)
        taken += int(np.count_nonzero(left))
        led += int(np.count_nonzero(left & (degree == 1)))
    share = led / max(1, taken)
    if not left.any():
        return Walks(0.0, 0.0, 0.0, share, 1.0)
    ordered = np.sort(np.array(path)[:, left], axis=0)
    seen = 1 + np.count_nonzero(np.diff(ordered, axis=0), axis=0)
    stuck, paired = np.count_nonzero(seen <= FEW), np.count_nonzero(seen <= 2)
    fresh = seen[seen > FEW].mean() / (STEPS + 1) if stuck < seen.size else 1.0
    return Walks(left.mean(), stuck / WALKERS, paired / WALKERS, share, fresh)


def rank_rounds(graph: Graph, damping: float, tolerance: float, *, personal: bool, start: int | None = None) -> float:
    """Rounds until ranks change by less than ``tolerance`` in all.

    ``personal`` says that jumps lead to a few vertices, and ``start`` which one it is, if it is one.
    """
    walks = walks_in(graph, start)
    if walks.forgetful:
        mixing = LOCAL_MIXING if personal else MIXING
    else:
        mixing = NO_MIXING if personal else SLOW_MIXING
    rounds = math.log(tolerance) / math.log(damping * mixing)
    stuck = walks.stuck if personal else walks.stuck - walks.paired
    if stuck > 0:
        rounds = max(rounds, math.log(tolerance / stuck) / math.log(damping))
    if walks.led > CHAINED:  # what enters a chain comes out at its end, and begins again at the one vertex, or anywhere
        leaving = 1.0 if personal else max(walks.left, 1 / WALKERS) ** (1 / STEPS)
        rounds = max(rounds, math.log(tolerance / walks.led) / math.log(damping * leaving))
    return max(1.0, rounds)


class Spectrum(NamedTuple):
    """The largest eigenvalue of a matrix of edges, and the next one as a part of it."""

    largest: float
    ratio: float

    def rounds(self, tolerance: float, most: int) -> float:
        """Products until what the next eigenvalue adds is below ``tolerance``."""
        if not 0 < self.ratio < 1:
            return float(most) if self.ratio >= 1 else 2.0
        return min(float(most), max(2.0, math.log(tolerance) / math.log(self.ratio)))


def spectrum_of(graph: Graph, *, singular: bool = False) -> Spectrum:
    """Those of the matrix, or its singular values."""
    out = graph.degrees().astype(np.float64)
    into = graph.degrees("in").astype(np.float64) if graph.directed else out
    if graph.num_arcs == 0:
        return Spectrum(0.0, 0.0)
    both = math.sqrt(float(out @ out) * float(into @ into)) if singular else float(out @ into)
    mean = both / graph.num_arcs
    back = 1.0 if singular or not graph.directed else reciprocity(graph)
    hubs = back * np.partition(np.maximum(out, into), -2)[-2:] if out.size > 1 else np.repeat(out, 2)
    bulk = (1 + back) * math.sqrt(graph.num_arcs / graph.num_vertices)  # what edges at random have
    second, largest = max(SECOND * math.sqrt(hubs[0]), bulk), max(mean, math.sqrt(hubs[1]))
    return Spectrum(largest, second / mean if mean else 1.0)


def reciprocity(graph: Graph) -> float:
    """The share of edges that there are in the other direction too, from a sample; only those make a star's score."""
    rows = graph.outgoing
    chosen = np.random.default_rng(0).integers(0, rows.num_arcs, SAMPLES)
    sources = np.searchsorted(rows.indptr, chosen, side="right") - 1
    ends = [rows.indices[rows.indptr[v] : rows.indptr[v + 1]] for v in rows.indices[chosen].astype(np.int64)]
    return float(np.mean([source in row for source, row in zip(sources, ends, strict=True)]))


def katz_rounds(graph: Graph, given: Any, tolerance: float) -> float:
    """Products until walks as long as that, each edge counting ``given`` or what is usual, hardly count."""
    if graph.num_arcs == 0:
        return 1.0
    most = float(graph.degrees("in").max())
    rate = min(spectrum_of(graph).largest, most) * (1 / (1 + most) if given is None else float(given))
    if not 0 < rate < 1:
        return math.inf if rate >= 1 else 1.0
    return max(1.0, math.log(tolerance / graph.num_vertices) / math.log(rate))
