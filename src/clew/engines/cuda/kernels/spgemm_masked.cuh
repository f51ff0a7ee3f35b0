#pragma once
// Entries of a product of matrices where a mask has an edge i → j. V lanes read row i of the first matrix, and search
// for j in the rows of the second. Entries outside the mask are not written.

#include "rows_search.cuh"
#include "semiring.cuh"

// The row that entry e is in: the last one that begins at or before it and is not empty.
__device__ __forceinline__ u64 row_of(const offset_t* offsets, u64 num_rows, u64 entry) {
    u64 low = 0, high = num_rows;
    while (low < high) {
        const u64 middle = (low + high) / 2;
        if ((u64)offsets[middle + 1] > entry) high = middle;
        else low = middle + 1;
    }
    return low;
}

extern "C" __global__ void spgemm_masked(const offset_t* a_offsets, const index_t* a_neighbours,
                                         const weight_t* a_weights, const offset_t* b_offsets,
                                         const index_t* b_neighbours, const value_t* b_weights,
                                         const offset_t* mask_offsets, const index_t* mask_neighbours, u64 num_rows,
                                         u64 num_entries, u8* found, sum_t* sums, sum_t identity, value_t nothing) {
    const Source numbers = {nullptr, nullptr, nullptr, identity, nothing};
    const u32 member = lane() % V;
    for (u64 first = warp_in_grid() * (WARP / V); first < num_entries; first += warps_in_grid() * (WARP / V)) {
        const u64 entry = first + lane() / V;
        sum_t sum = identity;
        bool has = false;
        if (entry < num_entries) {
            const u64 row = row_of(mask_offsets, num_rows, entry);
            const index_t column = mask_neighbours[entry];
            const bool again = entry > (u64)mask_offsets[row] && mask_neighbours[entry - 1] == column;
            const offset_t end = again ? 0 : a_offsets[row + 1];
            for (offset_t k = a_offsets[row] + member; k < end; k += V) {
                const index_t middle = a_neighbours[k];
                const offset_t last = b_offsets[middle + 1];
                offset_t edge = first_neighbour(b_neighbours, b_offsets[middle], last, column);
                for (; edge < last && b_neighbours[edge] == column; edge++) {
                    const weight_t left = a_weights == nullptr ? (weight_t)1 : a_weights[k];
                    const value_t right = b_weights == nullptr ? (value_t)1 : b_weights[edge];
                    const sum_t product = product_of(numbers, left, right);
                    sum = has ? clew_add(sum, product) : product;
                    has = true;
                }
            }
        }
#pragma unroll
        for (u32 step = V / 2; step > 0; step /= 2) {
            const sum_t other = from_lane_above(sum, step);
            const bool other_has = __shfl_down_sync(ALL_LANES, (u32)has, step);
            if (other_has && member + step < V) {
                sum = has ? clew_add(sum, other) : other;
                has = true;
            }
        }
        if (entry < num_entries && member == 0) {
            found[entry] = has;
            sums[entry] = sum;
        }
    }
}
