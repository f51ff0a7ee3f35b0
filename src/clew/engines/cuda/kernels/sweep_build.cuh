#pragma once
// Build the layout of spmv_sweep.cuh, once per graph. Long rows are cut into parts, parts are assigned to tiles, and
// edges, sorted by tile and column, become words.

#include "sweep_word.cuh"

// Every part's row and length. The edges of a row go to its parts in turn, so that neighbouring columns of a hub do not
// wait for each other.
extern "C" __global__ void cut_rows(const offset_t* offsets, const u64* first_parts, u64 num_rows, int* part_rows,
                                    u32* lengths) {
    for (u64 row = thread_in_grid(); row < num_rows; row += threads_in_grid()) {
        const u64 first = first_parts[row], parts = first_parts[row + 1] - first;
        const u64 length = offsets[row + 1] - offsets[row];
        for (u64 i = 0; i < parts; i++) {
            part_rows[first + i] = (int)row;
            lengths[first + i] = (u32)(length / parts + (i < length % parts));
        }
    }
}

// Assign parts to tiles by length, in alternating order. `places` is the position of a part's sum, and `targets` is its
// row, or one of several parts.
extern "C" __global__ void deal_parts(const long long* order, u64 num_parts, u64 num_tiles, u32 tile_rows,
                                      const int* part_rows, const u64* first_parts, u32* places, int* targets) {
    for (u64 k = thread_in_grid(); k < num_parts; k += threads_in_grid()) {
        const u64 lap = k / num_tiles, at = k % num_tiles;
        const u64 place = (lap % 2 ? num_tiles - 1 - at : at) * tile_rows + lap;
        const u64 part = (u64)order[k];
        const int row = part_rows[part];
        places[part] = (u32)place;
        targets[place] = first_parts[row + 1] - first_parts[row] == 1 ? row : -1 - (int)part;
    }
}

// Every edge's place, above its new column in one word, since both are looked up together later; and the column alone, to
// be sorted by. A warp takes as many edges of a row at a time as a part has.
extern "C" __global__ void place_edges(const offset_t* offsets, const index_t* neighbours, const index_t* names,
                                       const u64* first_parts, const int* part_rows, const u32* places, u64 num_parts,
                                       u64* placed, u32* columns) {
    for (u64 part = warp_in_grid(); part < num_parts; part += warps_in_grid()) {
        const u64 row = (u64)part_rows[part], first = first_parts[row];
        const u32 parts = (u32)(first_parts[row + 1] - first);
        const u64 begin = offsets[row], end = offsets[row + 1];
        const u64 from = begin + (part - first) * PART, to = from + PART < end ? from + PART : end;
        for (u64 k = from + lane(); k < to; k += WARP) {
            const u32 place = places[first + (parts == 1 ? 0 : (u32)(k - begin) % parts)];
            const u32 column = (u32)names[neighbours[k]];
            placed[k] = (u64)place << 32 | column;
            columns[k] = column;
        }
    }
}

// For edges in column order: the tile of each as sort key, and the length of every run. A run has the edges of one tile
// whose columns share the upper half.
extern "C" __global__ void find_runs(const long long* order, u64 num_edges, const u64* placed, u32 tile_rows,
                                     u32 runs_per_tile, tile_t* tiles, u32* run_lengths) {
    for (u64 k = thread_in_grid(); k < num_edges; k += threads_in_grid()) {
        const u64 edge = placed[order[k]];
        const u32 tile = (u32)(edge >> 32) / tile_rows;
        tiles[k] = (tile_t)tile;
        atomicAdd(run_lengths + (u64)tile * runs_per_tile + ((u32)edge >> COLUMN_BITS), 1u);
    }
}

// Edges in the order of tile and column, into the steps of their run. Turns are given later.
extern "C" __global__ void pack_edges(const long long* by_column, const long long* order, u64 num_edges,
                                      const u64* placed, u32 tile_rows, u32 runs_per_tile, const u64* run_edges,
                                      const u64* run_steps, const weight_t* weights, u32* words, weight_t* packed,
                                      u32* steps) {
    for (u64 k = thread_in_grid(); k < num_edges; k += threads_in_grid()) {
        const u64 edge = (u64)by_column[order[k]];
        const u32 place = (u32)(placed[edge] >> 32), column = (u32)placed[edge];
        const u64 run = (u64)(place / tile_rows) * runs_per_tile + (column >> COLUMN_BITS);
        const u64 nth = k - run_edges[run];
        const u64 step = run_steps[run] + nth / WARP;
        const u64 at = step * WARP + nth % WARP;
        words[at] = word_of(place % tile_rows, column);
        if (packed != nullptr) packed[at] = weights[edge];
        if (nth % WARP == 0) steps[step] = column >> COLUMN_BITS;
    }
}

// Edges of a step that lead to the same row take turns, lane by lane. A place that was left empty never has its turn: only
// a step without any goes on to the last one.
extern "C" __global__ void give_turns(u64 num_steps, u32 tile_rows, u32* words, u32* steps) {
    for (u64 step = warp_in_grid(); step < num_steps; step += warps_in_grid()) {
        u32* mine = words + step * WARP + lane();
        const u32 word = *mine;
        const u32 same = __match_any_sync(ALL_LANES, row_of(word));
        const bool empty = row_of(word) == tile_rows;
        const u32 turn = empty ? WARP - 1 : (u32)__popc(same & lanes_below());
        *mine = word | turn << COLUMN_BITS;
        const u32 last = warp_max(empty ? 0u : turn);
        if (lane() == 0) steps[step] |= last << COLUMN_BITS;
    }
}
