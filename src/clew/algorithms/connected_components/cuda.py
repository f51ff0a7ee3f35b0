"""Connected components on the GPU."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.algorithms.connected_components import summary
from clew.algorithms.registry import Answer
from clew.engines.cuda.memory.device_rows import DeviceRows, form_of
from clew.engines.cuda.memory.packed_rows import SCATTERED, edges_on
from clew.engines.cuda.products.vectors import true_places
from clew.engines.cuda.toolchain.device import GRID_BARRIER_WORDS, Device, blocks_for, index_defines
from clew.engines.cuda.toolchain.source import ctype
from clew.engines.retry import retried
from clew.graph import Graph
from clew.workspace import Workspace, result, scratch

THREADS = 512
WARP = 32
LONG_ROW = 2048  # as in rows_by_size.cuh: there cannot be more long rows than arcs / LONG_ROW
TILE = 4096  # vertices, as in components_tiled.cuh
BYTES_IN_TILE = 6  # of shared memory for each
STAGED_EDGES = 8  # for each vertex of a tile: edges that are copied from the host before they are joined, on average
SAMPLED_FROM = 5  # edges a vertex, on average: with fewer, two edges of each are most of them
ON_HOST = {"ON_HOST": 1}


def workspace(graph: Graph) -> Workspace:
    """The arrays of a run; edges that are staged from the host stay out: their room depends on the device."""
    n, ids = graph.num_vertices, graph.outgoing.id_dtype
    sizes = scratch(n, f"u{ids.itemsize}", 0, later=True)
    return Workspace(**label_space(n, graph.num_arcs, ids).deferred(), sizes=sizes)


def label_space(num_vertices: int, num_arcs: int, ids: np.dtype[Any], long_row: int = LONG_ROW) -> Workspace:
    """The labels, a list of the rows that a block joins together, and what the blocks tell each other.

    The last words are the barrier's, which is zero at first.
    """
    return Workspace(
        label=result(num_vertices, ids),
        long_rows=scratch(num_arcs // long_row + 1, ids),
        frequent=scratch(1, ids),
        state=scratch(2, np.uint32),
        barrier=scratch(GRID_BARRIER_WORDS, np.uint32, 0),
    )


def connected_components(device: Device, graph: Graph) -> Answer:
    """Components over edges in any direction; label and sizes stay on the device. Sizes are counted when needed."""
    label = component_labels(device, graph)

    @retried
    def facts() -> dict[str, Any]:
        return dict(summary(label, component_sizes(device, label)).facts)

    return Answer({"label": label}, facts)


def component_labels(device: Device, graph: Graph, *, sampled: bool | None = None, **constants: int) -> Any:
    """The smallest vertex in the component of each vertex.

    ``sampled`` and ``constants`` (TILED, TILE, SHORT_ROW, LONG_ROW, of edges on the host STAGED_EDGES) replace what
    would be chosen, to measure it.
    """
    rows = edges_on(device, graph.outgoing, weights=False, least=SCATTERED, firsts=True)
    return labels_of_rows(device, rows, symmetric=not graph.directed, sampled=sampled, **constants)


def labels_of_rows(
    device: Device, rows: DeviceRows, *, symmetric: bool, sampled: bool | None = None, **constants: int
) -> Any:
    """The same of rows; ``symmetric`` says that every edge is in the rows of both its ends."""
    n, index = rows.num_vertices, rows.id_dtype
    long_row = constants.get("LONG_ROW", LONG_ROW)
    space = rows.room(device, ("components", long_row), lambda: label_space(n, rows.num_arcs, index, long_row))
    work, label = rows.take(device, space)
    if n == 0:
        return label
    if sampled is None:
        sampled = rows.packed is not None or sampling_pays(n, rows.num_arcs)  # tiles read edges again and again
    name = "components" if sampled else "components_staged" if rows.on_host else "components_tiled"
    of_a_vertex, tile = constants.pop("STAGED_EDGES", STAGED_EDGES), constants.get("TILE", TILE)
    key = ("components", name, *constants.items())
    kernel = rows.prepared(key, lambda: device.kernel(f"{name}.cuh", name, {**_defines(rows), **constants}))
    most, shared = -(-n // WARP), 0 if sampled else tile * BYTES_IN_TILE
    arguments = [np.uint64(n), rows.offsets, rows.ids, np.int32(symmetric), label, work.long_rows]
    if sampled:
        arguments.append(work.frequent)
    elif rows.on_host:
        blocks = min(most, device.resident_blocks(kernel, THREADS, shared))
        vertices = min(tile, max(WARP, 1 << (-(-n // blocks) - 1).bit_length()))  # as in tile_trees.cuh
        room = max(1, min(vertices * of_a_vertex, rows.num_arcs))
        arguments += [device.empty(blocks * room, index), np.uint64(room)]
    device.launch_cooperative(kernel, THREADS, *arguments, work.state, work.barrier, shared=shared, most=most)
    rows.give_back(work)
    return label


def sampling_pays(num_vertices: int, num_arcs: int) -> bool:
    """Whether to join two edges of every vertex first, rather than all edges within tiles."""
    return num_arcs >= SAMPLED_FROM * num_vertices


def component_sizes(device: Device, label: Any) -> Any:
    """The sizes of the components, in ascending order of their labels."""
    n = int(label.size)
    index = np.dtype(label.dtype)
    tally = device.zeros(n, np.uint32 if index.itemsize == 4 else np.uint64)
    defines = {**index_defines(index, 0), "tally_t": ctype(tally.dtype)}
    kernel = device.kernel("components.cuh", "component_sizes", defines)
    device.launch(kernel, blocks_for(device, n, THREADS, per_processor=4), THREADS, np.uint64(n), label, tally)
    _, sizes = true_places(device, tally > 0, n, index, values=tally)
    return sizes.astype(np.int64)


def _defines(rows: DeviceRows) -> dict[str, Any]:
    macros = index_defines(rows.id_dtype, rows.num_arcs)
    return {**macros, **(ON_HOST if rows.on_host else {}), **form_of(rows, directory=False)}
