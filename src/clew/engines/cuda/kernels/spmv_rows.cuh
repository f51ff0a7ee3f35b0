#pragma once
// y[i] = ⊕ over row i of w ⊗ x[j]: V lanes for every row, 32 / V rows for every warp (the mapping of LightSpMV).
//
// Warps go through the rows in strides of the grid. STOP 1: a row ends when its sum has reached the terminal value.
// STOP 2: any product will do. OUT_BITS 1: results are truth values, written to a zeroed bit vector.

#include "semiring.cuh"

#ifndef STOP
#define STOP 0
#endif
#ifndef OUT_BITS
#define OUT_BITS 0
#endif
#define ROWS_AT_ONCE (WARP / V)
#define UNROLL 4

// The sum of this lane's share of a row, edges start + member, start + member + V, ...; of no use where there are none.
__device__ __forceinline__ sum_t sum_of_share(const Source& source, offset_t start, offset_t end, u32 member,
                                                 sum_t terminal) {
    sum_t sum = source.identity;
#if STOP == 2
    if (start < end && member == 0) sum = product_at(source, start);
#elif STOP == 1
    // The lanes of a row stop together: one that has seen the terminal value tells the others.
    const u32 mates = (V == WARP ? ALL_LANES : ((1u << (V & 31)) - 1) << (lane() / V * V));
    offset_t k = start + member;
    bool open = k < end;
    if (open) {
        sum = product_at(source, k);
        k += V;
    }
    while (__any_sync(ALL_LANES, open && k < end)) {
        for (int i = 0; i < UNROLL && open && k < end; i++, k += V) sum = clew_add(sum, product_at(source, k));
        const u32 reached = __ballot_sync(ALL_LANES, start + member < end && sum == terminal);
        if (reached & mates) open = false;
    }
#else
    (void)terminal;
    if (end - start > member) {
        for (offset_t k = start + member; k < end; k += UNROLL * V) {
            sum_t found[UNROLL];
            products_at<UNROLL>(source, k, end, V, found);
            sum = k == start + member ? found[0] : clew_add(sum, found[0]);
#pragma unroll
            for (int i = 1; i < UNROLL; i++)
                if (end - k > i * V) sum = clew_add(sum, found[i]);
            if (end - k <= UNROLL * V) break;
        }
    }
#endif
    return sum;
}

__device__ __forceinline__ void one_turn(const offset_t* offsets, const Source& source, const u8* mask, void* out,
                                         u64 first, u64 num_rows, sum_t terminal) {
    const u32 member = lane() % V;
    const u64 row = first + lane() / V;
    const bool active = row < num_rows && (mask == nullptr || mask[row]);
    const offset_t start = active ? offsets[row] : 0;
    const offset_t end = active ? offsets[row + 1] : 0;
    sum_t sum = sum_of_share(source, start, end, member, terminal);
    const offset_t degree = end - start;
#if STOP != 2
    sum = sum_of_lanes<V>(sum, member, degree < V ? (u32)degree : V);
#endif
    if (!active || member != 0) return;
    if (degree == 0) sum = source.identity;
#if OUT_BITS
    if (sum) atomicOr(static_cast<u32*>(out) + (row >> 5), 1u << (row & 31));
#else
    static_cast<sum_t*>(out)[row] = sum;
#endif
}

extern "C" __global__ void spmv_rows(const offset_t* offsets, const index_t* neighbours, const weight_t* weights,
                                     const x_word_t* x, const u8* mask, void* out, u64 num_rows, sum_t identity,
                                     value_t nothing, sum_t terminal) {
    const Source source = {neighbours, weights, x, identity, nothing};
    for (u64 first = warp_in_grid() * ROWS_AT_ONCE; first < num_rows; first += warps_in_grid() * ROWS_AT_ONCE)
        one_turn(offsets, source, mask, out, first, num_rows, terminal);
}
