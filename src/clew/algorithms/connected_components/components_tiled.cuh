#pragma once
// Connected components in one cooperative launch, for short rows. Neighbours in such graphs (roads, grids) often have
// similar numbers. So a block first joins the edges within a tile of consecutive vertices in shared memory. There,
// following a pointer takes a tenth of the time. Then it joins the edges that leave the tile. If a sample finds few
// edges within tiles, tiles are skipped.
#include "common.cuh"
#include "union_find.cuh"
#include "tile_trees.cuh"

#ifndef TILE
#define TILE 4096  // vertices, the most, a power of two; each takes six bytes of shared memory
#endif
#ifndef TILED
#define TILED 2  // 0: no tiles, 1: tiles, 2: where one edge in LOCAL_ENOUGH of a sample stays within its tile
#endif
static_assert(TILE <= 1 << 16, "a vertex of a tile is a number of 16 bits");
#define LOCAL_ENOUGH 4
#define SAMPLES 1024

// How many edges of a sample stay within tiles; `found` is shared.
__device__ __forceinline__ u32 edges_within(u64 n, u32 bits, const offset_t* offsets, const index_t* neighbours, u32* found) {
    if (threadIdx.x == 0) *found = 0;
    __syncthreads();
    for (u64 i = threadIdx.x; i < SAMPLES; i += blockDim.x) {
        const u64 v = n * i / SAMPLES;
        const offset_t begin = offsets[v], end = offsets[v + 1];
        if (begin < end && ((u64)neighbours[begin + (end - begin) / 2] ^ v) >> bits == 0) atomicAdd(found, 1u);
    }
    __syncthreads();
    const u32 within = *found;
    __syncthreads();
    return within;
}

// Trees of short rows within tiles of 2^bits vertices; `parent_room` and `settled_room` are shared.
__device__ __forceinline__ void join_tiles(u64 n, u32 bits, const offset_t* offsets, const index_t* neighbours,
                                           int symmetric, index_t* parent, u32* parent_room, u16* settled_room) {
    const ShortRows rows = {offsets, neighbours, 0, ALL_EDGES};
    for (u64 number = blockIdx.x; number << bits < n; number += gridDim.x) {
        const Tile tile = tile_of(number, bits, n, parent_room, settled_room);
        plant(tile, rows);
        settle(tile);
        join_tile(tile, rows, symmetric);
        for (u32 i = threadIdx.x; i < tile.size; i += blockDim.x)
            parent[tile.base + i] = (index_t)(tile.base + tile.settled[i]);
    }
}

// state: [0] long rows in `list`, [1] whether any row is not short.
extern "C" __global__ void __launch_bounds__(512) components_tiled(u64 n, const offset_t* offsets,
                                                                   const index_t* neighbours, int symmetric,
                                                                   index_t* parent, index_t* list, u32* state,
                                                                   u32* barrier) {
    u32* const parent_room = dynamic_shared<u32>();  // TILE words, then TILE halves
    u16* const settled_room = reinterpret_cast<u16*>(parent_room + TILE);
    u32 bits = bits_of_tiles(n, TILE);
    bool tiled = TILED == 1;
    if (thread_in_grid() == 0) state[0] = state[1] = 0;
    if (TILED == 2 && n > 0) tiled = edges_within(n, bits, offsets, neighbours, parent_room) * LOCAL_ENOUGH >= SAMPLES;
    if (tiled) {
        join_tiles(n, bits, offsets, neighbours, symmetric, parent, parent_room, settled_room);
    } else {
        bits = 0;  // no edge but a loop stays within
        point_to_first(n, offsets, neighbours, parent);
    }
    grid_sync(barrier);
    for (u64 v = thread_in_grid(); v < n; v += threads_in_grid()) {
        const offset_t begin = offsets[v], end = offsets[v + 1];
        if (end - begin > SHORT_ROW) {
            state[1] = 1;
            continue;
        }
        for (offset_t j = begin; j < end; j++) {
            const index_t u = neighbours[j];
            if ((u < (index_t)v || !symmetric) && ((u64)u ^ v) >> bits != 0) join(parent, (index_t)v, u);
        }
    }
    grid_sync(barrier);
    if (state[1]) join_others(n, offsets, neighbours, parent, list, state, barrier);
    flatten(n, parent);
}
