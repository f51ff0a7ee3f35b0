#pragma once
// Searches in ascending numbers. A search of low…high-1 returns high for none.
#include "common.cuh"

// Where the first entry above a limit is.
__device__ __forceinline__ offset_t first_above(const double* sums, offset_t low, offset_t high, double limit) {
    while (low < high) {
        const offset_t middle = low + (high - low) / 2;
        if (sums[middle] > limit) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

// Where the first neighbour of v or more is in a row.
__device__ __forceinline__ offset_t first_neighbour(const index_t* neighbours, offset_t low, offset_t high, index_t v) {
    while (low < high) {
        const offset_t middle = low + (high - low) / 2;
        if (neighbours[middle] < v) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// Whether v is in the row of u.
__device__ __forceinline__ bool has_edge(const offset_t* offsets, const index_t* neighbours, index_t u, index_t v) {
    const offset_t place = first_neighbour(neighbours, offsets[u], offsets[u + 1], v);
    return place < offsets[u + 1] && neighbours[place] == v;
}
