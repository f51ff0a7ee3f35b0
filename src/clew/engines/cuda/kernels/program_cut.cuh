#pragma once
// EtaGraph's Unified Degree Cut for vertex programs. Before a push, the queue is cut into pieces of at most CUT edges;
// those of exactly CUT are kept apart. The queue itself keeps a row for every active vertex, for the trace, for pulls,
// and for the end of the run. A vertex without edges has no piece.
//
// Sizes rotate by threes, as the counters of program.cuh do.
#include "frontier.cuh"

struct Pieces {
    Row *full, *rest;
    u64 *full_sizes, *rest_sizes;

    __device__ __forceinline__ void clear(u32 turn) const { full_sizes[turn] = rest_sizes[turn] = 0; }

    __device__ __forceinline__ void cut(const Rows& active, u32 turn, const Team& team) const {
        Queue queue{rest, full, rest_sizes + turn, full_sizes + turn, nullptr};
        for (u64 base = (u64)team.warp * WARP; base < active.count; base += (u64)team.warps * WARP) {
            const bool mine = base + lane() < active.count;
            const Row row = mine ? active.row((count_t)base + lane()) : Row{0, 0, 0, 0};
            const u64 pieces = (u64)(row.end - row.first) / CUT;
            const offset_t left = row.first + (offset_t)(pieces * CUT);
            queue.put_full(row.vertex, row.first, pieces);
            queue.put(left < row.end, row.vertex, left, row.end);
        }
    }

    // When all have cut.
    __device__ __forceinline__ Rows full_rows(u32 turn) const {
        return rows_of(full, *(volatile u64*)(full_sizes + turn));
    }
    __device__ __forceinline__ Rows other_rows(u32 turn) const {
        return rows_of(rest, *(volatile u64*)(rest_sizes + turn));
    }
};
