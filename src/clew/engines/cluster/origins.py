"""Parents of vertices: the rows that members' offers came from, as vertices."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from clew.dtypes import Array
from clew.engines.cluster import kernels_origins as kernels

if TYPE_CHECKING:
    from clew.engines.cluster.kernels_superstep import Channel
    from clew.engines.cluster.member import Axis
    from clew.engines.cluster.share import Share


def fetch_parents(share: Share, row_axis: Axis, column: Channel, giver: Array, origin: Array, parent: Array) -> None:
    """Fill in the parent of each of this member's vertices that has a giver; collective.

    ``giver`` has the position in ``column`` of the member whose offer was taken, or -1. ``origin`` has the row that the
    offer for every column of this member's block came from.
    """
    partition, members = share.partition, column.sizes.size
    vertices, rows = np.empty(partition.segment + 1, np.int32), np.empty(giver.size, np.int64)
    state = np.zeros(2 + members, np.int64)
    request = (column, giver, origin, share.ids_along(row_axis).size, vertices, rows, state)
    share.member.sockets.follow(lambda: int(kernels.fetch_origins(*request)), (column,))
    for position, (low, high) in enumerate(pairwise(state[1:].tolist())):
        if position == column.position:
            parents = share.ids_along(row_axis)[rows[low:high]]
        elif row_axis == "row":  # the members of a row follow each other
            parents = partition.permutation.inverse(rows[low:high] + position * partition.rows)
        else:
            which, local = np.divmod(rows[low:high], partition.segment)
            rank = which * partition.grid.columns + position
            parents = partition.permutation.inverse(rank * partition.segment + local)
        parent[vertices[low:high]] = parents
