"""Hubs: the vertices with the most edges, dealt out by hand so that the blocks of a large grid have as many edges each.

A keyed permutation places all vertices. A few thousand of them have too many edges for chance alone on grids of
16 workers and more. Members find these in a sample of edges. The heaviest hub goes first. It goes to the grid row with
the fewest out-edges of hubs so far, and to the grid column with the fewest in-edges. It changes places with the vertex
that was there. So a table of the vertices that moved is all that a partition adds to the permutation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from clew.dtypes import Array
from clew.engines.cluster.partition import Grid, Hubs, Partition

if TYPE_CHECKING:
    from clew.engines.cluster.member import Member

FEWEST = 16  # workers from which hubs are dealt out: the blocks of fewer are even
PER_WORKER, MOST = 64, 1 << 14  # hubs
SAMPLE, LEAST = 1 << 22, 1 << 16  # edges of all members together, and of each at least
HEAVY, OFTEN = 8, 16  # a hub has this many times the mean degree, and is found this often in the sample


def sampled(ends: Sequence[Array], members: int) -> list[Array]:
    """Some of a member's edges, at equal distances; ``ends`` are arrays of the same length. Few members need none."""
    if members < FEWEST:
        return [each[:0] for each in ends]
    step = max(1, ends[0].size // max(LEAST, SAMPLE // members))
    return [each[::step] for each in ends]


def partition_by_degree(member: Member, num_vertices: int, source: Array, target: Array, *, both: bool) -> Partition:
    """A partition of the vertices, given some of this member's edges; with ``both``, an edge has two directions.

    All members call this. The same edges of the same members give the same partition.
    """
    if member.mending is not None:
        return member.mending.partition
    plain = Partition(num_vertices, member.grid)
    if member.size < FEWEST or plain.segment < 4 * PER_WORKER:
        return plain
    ids, out, into = _counted(source, target, both=both)
    owner, _ = plain.place(ids)
    ids, out, into = _summed(*member.send_to_owners(owner, [ids, out, into]))
    edges = int(member.all_reduce(np.int64(out.sum() + into.sum()), np.add))
    ids, out, into = _heaviest(ids, out, into, max(OFTEN, HEAVY * edges // num_vertices))[:, : 4 * PER_WORKER]
    ids, out, into = (np.concatenate(member.all_gather("all", each)) for each in (ids, out, into))
    return with_hubs(plain, _heaviest(ids, out, into, 0))


def sample_partition(num_vertices: int, grid: Grid, source: Array, target: Array) -> Partition:
    """The partition that members find if these are their samples together, of edges that have one direction each."""
    ids, out, into = _counted(source, target, both=False)
    least = max(OFTEN, HEAVY * 2 * source.size // num_vertices)
    return with_hubs(Partition(num_vertices, grid), _heaviest(ids, out, into, least))


def with_hubs(plain: Partition, heaviest: Array) -> Partition:
    """A partition that deals out the first of some hubs: rows of ids, out-edges and in-edges, heaviest first."""
    few = heaviest[:, : min(MOST, PER_WORKER * plain.grid.workers)].tolist()
    if plain.grid.workers < FEWEST or plain.segment < 4 * PER_WORKER or not few[0]:
        return plain
    return Partition(plain.num_vertices, plain.grid, hubs=Hubs(*map(tuple, few)))


def _counted(source: Array, target: Array, *, both: bool) -> tuple[Array, Array, Array]:
    """The ends of some edges, and how many of them leave and enter each."""
    ids, which = np.unique(np.concatenate([source, target]).astype(np.int64), return_inverse=True)
    out, into = (
        np.bincount(which[part], minlength=ids.size) for part in (slice(source.size), slice(source.size, None))
    )
    return (ids, out + into, out + into) if both else (ids, out, into)


def _summed(ids: Array, out: Array, into: Array) -> tuple[Array, Array, Array]:
    """The same vertices once each."""
    once, which = np.unique(ids, return_inverse=True)
    out, into = (np.bincount(which, each, once.size).astype(np.int64) for each in (out, into))
    return once, out, into


def _heaviest(ids: Array, out: Array, into: Array, least: int) -> Array:
    """Vertices with at least this many edges, the heaviest first."""
    order = np.lexsort((ids, -(out + into)))
    order = order[(out + into)[order] >= least]
    return np.stack([ids[order], out[order], into[order]])
