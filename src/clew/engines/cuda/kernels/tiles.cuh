#pragma once
// Where every tile of TILE items begins: the row, and so the edge (see merge_path.cuh). Once per graph.

#include "merge_path.cuh"

extern "C" __global__ void find_tiles(const offset_t* offsets, u64 num_rows, u64 num_tiles, index_t* tile_rows) {
    const u64 base = offsets[0];
    const u64 num_edges = offsets[num_rows] - base;
    const u64 all = num_rows + num_edges;
    for (u64 tile = thread_in_grid(); tile <= num_tiles; tile += threads_in_grid()) {
        const u64 diagonal = tile * TILE < all ? tile * TILE : all;
        tile_rows[tile] = (index_t)rows_ended(offsets + 1, base, num_rows, num_edges, diagonal);
    }
}
