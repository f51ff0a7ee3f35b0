#pragma once
// Connected components in one cooperative launch, for short rows on the host: every edge is read over the link once. A
// block copies the edges of a tile of consecutive vertices into GPU memory and joins those within the tile in shared
// memory. It adds its trees to those of all vertices, then joins the edges that leave the tile. components_tiled.cuh,
// for edges in GPU memory, waits for all tiles before it follows any, and reads edges as often as it needs them.
#include "common.cuh"
#include "union_find.cuh"
#include "tile_trees.cuh"

#ifndef TILE
#define TILE 4096  // vertices, the most, a power of two; each takes six bytes of shared memory
#endif
static_assert(TILE <= 1 << 16, "a vertex of a tile is a number of 16 bits");

// The short rows of a tile, of which as many edges as there is room for are brought here, line by line.
__device__ __forceinline__ ShortRows bring(const Tile& tile, const offset_t* offsets, const index_t* neighbours,
                                           index_t* staged, u64 room) {
    const offset_t first = offsets[tile.base], all = offsets[tile.base + tile.size] - first;
    const u64 count = (u64)all < room ? (u64)all : room;
    const u32 head = after_line(neighbours, (u64)first);
    for (u64 k = threadIdx.x; k < count + head; k += blockDim.x)
        if (k >= head) staged[k - head] = neighbours[first + (offset_t)(k - head)];
    __syncthreads();
    return {offsets, staged, first, first + (offset_t)count};
}

// staged: `room` entries for each block. state: [0] long rows in `list`, [1] whether any row is not short.
extern "C" __global__ void __launch_bounds__(512) components_staged(u64 n, const offset_t* offsets,
                                                                    const index_t* neighbours, int symmetric,
                                                                    index_t* parent, index_t* list, index_t* staged,
                                                                    u64 room, u32* state, u32* barrier) {
    u32* const parent_room = dynamic_shared<u32>();  // TILE words, then TILE halves
    u16* const settled_room = reinterpret_cast<u16*>(parent_room + TILE);
    const u32 bits = bits_of_tiles(n, TILE);
    if (thread_in_grid() == 0) state[0] = state[1] = 0;
    point_to_self(n, parent);
    grid_sync(barrier);
    for (u64 number = blockIdx.x; number << bits < n; number += gridDim.x) {
        const Tile tile = tile_of(number, bits, n, parent_room, settled_room);
        const ShortRows rows = bring(tile, offsets, neighbours, staged + blockIdx.x * room, room);
        plant(tile, rows);
        settle(tile);
        join_tile(tile, rows, symmetric);
        // Others may have joined vertices of this tile to theirs already: what is known here is added, never written.
        for (u32 i = threadIdx.x; i < tile.size; i += blockDim.x)
            if (tile.settled[i] != i) join(parent, (index_t)(tile.base + i), (index_t)(tile.base + tile.settled[i]));
        for (u32 i = threadIdx.x; i < tile.size; i += blockDim.x) {
            const index_t v = (index_t)(tile.base + i);
            const offset_t begin = offsets[v], end = offsets[v + 1];
            if (end - begin > SHORT_ROW) {
                state[1] = 1;
            } else if (!rows.have(begin, end)) {
                for (offset_t j = begin; j < end; j++) join(parent, v, neighbours[j]);
            } else {
                for (offset_t j = begin; j < end; j++) {
                    const index_t u = rows.neighbour(j);
                    if ((u < v || !symmetric) && !tile.has((u64)u)) join(parent, v, u);
                }
            }
        }
        __syncthreads();
    }
    grid_sync(barrier);
    if (state[1]) join_others(n, offsets, neighbours, parent, list, state, barrier);
    flatten(n, parent);
}
