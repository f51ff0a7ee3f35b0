#pragma once
// Edges of the active vertices, numbered one after the other: whose is number p? `ends` are running sums of degrees.

#include "common.cuh"

// The first k in low...high - 1 with ends[k] > position; high if there is none.
__device__ __forceinline__ u64 owner_of(const long long* ends, u64 low, u64 high, u64 position) {
    while (low < high) {
        const u64 middle = (low + high) / 2;
        if ((u64)ends[middle] > position) high = middle;
        else low = middle + 1;
    }
    return low;
}
