#pragma once
// The sum of what a row's neighbours hold, times the row's entries where it has any, by several threads. The order of
// the additions depends on the row's length and the number of lanes alone, so sums are reproducible.

// This lane's part: entries `first`, first + step, … of the row, four at a time. So four loads overlap even in a row of
// four entries. What is past the end adds 0.
__device__ __forceinline__ sum_t part_of_row(offset_t begin, offset_t length, u32 first, u32 step, const index_t* neighbours,
                                             const value_t* factors, const value_t* values) {
    sum_t total = 0;
    for (offset_t k = first; k < length; k += 4 * step) {
        index_t u[4];
        sum_t x[4];
        const offset_t left = length - k;
#pragma unroll
        for (u32 i = 0; i < 4; i++) {
            u[i] = 0;
            if (i * step < left) u[i] = neighbours[begin + k + i * step];
        }
#pragma unroll
        for (u32 i = 0; i < 4; i++) {
            x[i] = 0;
            if (i * step < left) x[i] = (sum_t)values[u[i]];
#if FACTORS
            if (i * step < left) x[i] *= (sum_t)factors[begin + k + i * step];
#endif
        }
        total += (x[0] + x[1]) + (x[2] + x[3]);
    }
    return total;
}

// The sum over groups of G neighbouring lanes; all lanes of the warp take part.
template <int G>
__device__ __forceinline__ sum_t group_sum(sum_t value) {
    for (int step = G / 2; step > 0; step /= 2) value += __shfl_xor_sync(ALL_LANES, value, step);
    return value;
}

// The sum over the block, in every thread; `room` is shared memory for a number per warp.
__device__ __forceinline__ double block_sum(double value, double* room) {
    value = warp_sum(value);
    __syncthreads();
    if (lane() == 0) room[warp_in_block()] = value;
    __syncthreads();
    double total = 0;
    for (u32 i = 0; i < blockDim.x / WARP; i++) total += room[i];
    return total;
}
