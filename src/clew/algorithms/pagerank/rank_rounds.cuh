#pragma once
// PageRank as products: what is between two products of the matrix with the vector of what vertices pass on.
//
// `passed` has rank[v] / spread[v], as in pagerank.cuh; `moved` has the same under the names that the product goes by,
// if there are any. The sums that decide about the next round are made per block, then by one block in the order of the
// blocks.
#include "clock.cuh"
#include "common.cuh"
#include "row_sums.cuh"

// Kept from one round to the next; the step before the first round overwrites it.
struct Progress {
    double stranded;  // rank where no edge leads on
    double change;    // of the last round
    u32 rounds;
    u32 converged;
};

__device__ __forceinline__ value_t spread_at(const offset_t* offsets, const value_t* spread, u64 v) {
    return spread ? spread[v] : (value_t)(offsets[v + 1] - offsets[v]);
}

__device__ __forceinline__ void put_sums(double change, double stranded, double* sums) {
    __shared__ double room[WARP];
    change = block_sum(change, room);
    stranded = block_sum(stranded, room);
    if (threadIdx.x == 0) {
        sums[2 * blockIdx.x] = change;
        sums[2 * blockIdx.x + 1] = stranded;
    }
}

// If `start` is null, the walk starts anywhere with equal probability.
extern "C" __global__ void first_round(u64 n, const offset_t* offsets, const value_t* spread, const value_t* start,
                                       const index_t* names, value_t* passed, value_t* moved, double* sums) {
    double stranded = 0;
    for (u64 v = thread_in_grid(); v < n; v += threads_in_grid()) {
        const value_t first = start ? start[v] : (value_t)(1 / (double)n);
        const value_t parts = spread_at(offsets, spread, v);
        const value_t passing = parts > 0 ? first / parts : first;
        passed[v] = passing;
        if (names != nullptr) moved[names[v]] = passing;
        if (!(parts > 0)) stranded += (double)first;
    }
    put_sums(0, stranded, sums);
}

// New ranks of what was pulled, and what they pass on. Does nothing once the ranks have settled.
extern "C" __global__ void next_round(u64 n, const offset_t* offsets, const value_t* spread, const value_t* jumps,
                                      const value_t* pulled, double damping, const index_t* names, value_t* passed,
                                      value_t* moved, double* sums, const Progress* progress) {
    if (progress->converged) return;
    double change = 0, stranded = 0;
    const double jumping = 1 - damping + damping * progress->stranded;
    for (u64 v = thread_in_grid(); v < n; v += threads_in_grid()) {
        const value_t parts = spread_at(offsets, spread, v);
        const value_t old = parts > 0 ? passed[v] * parts : passed[v];
        const double jump = jumps ? jumping * (double)jumps[v] : jumping / (double)n;
        const value_t rank = (value_t)(damping * (double)pulled[v] + jump);
        change += rank > old ? (double)rank - (double)old : (double)old - (double)rank;
        if (!(parts > 0)) stranded += (double)rank;
        const value_t passing = parts > 0 ? rank / parts : rank;
        passed[v] = passing;
        if (names != nullptr) moved[names[v]] = passing;
    }
    put_sums(change, stranded, sums);
}

// By one block: the sums over all others, and whether that was enough. Before the first round there is no change to note,
// but when it began.
extern "C" __global__ void close_round(u32 blocks, const double* sums, double tolerance, int started, Round* trace,
                                       u32 traced, Progress* progress) {
    __shared__ double room[WARP];
    const bool over = started && progress->converged;
    double change = 0, stranded = 0;
    for (u32 i = threadIdx.x; i < blocks; i += blockDim.x) {
        change += sums[2 * i];
        stranded += sums[2 * i + 1];
    }
    change = block_sum(change, room);
    stranded = block_sum(stranded, room);
    if (threadIdx.x == 0 && !over) {
        if (!started) *progress = {0, 0, 0, 0};
        progress->stranded = stranded;
        if (started) {
            if (progress->rounds < traced) trace[progress->rounds].change = change;
            progress->change = change;
            progress->rounds += 1;
            progress->converged = change < tolerance;
        }
        if (progress->rounds < traced) trace[progress->rounds].begun = nanoseconds();
    }
}

extern "C" __global__ void last_ranks(u64 n, const offset_t* offsets, const value_t* spread, const value_t* passed,
                                      value_t* rank) {
    for (u64 v = thread_in_grid(); v < n; v += threads_in_grid()) {
        const value_t parts = spread_at(offsets, spread, v);
        rank[v] = parts > 0 ? passed[v] * parts : passed[v];
    }
}
