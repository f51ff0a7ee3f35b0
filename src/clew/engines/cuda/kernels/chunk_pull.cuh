#pragma once
#include "common.cuh"
#include "row_sums.cuh"
// What the rows of a chunk pull: sums of what their neighbours pass on. A row that begins in an earlier chunk is added
// to, so chunks come in order. LANES lanes to a row; those with more than LONG edges in the chunk are in a list, and
// have a block each.

#ifndef LANES
#define LANES 4
#endif
#ifndef LONG
#define LONG 2048
#endif

struct Part {
    const offset_t* offsets;
    u64 low, high;

    __device__ __forceinline__ u64 first(u64 v) const { return (u64)offsets[v] > low ? (u64)offsets[v] : low; }
    __device__ __forceinline__ u64 end(u64 v) const {
        return (u64)offsets[v + 1] < high ? (u64)offsets[v + 1] : high;
    }
    __device__ __forceinline__ void put(u64 v, double sum, value_t* pulled) const {
        pulled[v] = (value_t)((u64)offsets[v] < low ? (double)pulled[v] + sum : sum);
    }
};

extern "C" __global__ void __launch_bounds__(512)
    chunk_pull(const offset_t* offsets, const index_t* neighbours, const value_t* factors, u64 first_row, u64 num_rows,
               u64 low, u64 high, u64 base, const index_t* long_rows, u64 num_long, const value_t* passed,
               value_t* pulled) {
    __shared__ double room[WARP];
    const Part part{offsets, low, high};
    for (u64 i = blockIdx.x; i < num_long; i += gridDim.x) {
        const u64 v = (u64)long_rows[i], first = part.first(v), end = part.end(v);
        const sum_t mine = part_of_row((offset_t)(first - base), (offset_t)(end - first), threadIdx.x, blockDim.x,
                                       neighbours, factors, passed);
        const double sum = block_sum((double)mine, room);
        if (threadIdx.x == 0) part.put(v, sum, pulled);
    }
    const u64 groups = threads_in_grid() / LANES, in_warp = lane() / LANES;
    u64 i = thread_in_grid() / LANES;
    for (u64 from = i - in_warp; from < num_rows; from += groups, i += groups) {  // the same for all lanes of the warp
        const u64 v = first_row + (i < num_rows ? i : 0), first = part.first(v), end = part.end(v);
        const bool mine = i < num_rows && first < end && end - first <= LONG;
        const sum_t own = part_of_row((offset_t)(mine ? first - base : 0), (offset_t)(mine ? end - first : 0),
                                      lane() % LANES, LANES, neighbours, factors, passed);
        const sum_t sum = group_sum<LANES>(own);
        if (mine && lane() % LANES == 0) part.put(v, (double)sum, pulled);
    }
}
