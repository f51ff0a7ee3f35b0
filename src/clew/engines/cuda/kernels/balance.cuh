#pragma once
// Load balance: how the edges of active vertices are shared among warps. One file each, one signature:
//
//     expand(full, rows, longest, team, visitor)
//
// calls, with all lanes of a warp together, for every edge of every row
//
//     value = visitor.value_at(valid, vertex)                once for a row, by one lane
//     edge = visitor.fetch(valid, vertex, position)          what is stored of the edge; all lanes take part
//     seen = visitor.look(valid, edge)                       what is known of its end
//     visitor.visit(valid, vertex, value, edge, seen)        lanes with valid = false have nothing to do but vote
//
// so that a strategy may fetch several edges before it visits the first. BALANCE is one of the numbers below.
#define BALANCE_THREAD 0
#define BALANCE_WARP 1
#define BALANCE_BLOCK 2
#define BALANCE_DEGREE_CUT 3
#define BALANCE_MERGE_PATH 4
#define BALANCE_AUTO 5
#ifndef BALANCE
#define BALANCE BALANCE_AUTO
#endif
#include "balance_auto.cuh"
#include "balance_block.cuh"
#include "balance_degree_cut.cuh"
#include "balance_merge_path.cuh"
#include "balance_thread.cuh"
#include "balance_warp.cuh"

template <class F, class V>
__device__ __forceinline__ void expand(const F& full, const F& rows, u64 longest, const Team& team, V& visitor) {
    (void)full, (void)longest;
#if BALANCE == BALANCE_THREAD
    expand_thread(rows, team, visitor);
#elif BALANCE == BALANCE_WARP
    expand_warp(rows, team, visitor);
#elif BALANCE == BALANCE_BLOCK
    expand_block(rows, team, visitor);
#elif BALANCE == BALANCE_DEGREE_CUT
    expand_degree_cut(full, rows, team, visitor);
#elif BALANCE == BALANCE_MERGE_PATH
    expand_merge_path(rows, team, visitor);
#else
    expand_auto(rows, longest, team, visitor);
#endif
}
