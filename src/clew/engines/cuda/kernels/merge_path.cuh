#pragma once
// The ends of rows and the edges as one sequence, in the order in which they are passed: every row's end after its edges.
// Cut into tiles of equal length, it gives equal work however long or short the rows are (Merrill and Garland's merge path).

#include "common.cuh"

// How many rows have ended among the first `diagonal` items. End k of `ends`, less `base`, is how many edges come before it.
template <class Ends>
__device__ __forceinline__ u64 rows_ended(const Ends* ends, u64 base, u64 num_rows, u64 num_edges, u64 diagonal) {
    u64 low = diagonal > num_edges ? diagonal - num_edges : 0;
    u64 high = diagonal < num_rows ? diagonal : num_rows;
    while (low < high) {
        const u64 middle = (low + high) / 2;
        if ((u64)ends[middle] - base <= diagonal - 1 - middle) low = middle + 1;
        else high = middle;
    }
    return low;
}
