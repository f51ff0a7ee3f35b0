"""What kernels read packed neighbours with, over gaps of up to 57 bits: by warp, lane, tile, and search."""

from __future__ import annotations

import numpy as np
import pytest

import clew
from clew.adjacency import Adjacency
from clew.engines.cuda.emulation.device import the_emulation
from clew.engines.cuda.memory import packed_rows
from clew.engines.cuda.memory.packed_rows import packed_on
from clew.packed import MOST_BITS
from tests.cuda.emulated import kernel
from tests.on_gpu import emulation_only

pytestmark = emulation_only

LENGTHS = (0, 1, 31, 32, 33, 0, 63, 64, 65, 0, 0, 127, 129, 300, 1, 2)
READERS = """
#include "neighbours.cuh"
#define COUNT 100
#define FEW FIRSTS
extern "C" __global__ void by_warp(const ids_t* ids, const offset_t* offsets, const index_t* rows, u64 edges,
                                   index_t* out) {
    Neighbours neighbours(ids, offsets);
    for (u64 first = warp_in_grid() * WARP; first < edges; first += warps_in_grid() * WARP) {
        const u64 edge = first + lane();
        const index_t found = neighbours.at(edge < edges, edge < edges ? rows[edge] : 0, (offset_t)edge);
        if (edge < edges) out[edge] = found;
    }
}
extern "C" __global__ void by_lane(const ids_t* ids, const offset_t* offsets, u32 rows, index_t* out) {
    for (u64 row = thread_in_grid(); row < rows; row += threads_in_grid()) {
        OneRow neighbours(ids, offsets[row], offsets[row] < offsets[row + 1]);
        for (offset_t edge = offsets[row]; edge < offsets[row + 1]; edge++) out[edge] = neighbours.next();
    }
}
extern "C" __global__ void by_few(const ids_t* ids, const offset_t* offsets, u32 rows, index_t* out) {
    for (u64 row = thread_in_grid(); row < rows; row += threads_in_grid()) {
        RowBegin neighbours(ids, offsets[row]);
        const offset_t end = offsets[row + 1];
        for (offset_t edge = offsets[row]; edge < end; edge += FEW) {
            index_t found[FEW];
            neighbours.take(found, (index_t)row, edge, (u64)(end - edge));
            for (u32 k = 0; k < FEW; k++) {
                if (edge + k < end) out[edge + k] = found[k];
                else if (found[k] != -1) out[offsets[row]] = -2;
            }
        }
    }
}
extern "C" __global__ void by_tile(const ids_t* ids, const offset_t* offsets, u32 rows, u64 edges, index_t* out) {
    __shared__ u32 room[ROOM_OF(COUNT)];
    __shared__ u32 starts[2 * GROUPS_OF(COUNT)];
    for (u64 first = 0; first < edges; first += COUNT) {
        const u64 begin = first / GROUP * GROUP, last = first + COUNT < edges ? first + COUNT : edges;
        for (u32 k = lane(); k < 2 * GROUPS_OF(COUNT); k += WARP) starts[k] = 0;
        __syncwarp(ALL_LANES);
        for (u32 row = lane(); row < rows; row += WARP) {
            const u64 at = (u64)offsets[row] - begin;
            if (offsets[row] >= begin && offsets[row] < last) atomicOr(starts + at / 32, 1u << (at % 32));
        }
        __syncwarp(ALL_LANES);
        unpack(*ids, first, (u32)(last - first), starts, room, [&](u32 k, index_t found) { out[first + k] = found; });
        __syncwarp(ALL_LANES);
    }
}
extern "C" __global__ void by_search(const ids_t* ids, const offset_t* offsets, const index_t* rows,
                                     const index_t* wanted, u64 many, int* out) {
    for (u64 k = thread_in_grid(); k < many; k += threads_in_grid())
        out[k] = is_among(ids, offsets[rows[k]], offsets[rows[k] + 1], wanted[k]);
}
"""


def rows_with(gap: int, common: bool) -> Adjacency:
    """Rows with gaps of this size, which fit a row as often as it has room: all of them, or one among small ones."""
    random, most, rows = np.random.default_rng(gap % 97), 1 << MOST_BITS, []
    for length in LENGTHS:
        gaps = random.integers(0, 3, length)
        wide = np.arange(1, length) if common else random.integers(1, max(2, length), 2)
        wide = wide[wide < length][: most // gap - 1]
        gaps[wide] = gap
        rows.append(np.cumsum(gaps))
    indptr = np.concatenate(([0], np.cumsum(LENGTHS)))
    return Adjacency(indptr, np.concatenate(rows), width=most)


@pytest.mark.parametrize(("mode", "firsts"), [("device", False), ("device", True), ("zero_copy", False)])
@pytest.mark.parametrize("common", [True, False], ids=["all", "some"])
@pytest.mark.parametrize("gap", [2**32 - 1, 2**32, 2**40, 2**56])
def test_wide_gaps(gap, common, mode, firsts, monkeypatch):
    monkeypatch.setattr(packed_rows, "FIRSTS_PART", 1e9)
    device, plain = the_emulation(), rows_with(gap, common)
    ids, many, n = plain.indices, plain.num_arcs, plain.num_vertices
    assert np.diff(ids).max() >= gap
    with clew.memory(mode, packed=True):
        packed = packed_on(device, plain, firsts=firsts)
    assert (packed.packed.firsts is not None) == firsts
    defines = {name: packed.defines[name] for name in ("index_t", "offset_t")} | packed.form
    assert defines == {
        "index_t": "long long",
        "offset_t": "unsigned int",
        "PACKED": 1,
        "ON_HOST": int(mode != "device"),
        "DIRECTORY": int(mode == "device"),
    }
    if firsts:
        defines["DIRECTORY"] = 0  # as without room for one
    of_edge = np.repeat(np.arange(n), LENGTHS)
    read = (packed.ids, packed.offsets)

    def found(name: str, count: int, dtype: str, *given: object, blocks: int = 2) -> np.ndarray:
        out = device.full(count, -1, dtype)
        device.launch(kernel(device, READERS, name, defines), blocks, 64 if blocks > 1 else 32, *read, *given, out)
        return device.download(out)

    assert np.array_equal(found("by_few", many, "int64", np.uint32(n)), ids)
    assert np.array_equal(found("by_warp", many, "int64", device.upload(of_edge), np.uint64(many)), ids)
    assert np.array_equal(found("by_lane", many, "int64", np.uint32(n)), ids)
    assert np.array_equal(found("by_tile", many, "int64", np.uint32(n), np.uint64(many), blocks=1), ids)
    wanted = np.concatenate([ids, ids + 1, ids - 1, ids ^ 2**32])  # the last differs above 32 bits alone
    rows = np.tile(of_edge, 4)
    of_row = [set(part.tolist()) for part in np.split(ids, plain.indptr[1:-1])]
    expected = [int(number) in of_row[row] for number, row in zip(wanted, rows, strict=True)]
    given = (device.upload(rows), device.upload(wanted), np.uint64(wanted.size))
    assert found("by_search", wanted.size, "int32", *given).astype(bool).tolist() == expected
