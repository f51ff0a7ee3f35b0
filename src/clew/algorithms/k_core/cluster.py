"""Core numbers on a cluster: memory for the kernels."""

from __future__ import annotations

import numpy as np

from clew.algorithms.k_core import kernels_cluster as kernels
from clew.algorithms.registry import Answer
from clew.algorithms.triangles.cluster import simple
from clew.engines.cluster import checkpoints
from clew.engines.cluster import kernels_superstep as superstep
from clew.engines.cluster.kernels_pause import new_state
from clew.engines.cluster.share import Share, build_share, edge_ends, in_both_directions


def k_core(share: Share) -> Answer:
    """The largest k such that a vertex is in the k-core; see ``clew.k_core``."""
    links, size = _links(share), share.ids.size
    row, column = links.channel("row"), links.channel("column", 4)
    core = np.full_like(share.ids, -1)
    # The first round peels vertices without neighbours. Losses of a vertex that was peeled change nothing.
    owned = (links.own_degrees(), core, np.arange(size), superstep.new_set(size), np.empty(max(1, size), np.int32))
    height, width = links.partition.rows, links.partition.columns
    block = (np.zeros(width, np.int32), superstep.new_set(width), np.empty(max(height, width), np.int32))
    state = new_state(kernels.NUMBERS)
    state[kernels.FRESH], state[kernels.KEPT] = 1, size
    given = (row, column, links.block.unsigned(), owned, block, state)
    changing = (*owned[:3], *owned[3])
    checkpoints.follow(share.member, lambda: kernels.k_core(*given), (row, column), state, changing)
    degeneracy = int(share.member.all_reduce(core.max(initial=0), np.maximum))
    return Answer({"core": core}, {"degeneracy": degeneracy}, iterations=int(state[kernels.ROUNDS]))


def _links(share: Share) -> Share:
    """Edges in both directions without loops; those of a directed graph once per direction that it has."""
    if not share.directed:
        return simple(share)
    ends = edge_ends(share)
    once = build_share(share.member, *ends, None, share.num_vertices, duplicates="drop", loops="drop")
    return in_both_directions(once, None)
