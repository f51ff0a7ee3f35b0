#pragma once
// Merge sort: blocks sort stretches of SORTED items in shared memory, then neighbouring stretches are merged, twice as long
// every time.

#include "block_sort.cuh"

#define SORTED 1024

extern "C" __global__ void sort_stretches(const u64* items, u64* sorted, u64 count) {
    __shared__ u64 places[2 * SORTED];
    for (u64 start = (u64)blockIdx.x * SORTED; start < count; start += (u64)gridDim.x * SORTED) {
        const u64 here = count - start < SORTED ? count - start : SORTED;
        for (u64 k = threadIdx.x; k < here; k += blockDim.x) places[k] = items[start + k];
        const u64* ordered = sort_in_block(places, places + SORTED, here);
        for (u64 k = threadIdx.x; k < here; k += blockDim.x) sorted[start + k] = ordered[k];
        __syncthreads();
    }
}

extern "C" __global__ void merge_stretches(const u64* items, u64* merged, u64 count, u64 width) {
    for (u64 k = thread_in_grid(); k < count; k += threads_in_grid()) merged[place_after(items, count, width, k)] = items[k];
}
