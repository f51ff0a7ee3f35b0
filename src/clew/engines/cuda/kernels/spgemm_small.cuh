#pragma once
// Rows of a matrix product with at most ROOM products. A block sorts the products of a row by column in shared memory
// and sums the runs, in the order of the edges.
//
// FILL 0 counts the entries of every row, FILL 1 writes them. A matrix without weights has 1 everywhere.

#include "block_sort.cuh"
#include "semiring.cuh"

#define ROOM 1024

struct Matrix {
    const offset_t* offsets;
    const index_t* neighbours;
};

__device__ __forceinline__ u32 owner_in(const u32* ends, u32 count, u32 position) {
    u32 low = 0, high = count;
    while (low < high) {
        const u32 middle = (low + high) / 2;
        if (ends[middle] > position) high = middle;
        else low = middle + 1;
    }
    return low;
}

// The running sums of the degrees that a row's edges lead to. The first warp adds.
__device__ __forceinline__ void add_degrees(const Matrix& b, const index_t* middles, u32 count, u32* ends) {
    if (threadIdx.x < WARP) {
        u32 before = 0;
        for (u32 first = 0; first < count; first += WARP) {
            const u32 k = first + lane();
            u32 degree = 0;
            if (k < count) degree = (u32)(b.offsets[middles[k] + 1] - b.offsets[middles[k]]);
            const u32 sum = before + warp_prefix(degree);
            if (k < count) ends[k] = sum;
            before = __shfl_sync(ALL_LANES, sum, WARP - 1);
        }
    }
    __syncthreads();
}

// The edge of the second matrix that makes product p, and the place of the first's in its row.
__device__ __forceinline__ offset_t edge_of(const Matrix& b, const index_t* middles, const u32* ends, u32 count, u32 p,
                                            u32* owner) {
    *owner = owner_in(ends, count, p);
    return b.offsets[middles[*owner]] + (p - (*owner == 0 ? 0 : ends[*owner - 1]));
}

extern "C" __global__ void spgemm_small(const offset_t* a_offsets, const index_t* a_neighbours, const weight_t* a_weights,
                                        const offset_t* b_offsets, const index_t* b_neighbours, const value_t* b_weights,
                                        const long long* rows, u64 num_rows, long long* lengths, const long long* starts,
                                        index_t* columns, sum_t* sums, sum_t identity, value_t nothing) {
    __shared__ u32 ends[ROOM];
    __shared__ u64 room[2 * ROOM];
    __shared__ u32 heads_of_warp[WARP];
    const Matrix b = {b_offsets, b_neighbours};
    const Source numbers = {nullptr, nullptr, nullptr, identity, nothing};
    for (u64 turn = blockIdx.x; turn < num_rows; turn += gridDim.x) {
        const u64 row = (u64)rows[turn];
        const offset_t start = a_offsets[row];
        const u32 count = (u32)(a_offsets[row + 1] - start);
        const index_t* middles = a_neighbours + start;
        add_degrees(b, middles, count, ends);
        const u32 products = count == 0 ? 0 : ends[count - 1];
        for (u32 p = threadIdx.x; p < products; p += blockDim.x) {
            u32 owner;
            const offset_t edge = edge_of(b, middles, ends, count, p, &owner);
            room[p] = (u64)b_neighbours[edge] << 32 | p;
        }
        const u64* items = sort_in_block(room, room + ROOM, products);
        u64 written = 0;
        for (u32 first = 0; first < products; first += blockDim.x) {
            const u32 p = first + threadIdx.x;
            const bool head = p < products && (p == 0 || items[p] >> 32 != items[p - 1] >> 32);
#if FILL
            const u32 heads = __ballot_sync(ALL_LANES, head);
            if (lane() == 0) heads_of_warp[warp_in_block()] = (u32)__popc(heads);
            __syncthreads();
            if (head) {
                u64 place = (u64)starts[row] + written + (u64)__popc(heads & lanes_below());
                for (u32 warp = 0; warp < warp_in_block(); warp++) place += heads_of_warp[warp];
                sum_t sum = identity;
                for (u32 q = p; q < products && items[q] >> 32 == items[p] >> 32; q++) {
                    u32 owner;
                    const offset_t edge = edge_of(b, middles, ends, count, (u32)items[q], &owner);
                    const weight_t left = a_weights == nullptr ? (weight_t)1 : a_weights[start + owner];
                    const value_t right = b_weights == nullptr ? (value_t)1 : b_weights[edge];
                    const sum_t found = product_of(numbers, left, right);
                    sum = q == p ? found : clew_add(sum, found);
                }
                columns[place] = (index_t)(items[p] >> 32);
                sums[place] = sum;
            }
#endif
            written += (u64)__syncthreads_count(head);
        }
#if !FILL
        if (threadIdx.x == 0) lengths[row] = (long long)written;
        (void)heads_of_warp;
        (void)numbers;
#endif
        __syncthreads();
    }
}
