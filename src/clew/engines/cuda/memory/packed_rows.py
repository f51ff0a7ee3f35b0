"""Packed rows on a device: the words of packed neighbours are placed as plain neighbours are, in the same budget.

The heads of groups (4 bytes for 64 edges) are in device memory under every policy, as offsets are. Weights are placed
like neighbours too, after them, in the narrowest type that holds them. If all of that is in device memory, groups have
a directory there as well, where there is room (16 bytes for 64 edges). It is charged to the budget of edges.
"""

from __future__ import annotations

import weakref
from dataclasses import replace
from typing import Any

import numpy as np

from clew.adjacency import Adjacency
from clew.dtypes import Array
from clew.engines.cuda.memory.device_graph import (
    DeviceGraph,
    graph_on,
    incoming_on,
    into_of,
    plan_in_force,
    rows_on,
    size_of,
)
from clew.engines.cuda.memory.device_rows import DeviceRows, Packed
from clew.engines.cuda.memory.edge_memory import EdgePlan, plan_edges
from clew.engines.cuda.memory.ledger import ledger_of
from clew.engines.cuda.memory.packer import packed_neighbours
from clew.engines.cuda.toolchain.device import Device, blocks_for, index_defines
from clew.engines.retry import SMALLER, this_try
from clew.errors import ResourceError
from clew.free_memory import available_bytes
from clew.graph import Graph
from clew.memory import current
from clew.packed import PackedAdjacency, narrowed
from clew.packed.code import PackedArray

#: Edges from which "auto" packs a graph that does not fit: the first call packs them on the host.
MANY = 1 << 22
#: The part of the plain bytes that must fit for "auto" to pack edges that are read at random. These are a few of a row,
#: of rows in any order. Over the link, that takes more requests than plain edges do.
SCATTERED = 0.2
#: The part of its plain bytes that a packed graph may take on the host.
PACKED_PART = 0.8
#: The first neighbours of every row that searches have unpacked (packed_rows.cuh), and the part of the packed bytes
#: that they may take.
FIRSTS, FIRSTS_PART = 4, 1 / 3
#: The bytes of a group in the directory: place and widths, and the mask.
DIRECTORY_BYTES = 16
THREADS = 256


def packed_on(
    device: Device,
    rows: Adjacency,
    *,
    weights: bool = False,
    parts: int = 1,
    least: float = 0.0,
    firsts: bool = False,
) -> DeviceRows | None:
    """The rows packed, if ``clew.memory`` says so or plain ones do not fit; else None. ``parts`` as for ``rows_on``.

    ``least`` is the part of plain rows that must fit for "auto" to pack them. With ``firsts``, the first neighbours of
    every row are there unpacked as well, if there is room for them. Some searches read little else of most rows. Words
    make room for them, unless these are placed already.
    """
    if rows.num_arcs < MANY and current().packed == "auto" and not isinstance(rows, PackedAdjacency):
        return None  # decided below as well, but a product takes only some microseconds
    requested = rows.weight_dtype is not None and weights
    array = _array_of(device, rows, requested, parts, least)
    if array is None:
        return None
    known, words = graph_on(device, rows.identity), graph_on(device, array.words)
    words.family = known.family
    words.spare = spare_for(rows, array.nbytes) if firsts else 0
    words.directory = array.heads.size * DIRECTORY_BYTES
    # The device places words like neighbours, and does not interpret them.
    narrow = _narrow_weights(known, rows) if requested else None
    # A row on the host costs two requests over the link, so the weights of the rows that are there should be, too.
    whole = parts if narrow is None else parts * (1 + narrow.nbytes / array.words.nbytes)
    there = rows_on(device, Adjacency(rows.indptr, array.words), weights=False, parts=whole)
    there = there.once("packed", lambda: _unpackable(device, there, array, words))
    if firsts:
        there = _with_firsts(device, there, words)
    if narrow is None:
        return there
    graph_on(device, narrow).family = known.family
    placed = rows_on(device, Adjacency(rows.indptr, narrow), weights=False, parts=parts)
    weighted: DeviceRows | None = placed.facts.get("packed")
    if weighted is None or weighted.packed is not there.packed:
        plan = _both(there.plan, placed.plan)
        weighted = replace(there, weights=placed.neighbours, plan=plan, weights_as=rows.weight_dtype)
        placed.facts["packed"] = weighted
    return weighted


def edges_on(
    device: Device,
    rows: Adjacency,
    *,
    weights: bool = True,
    parts: int = 1,
    least: float = 0.0,
    firsts: bool = False,
) -> DeviceRows:
    """The rows for kernels that read both forms: packed if ``packed_on`` says so, else plain, in pairs if possible."""
    packed = packed_on(device, rows, weights=weights, parts=parts, least=least, firsts=firsts)
    return packed or rows_on(device, rows, weights=weights, parts=parts, paired=weights)


def both_directions_on(
    device: Device, graph: Graph, *, weights: bool = False, least: float = SCATTERED, firsts: bool = False
) -> tuple[DeviceRows, DeviceRows]:
    """The out-edges and the in-edges, for kernels that read both forms; both have the same.

    ``firsts`` are those of in-edges.
    """
    parts, own = (2, False) if graph.directed else (1, firsts)
    out = into = packed_on(device, graph.outgoing, weights=weights, parts=parts, least=least, firsts=own)
    if out is not None and graph.directed:
        into = packed_on(device, _into(device, graph), weights=weights, parts=parts, least=least, firsts=firsts)
    if out is None or into is None:  # plain out-edges fit, or plain in-edges and so both
        out = rows_on(device, graph.outgoing, weights=weights, parts=parts)
        into = incoming_on(device, graph, weights=weights) if graph.directed else out
    return out, into


def packed_incoming_on(device: Device, graph: Graph, *, weights: bool = False) -> DeviceRows | None:
    """The in-edges, which are built and packed on the host, if ``packed_on`` says so; else None."""
    if not graph.directed:
        return packed_on(device, graph.outgoing, weights=weights)
    packs = current().packed
    if packs == "auto":
        packs = form_of_rows(device, graph.outgoing, weights, 1, 0.0)[0]
    return packed_on(device, _into(device, graph), weights=weights) if packs else None


def _into(device: Device, graph: Graph) -> Adjacency:
    """The in-edges on the host. Those of packed graphs are packed; to know their family would unpack them."""
    return graph.incoming if graph.is_packed else into_of(device, graph)


def form_of_rows(
    device: Device, rows: Adjacency, weights: bool, parts: int, least: float, *, makes_room: bool = True
) -> tuple[bool, str]:
    """Whether kernels that read both forms are given packed rows, and why; ``makes_room`` may evict other rows."""
    policy = current()
    if policy.packed is False:
        return False, "clew.memory(packed=False) is active"
    if rows.boundary is not None or rows.num_arcs == 0:
        return False, "a placement says which plain edges are fast" if rows.num_arcs else "there are no edges"
    if policy.packed is True:
        return True, "clew.memory(packed=True) is active"
    if isinstance(rows, PackedAdjacency):
        if _has_room_for_plain(device, rows, weights, parts, makes_room):
            return False, "plain edges fit in GPU memory"
        return True, "the graph is packed, and plain edges do not fit in GPU memory"
    if is_too_large(device, rows, weights, parts, least, makes_room):
        return True, "plain edges do not fit in GPU memory"
    if policy.edges not in ("auto", "tiered"):
        return False, f'plain edges are packed by themselves under edges="auto" or "tiered", not "{policy.edges}"'
    if rows.num_arcs < MANY:
        return False, f"only graphs of {MANY:,} stored edges or more are packed by themselves"
    return False, "plain edges fit in GPU memory, or too few of them for packing to pay"


def is_too_large(
    device: Device, rows: Adjacency, weights: bool, parts: int, least: float, makes_room: bool = True
) -> bool:
    """Whether "auto" packs plain rows: not all but the ``least`` part of them fit, and there is room to pack them."""
    policy = current()
    if policy.edges not in ("auto", "tiered") or rows.num_arcs < MANY:
        return False
    requested = rows.weights if weights else None
    if plan_in_force(device, rows, requested, paired=weights) is not None:
        return False
    placed = graph_on(device, rows.identity).derived.get("packed")
    if placed is not None and _are_placed(device, placed):
        return True  # and so it was before
    if available_bytes() < PACKED_PART * rows.num_arcs * rows.id_dtype.itemsize:
        return False
    plan = _plan_of_plain(device, rows, requested, parts, makes_room)
    if plan is None:
        return False
    return plan.mode != "device" and plan.fast_bytes >= least * plan.num_arcs * plan.bytes_per_edge


def _has_room_for_plain(device: Device, rows: PackedAdjacency, weights: bool, parts: int, makes_room: bool) -> bool:
    """Whether all edges of packed rows fit as plain ones in device memory; not if they did not before."""
    requested = rows.stored_weights if weights else None
    plan = plan_in_force(device, rows, requested)
    if plan is None:
        if _are_placed(device, rows.neighbours):
            return False
        plan = _plan_of_plain(device, rows, requested, parts, makes_room)
    return plan is not None and plan.mode == "device"


def _are_placed(device: Device, array: PackedArray) -> bool:
    """Whether packed neighbours are on the device under the policy in force."""
    words = graph_on(device, array.words).edges
    return words is not None and words.policy == current()


def _plan_of_plain(device: Device, rows: Adjacency, requested: Any, parts: int, makes_room: bool) -> EdgePlan | None:
    """The plan for plain edges under the policy in force; None if they do not fit anywhere."""
    attempt = this_try()
    try:
        size = size_of(device, rows, requested, parts, makes_room=makes_room)
        return plan_edges(current(), size, SMALLER[0 if attempt is None else attempt.number])
    except ResourceError:
        return None


def _array_of(device: Device, rows: Adjacency, weights: bool, parts: int, least: float) -> PackedArray | None:
    """The packed neighbours if the policy says so, packed once; a placement says which plain edges are fast."""
    if not form_of_rows(device, rows, weights, parts, least)[0]:
        return None
    if isinstance(rows, PackedAdjacency):
        return rows.neighbours
    kept = graph_on(device, rows.identity).derived
    if "packed" not in kept:
        kept["packed"] = packed_neighbours(device, rows, graph_on(device, rows.identity))
    array: PackedArray = kept["packed"]
    return array


def _narrow_weights(known: DeviceGraph, rows: Adjacency) -> Array:
    """The weights in the narrowest type that holds them, made once."""
    if isinstance(rows, PackedAdjacency):
        assert rows.stored_weights is not None
        return rows.stored_weights
    whose, narrow = known.derived.get("narrow weights", (lambda: None, None))
    if whose() is not rows.weights:
        assert rows.weights is not None
        narrow = narrowed(rows.weights)
        known.derived["narrow weights"] = (weakref.ref(rows.weights), narrow)
    array: Array = narrow
    return array


def _both(words: EdgePlan | None, weights: EdgePlan | None) -> EdgePlan | None:
    """One plan for words and weights, which counts bytes."""
    if words is None or weights is None:
        return words or weights
    modes = {words.mode, weights.mode}
    mode = words.mode if len(modes) == 1 else "tiered"
    size = [plan.num_arcs * plan.bytes_per_edge for plan in (words, weights)]
    why = f"packed neighbours: {words.why}; weights: {weights.why}"
    return EdgePlan(mode, words.slow_bytes + weights.slow_bytes, sum(size), 1, why, words.copies and weights.copies)


def spare_for(rows: Adjacency, nbytes: int) -> int:
    """The bytes of the first neighbours of all rows, or 0 if that is too much besides ``nbytes`` of packed ones."""
    firsts = rows.num_vertices * FIRSTS * rows.id_dtype.itemsize
    return firsts if firsts <= FIRSTS_PART * nbytes else 0


def _with_firsts(device: Device, rows: DeviceRows, owner: DeviceGraph) -> DeviceRows:
    """Packed rows with the first neighbours of each unpacked, if there is room for these."""
    if not (owner.spare and (rows.has_room or (rows.plan is not None and rows.plan.spare))):
        return rows
    return rows.once("firsts", lambda: _unpack_firsts(device, rows, owner))


def _unpack_firsts(device: Device, rows: DeviceRows, owner: DeviceGraph) -> DeviceRows:
    packed, n = rows.packed, rows.num_vertices
    assert packed is not None
    try:
        firsts = device.empty(n * FIRSTS, rows.id_dtype)
    except ResourceError:
        return rows
    if rows.plan is not None and rows.plan.spare:
        ledger_of(device).charge(firsts, rows.plan.spare, owner)
    defines = {**index_defines(rows.id_dtype, rows.num_arcs), **rows.form}
    kernel = device.kernel("firsts.cuh", "first_neighbours", defines)
    device.launch(kernel, blocks_for(device, n, THREADS), THREADS, np.uint64(n), rows.offsets, rows.ids, firsts)
    return replace(rows, packed=_described(device, rows.neighbours, packed._replace(firsts=firsts)))


def _unpackable(device: Device, there: DeviceRows, array: PackedArray, owner: DeviceGraph) -> DeviceRows:
    """Rows whose neighbours are words, with what a kernel needs to unpack them."""
    heads, bases, bits = (device.upload(array.heads), device.upload(array.bases), np.uint32(array.given[3]))
    masks = device.upload(array.masks()) if there.on_host else None
    known = _described(device, there.neighbours, Packed(heads, bases, bits, array.dtype, array.nbytes, None, masks))
    rows = replace(there, num_arcs=array.size, packed=known)
    if rows.plan is not None and rows.plan.with_directory:
        try:
            directory = device.empty(array.heads.size * DIRECTORY_BYTES, np.uint8)
        except ResourceError:
            return rows
        ledger_of(device).charge(directory, directory.nbytes, owner)
        kernel = device.kernel("firsts.cuh", "make_directory", {**index_defines(array.dtype, array.size), **rows.form})
        device.launch(kernel, blocks_for(device, array.heads.size, THREADS), THREADS, rows.ids, directory)
        known = _described(device, rows.neighbours, known._replace(directory=directory))
    return replace(rows, packed=known)


def _described(device: Device, words: Any, packed: Packed) -> Packed:
    """The same, described for kernels that take one pointer: the fields of ``Packed`` in packed_rows.cuh."""
    groups = packed.heads.size
    words, heads, bases, *made = (
        0 if part is None else device.address(part)
        for part in (words, packed.heads, packed.bases, packed.masks, packed.firsts, packed.directory)
    )
    fields = np.array([words, heads, bases, int(packed.bits), groups, *made], np.uint64)
    return packed._replace(described=device.upload(fields))
