#pragma once
// Joining over the rows that are not short, when those that are have been gone through.
#include "union_find.cuh"
#include "rows_by_size.cuh"

// listed: how many long rows are in `list`, zeroed. All threads of the grid take part; trees are not flat afterwards.
__device__ __forceinline__ void join_others(u64 n, const offset_t* offsets, const index_t* neighbours, index_t* parent,
                                            index_t* list, u32* listed, u32* barrier) {
    const Rows rows = {offsets, neighbours, nullptr, nullptr};
    const auto others = [=](u64 v) { return offsets[v + 1] - offsets[v] > SHORT_ROW ? (index_t)v : (index_t)-1; };
    const auto join_row = [=](index_t v, const auto& team) { rows.each(v, team, [&](index_t u) { join(parent, v, u); }); };
    by_size(n, rows, others, list, listed, join_row);
    grid_sync(barrier);
    long_rows(list, 0, *listed, join_row);
    grid_sync(barrier);
}
