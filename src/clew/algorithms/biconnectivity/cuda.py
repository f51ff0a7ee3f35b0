"""The blocks of a graph on a GPU: a spanning forest in preorder, and unions of its edges.

A walk around every tree of the forest, which uses each of its edges in both directions, gives preorder and sizes. Its
order is found by doubling steps, so that no number of launches depends on the depth of the forest.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from clew.engines.cuda.balance.edge_numbers import first_edges
from clew.engines.cuda.balance.launches import launch_over
from clew.engines.cuda.memory.device_graph import rows_on
from clew.engines.cuda.memory.device_rows import DeviceRows
from clew.engines.cuda.toolchain.device import Device, stable_order
from clew.graph import Graph
from clew.workspace import Space, Workspace, scratch

FILE = "blocks.cuh"
WALK = 7  # arrays of 64 bits for each step of the walks around trees


def space(graph: Graph, **others: Space | None) -> Workspace:
    """The arrays of a run: those of a search, and others."""
    n, m, ids = graph.num_vertices, graph.num_edges, graph.outgoing.id_dtype
    return Workspace(
        **others,
        in_forest=scratch(m, np.uint8, 0),
        forest=scratch(2 * n, ids),
        count=scratch(1, np.uint64, 0),
        trees=scratch(n, ids),
        blocks=scratch(n, ids),
        lowest=scratch(2 * _leaves(n), ids),
        highest=scratch(2 * _leaves(n), ids),
        walk=scratch((WALK, 2 * n), np.int64, later=True),
        preorder=scratch((3, n), ids, later=True),
    )


class Edges(NamedTuple):
    """The edges by number, as kernels take them (edge_numbers.cuh)."""

    device: Device
    rows: DeviceRows
    first: Any
    number: int

    def launch(self, name: str, *given: Any) -> None:
        """Run a kernel over all edges."""
        n = self.rows.num_vertices
        sizes, rows = (np.uint64(n), np.uint64(self.number)), (self.rows.offsets, self.rows.neighbours)
        launch_over(self.device, FILE, name, defines_of(self.rows), self.number, *sizes, *rows, self.first, *given)


class Blocks(NamedTuple):
    """The block of every edge of a spanning forest, by the end that is further from the root.

    ``parent`` is that of every vertex in the forest, roots their own; ``order`` the preorder.
    """

    edges: Edges
    parent: Any
    order: Any
    block: Any


def defines_of(rows: DeviceRows) -> dict[str, Any]:
    """The macros of the kernels."""
    return {name: rows.defines[name] for name in ("index_t", "offset_t")}


def search(device: Device, graph: Graph, work: Any) -> Blocks:
    """The blocks of a graph, whose directions do not count; ``work`` has the arrays of ``space``."""
    xp, n = device.xp, graph.num_vertices
    rows = rows_on(device, graph.outgoing, weights=False)
    edges = Edges(device, rows, first_edges(device, rows, directed=graph.directed), graph.num_edges)
    if n == 0:
        return Blocks(edges, work.trees, work.trees, work.blocks)
    defines, vertices = defines_of(rows), np.uint64(n)
    for array in (work.trees, work.blocks):
        array[...] = xp.arange(n)
    edges.launch("span", work.trees, work.in_forest, work.forest, work.count)
    launch_over(device, FILE, "flatten_trees", defines, n, vertices, work.trees)
    size = int(device.download(work.count)[0])
    parent, order, sizes = _preorder(device, work.trees, work.forest[: 2 * size].reshape(size, 2))
    leaves = _leaves(n)
    for extreme in (work.lowest, work.highest):
        extreme[leaves : leaves + n] = xp.arange(n)
        extreme[leaves + n :] = n - 1  # outside every subtree
    given = (work.in_forest, order, sizes, work.lowest[leaves:], work.highest[leaves:], work.blocks)
    edges.launch("reach", *given)
    while leaves > 1:  # the smallest and the largest of two, level by level
        for extreme, best in ((work.lowest, xp.minimum), (work.highest, xp.maximum)):
            extreme[leaves // 2 : leaves] = best(extreme[leaves : 2 * leaves : 2], extreme[leaves + 1 : 2 * leaves : 2])
        leaves //= 2
    tree = (parent, order, sizes, work.lowest, work.highest, work.blocks)
    launch_over(device, FILE, "join_to_parents", defines, n, vertices, np.uint64(_leaves(n)), *tree)
    launch_over(device, FILE, "flatten_trees", defines, n, vertices, work.blocks)
    return Blocks(edges, parent, order, work.blocks)


def _leaves(num_vertices: int) -> int:
    """A power of two."""
    return 1 << max(0, num_vertices - 1).bit_length()


def _preorder(device: Device, root: Any, ends: Any) -> tuple[Any, Any, Any]:
    """The parent, the preorder and the size of the subtree of every vertex, given its root and the forest's edges."""
    xp, n, steps = device.xp, int(root.size), 2 * int(ends.shape[0])
    vertices, base = xp.arange(n), xp.zeros(n, np.int64)
    parent, sizes, flags = vertices.copy(), xp.ones(n, np.int64), xp.zeros(2 * n, np.int64)
    places = xp.zeros(n, np.int64)  # the step that comes to a vertex, in the walk around its tree
    if steps:
        source = xp.concatenate([ends[:, 0], ends[:, 1]])
        back = (xp.arange(steps) + steps // 2) % steps  # the same edge in the other direction
        left, starts, far = _left(device, source, back, root)
        down = xp.flatnonzero(left > left[back])
        child = source[back[down]]
        parent[child] = source[down]
        sizes[child] = (left[down] - left[back[down]] + 1) // 2
        whole = xp.flatnonzero((root == vertices) & (starts >= 0))
        sizes[whole] = (left[starts[whole]] + 1) // 2 + 1
        places[child] = far[down] + 1
    roots = root == vertices
    base[...] = xp.cumsum(xp.where(roots, sizes, 0)) - xp.where(roots, sizes, 0)
    places += 2 * base[root]
    flags[places] = 1
    order = xp.cumsum(flags)[places] - 1
    ids = root.dtype
    return parent.astype(ids), order.astype(ids), sizes.astype(ids)


def _left(device: Device, source: Any, back: Any, root: Any) -> tuple[Any, Any, Any]:
    """How many steps of the walk around a tree come after each, the first step from every vertex, and those before.

    After a step to a vertex comes the step from it that follows the one back, in its list of steps. Walks end at roots.
    """
    xp, steps, n = device.xp, int(source.size), int(root.size)
    listed = stable_order(source)
    place = xp.empty(steps, np.int64)
    place[listed] = xp.arange(steps)
    ends = xp.cumsum(xp.bincount(source, minlength=n))
    begins = xp.concatenate([ends[:1] * 0, ends[:-1]])
    at = source[back]
    following = place[back] + 1
    around = following == ends[at]
    is_last = around & (root[at] == at)
    follow = xp.where(is_last, xp.arange(steps), listed[xp.where(around, begins[at], following)])
    left = xp.where(is_last, 0, 1)
    for _ in range(steps.bit_length()):
        left = left + left[follow]
        follow = follow[follow]
    starts = xp.where(ends > begins, listed[xp.minimum(begins, steps - 1)], -1)
    return left, starts, left[starts[root[source]]] - left


def label_space(graph: Graph) -> dict[str, Space | None]:
    """The arrays with which edges get the numbers of their blocks."""
    m = graph.num_edges
    return Workspace(
        label=scratch(m, graph.outgoing.id_dtype, later=True),
        first_edge=scratch(graph.num_vertices, np.uint64, later=True),
        numbers=scratch((4, m), np.int64, later=True),
    ).spaces


def components(device: Device, graph: Graph) -> tuple[Any, Any]:
    """The block of every edge, numbered by their first edges, -1 for loops; and their sizes."""
    xp, found = device.xp, search(device, graph, space(graph).allocate(device))
    m, n = graph.num_edges, graph.num_vertices
    label, first_edge = device.empty(m, found.block.dtype), device.full(n, ~np.uint64(0), np.uint64)
    if m == 0:
        return label.astype(np.int64), xp.zeros(0, np.int64)
    found.edges.launch("label_edges", found.order, found.block, label, first_edge)
    known = label >= 0
    first = xp.where(known, first_edge[xp.maximum(label, 0)].astype(np.int64), 0)  # of the edge's block
    begins = known & (first == xp.arange(m))
    number = xp.where(known, (xp.cumsum(begins) - 1)[first], -1)
    return number, xp.bincount(number + 1, minlength=1)[1:]
