#pragma once
// Trees of a tile grow together in rounds: every edge between two trees lowers the pointer of the larger root, then all
// find their roots again. An edge that lost to another is seen by the next round; a row without such an edge is not
// looked at any more.

#include "tile_trees.cuh"

#define REMEMBERED 64  // rows of a thread of which it remembers whether they are done with

__device__ __forceinline__ void join_tile(const Tile& tile, const ShortRows& rows, int both_ways) {
    u64 done = 0;
    for (;;) {
        bool joined = false;
        u32 k = 0;
        for (u32 i = threadIdx.x; i < tile.size; i += blockDim.x, k++) {
            if (k < REMEMBERED && (done >> k & 1)) continue;
            const offset_t begin = rows.offsets[tile.base + i], end = rows.offsets[tile.base + i + 1];
            const u32 own = tile.settled[i];
            bool crossed = false;
            if (rows.have(begin, end)) {
                for (offset_t j = begin; j < end; j++) {
                    const u64 u = (u64)rows.neighbour(j);
                    if (!tile.has(u) || (both_ways && u > tile.base + i)) continue;
                    const u32 other = tile.settled[u - tile.base];
                    if (own == other) continue;
                    atomicMin(&tile.parent[own > other ? own : other], own > other ? other : own);
                    crossed = true;
                }
            }
            joined |= crossed;
            if (k < REMEMBERED && !crossed) done |= 1ull << k;
        }
        if (!__syncthreads_or(joined)) return;
        settle(tile);
    }
}
