#pragma once
// PageRank by pulling: all rounds in one cooperative launch, one grid sync to a round.
//
//     rank'[v] = damping · Σ over in-edges of passed[u] · share + (1 - damping + damping · stranded) · jump[v]
//
// One array holds a round's ranks: passed[u] is rank[u] divided by spread[u], the number of its out-edges. With
// weighted shares, spread is 1. A vertex that passes nothing on has spread 0 and keeps its rank there. Others do not
// read it, or read it times a share of 0. Ranks are worked out from it when they are needed.
//
// Rows are taken in the order of `order`, in classes by length: a thread, 4 lanes, a warp or the whole block to a row.
// `bounds` has, for each class, where each block's part of it begins: parts of about the same number of edges. BINNED 0
// is for rows of about the same length: LANES lanes to each, in their own order.
#include "clock.cuh"
#include "common.cuh"
#include "row_sums.cuh"

#define CLASSES 4  // of rows: by block, warp, 4 lanes, thread
#ifndef LANES
#define LANES 4
#endif
#ifndef BINNED
#define BINNED 0
#endif
#ifndef THREADS
#define THREADS 256
#define RESIDENT 6  // blocks on a processor at least: how many registers a thread may have
#endif

// What stays the same in all rounds.
struct Walk {
    u64 n;
    const offset_t* offsets;  // of the in-edges
    const index_t* neighbours;
    const value_t* factors;  // the share of every in-edge
    const value_t* spread;   // null where it is the length of the row
    const value_t* jumps;    // null: uniform
    double damping;
};

// Kept from one launch to the next; the first launch of a run overwrites it.
struct Progress {
    double stranded;  // rank where no edge leads on
    double change;    // of the last round
    u32 rounds;
    u32 converged;
};

__device__ __forceinline__ value_t spread_of(const Walk& walk, u64 v, offset_t length) {
    return walk.spread ? walk.spread[v] : (value_t)length;
}

// The new value of a row whose sum is known. `jumping` is the rank that jumps, of which v gets its part; where all get the
// same, it is that part.
__device__ __forceinline__ void finish_row(const Walk& walk, u64 v, offset_t length, sum_t sum, double jumping,
                                           const value_t* now, value_t* later, double& change, double& stranded) {
    const value_t spread = spread_of(walk, v, length);
    const value_t passed = now[v];
    const value_t old = spread > 0 ? passed * spread : passed;
    const double jump = walk.jumps ? jumping * (double)walk.jumps[v] : jumping;
    const value_t rank = (value_t)(walk.damping * (double)sum + jump);
    change += rank > old ? (double)rank - (double)old : (double)old - (double)rank;
    if (!(spread > 0)) stranded += (double)rank;
    later[v] = spread > 0 ? rank / spread : rank;
}

struct Row {
    u64 v;
    offset_t begin, length;
};

// Number i of the rows in `order`; an empty one past the last.
__device__ __forceinline__ Row fetch(const Walk& walk, const index_t* order, u64 i, u64 last) {
    Row row = {0, 0, 0};
    if (i < last) {
        row.v = order ? (u64)order[i] : i;
        row.begin = walk.offsets[row.v];
        row.length = walk.offsets[row.v + 1] - row.begin;
    }
    return row;
}

// Rows first…last-1 of `order`, G lanes to each, by `groups` groups of which this lane is in number `group`.
template <int G>
__device__ __forceinline__ void pull_rows(const Walk& walk, const index_t* order, u64 first, u64 last, u64 group, u64 groups,
                                          double jumping, const value_t* now, value_t* later,
                                          double& change, double& stranded) {
    const u32 sub = lane() % G;
    const u64 in_warp = lane() / G;
    u64 i = first + group;
    Row row = fetch(walk, order, i, last);
    for (u64 base = i - in_warp; base < last; base += groups) {  // the same for all lanes of the warp
        const bool there = i < last;
        i += groups;
        const Row next = fetch(walk, order, i, last);  // on its way while this one is summed
        const sum_t part = part_of_row(row.begin, row.length, sub, G, walk.neighbours, walk.factors, now);
        const sum_t sum = group_sum<G>(part);
        if (there && sub == 0) finish_row(walk, row.v, row.length, sum, jumping, now, later, change, stranded);
        row = next;
    }
}

#if BINNED
__device__ __forceinline__ void pull_long_rows(const Walk& walk, const index_t* order, u64 first, u64 last, double jumping,
                                               const value_t* now, value_t* later, double* room,
                                               double& change, double& stranded) {
    for (u64 i = first; i < last; i++) {
        const u64 v = (u64)order[i];
        const offset_t begin = walk.offsets[v], length = walk.offsets[v + 1] - begin;
        const sum_t part = part_of_row(begin, length, threadIdx.x, blockDim.x, walk.neighbours, walk.factors, now);
        const double sum = block_sum((double)part, room);
        if (threadIdx.x == 0) finish_row(walk, v, length, (sum_t)sum, jumping, now, later, change, stranded);
    }
}
#endif

// A round of this block's rows.
__device__ __forceinline__ void pull(const Walk& walk, const index_t* order, const u64* bounds, double jumping,
                                     const value_t* now, value_t* later, double* room, double& change,
                                     double& stranded) {
#if BINNED
    const u64 blocks = gridDim.x + 1, k = blockIdx.x;
    pull_long_rows(walk, order, bounds[k], bounds[k + 1], jumping, now, later, room, change, stranded);
    bounds += blocks;
    pull_rows<32>(walk, order, bounds[k], bounds[k + 1], threadIdx.x / 32, blockDim.x / 32, jumping, now, later, change,
                  stranded);
    bounds += blocks;
    pull_rows<4>(walk, order, bounds[k], bounds[k + 1], threadIdx.x / 4, blockDim.x / 4, jumping, now, later, change,
                 stranded);
    bounds += blocks;
    pull_rows<1>(walk, order, bounds[k], bounds[k + 1], threadIdx.x, blockDim.x, jumping, now, later, change, stranded);
#else
    pull_rows<LANES>(walk, nullptr, 0, walk.n, thread_in_grid() / LANES, threads_in_grid() / LANES, jumping, now, later,
                     change, stranded);
#endif
}

// The sums over all blocks of two numbers, in every thread, in the order of the blocks; `sums` has a pair a block.
__device__ __forceinline__ void total_of(const double* sums, double* room, double& change, double& stranded) {
    change = stranded = 0;
    for (u32 i = threadIdx.x; i < gridDim.x; i += blockDim.x) {
        change += sums[2 * i];
        stranded += sums[2 * i + 1];
    }
    change = block_sum(change, room);
    stranded = block_sum(stranded, room);
}

// Up to `most` rounds more than the `before` of earlier launches, fewer where one changes less than `tolerance`. After an
// even number of rounds, the shares are in `even`, else in `odd`. `sums` is room for two pairs per block, `trace` for `traced` rounds and the end.
extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT)
    pagerank(u64 n, const offset_t* offsets, const index_t* neighbours, const value_t* factors, const value_t* spread,
             const value_t* jumps, const value_t* start, double damping, double tolerance, u32 before, u32 most,
             const index_t* order, const u64* bounds, value_t* even, value_t* odd, double* sums, Round* trace, u32 traced, value_t* rank,
             Progress* progress, u32* barrier) {
    __shared__ double room[WARP];
    const Walk walk = {n, offsets, neighbours, factors, spread, jumps, damping};
    double change, stranded = 0;
    if (before > 0) stranded = progress->stranded;
    if (before == 0) {  // null: the walk starts anywhere with equal probability
        double mine = 0;
        for (u64 v = thread_in_grid(); v < n; v += threads_in_grid()) {
            const value_t first = start ? start[v] : (value_t)(1 / (double)n);
            const value_t parts = spread_of(walk, v, offsets[v + 1] - offsets[v]);
            even[v] = parts > 0 ? first / parts : first;
            if (!(parts > 0)) mine += (double)first;
        }
        mine = block_sum(mine, room);
        double* own = sums + 2 * (gridDim.x + blockIdx.x);
        if (threadIdx.x == 0) own[0] = 0;
        if (threadIdx.x == 0) own[1] = mine;
        grid_sync(barrier);
        total_of(sums + 2 * gridDim.x, room, change, stranded);
        if (thread_in_grid() == 0 && traced > 0) trace[0].begun = nanoseconds();
        if (thread_in_grid() == 0) *progress = {stranded, 0, 0, 0};
    }
    const value_t* passed = even;
    for (u32 step = 0; step < most; step++) {
        const u32 turn = (before + step) & 1;
        const value_t* now = turn ? odd : even;
        value_t* later = turn ? even : odd;
        double moved = 0, ended = 0;
        const double jumping = 1 - damping + damping * stranded;
        pull(walk, order, bounds, jumps ? jumping : jumping / (double)n, now, later, room, moved, ended);
        moved = block_sum(moved, room);
        ended = block_sum(ended, room);
        double* all = sums + 2 * turn * (u64)gridDim.x;  // those of the round before may still be read
        if (threadIdx.x == 0) all[2 * blockIdx.x] = moved;
        if (threadIdx.x == 0) all[2 * blockIdx.x + 1] = ended;
        grid_sync(barrier);
        total_of(all, room, change, stranded);
        const bool enough = change < tolerance;
        if (thread_in_grid() == 0) {
            if (before + step < traced) trace[before + step].change = change;
            if (before + step + 1 < traced) trace[before + step + 1].begun = nanoseconds();
            if (enough || step + 1 == most) {
                progress->stranded = stranded;
                progress->change = change;
                progress->rounds = before + step + 1;
                progress->converged = enough;
            }
        }
        passed = later;
        if (enough) break;
    }
    for (u64 v = thread_in_grid(); v < n; v += threads_in_grid()) {
        const value_t parts = spread_of(walk, v, offsets[v + 1] - offsets[v]);
        rank[v] = parts > 0 ? passed[v] * parts : passed[v];
    }
}
