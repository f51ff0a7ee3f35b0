"""Triadic census on a cluster: the triangles of all turns by code, and the neighbours of every vertex by kind."""

from __future__ import annotations

import numpy as np

from clew import threads
from clew.algorithms.registry import Answer
from clew.algorithms.triadic_census import counted, kernels_cluster
from clew.algorithms.triangles.cluster import paths_of, upward
from clew.dtypes import Array
from clew.engines.cluster import products
from clew.engines.cluster.share import Share, build_share, edge_ends
from clew.engines.cpu import CpuEngine
from clew.operators import monoids


def triadic_census(share: Share) -> Answer:
    """How many triads of each type there are; see ``clew.triadic_census``."""
    near = _with_sides(share)
    codes, kinds = _triangle_codes(near), _kinds(near)
    wedges = kinds.T @ kinds  # of two neighbours of different kinds; of the same kind, those twice and with itself
    np.fill_diagonal(wedges, (kinds * (kinds - 1) // 2).sum(axis=0))
    parts = codes, wedges.reshape(-1), kinds.sum(axis=0)
    codes, flat, ends = np.split(share.member.all_reduce(np.concatenate(parts), np.add), [64, 80])
    return counted(codes, flat.reshape(4, 4), int(ends[1]), int(ends[3]) // 2, share.num_vertices)


def _with_sides(share: Share) -> Share:
    """The simple undirected graph; an edge has weight 1 to its target, 2 from it, or 3 for both."""
    member, partition = share.member, share.partition
    source, target = edge_ends(build_share(member, *edge_ends(share), None, partition, duplicates="drop", loops="drop"))
    ends = np.append(source, target), np.append(target, source)
    sides = np.repeat(np.array([1, 2], np.uint8), source.size)
    return build_share(member, *ends, sides, partition, directed=False, duplicates="sum")


def _triangle_codes(near: Share) -> Array:
    """How many triangles of every code this member finds."""
    member, edges, codes, turn = near.member, upward(near), np.zeros(64, np.int64), 0
    while turn < member.size:
        turn, codes = member.checkpoint(turn, turn, codes)
        paths = paths_of(near, edges, turn)
        given = (*paths, *edges, near.block.num_columns, codes)
        threads.in_pieces(kernels_cluster.triangle_codes, paths[0].size, *given)
        turn += 1
    return codes


def _kinds(near: Share) -> Array:
    """How many neighbours of each kind this member's vertices have."""
    block = near.block
    assert block.weights is not None
    rows = np.repeat(4 * np.arange(block.num_vertices), block.degrees())
    counts = np.bincount(rows + block.weights, minlength=4 * block.num_vertices).reshape(-1, 4)
    columns = [products.fold(CpuEngine(), near, each.copy(), "row", monoids.plus) for each in counts.T]
    return np.stack(columns, axis=1)
