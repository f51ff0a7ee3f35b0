#pragma once
// Reading in order, writing in order, reading at random: what a memory gives a GPU. Sums keep the compiler from
// removing reads.

#include "common.cuh"
#include "random.cuh"

#define AT_ONCE 8  // reads of a thread that are under way together

__device__ __forceinline__ void add_up(u64 total, u64* sum) {
    total = warp_sum(total);
    if (lane() == 0) atomicAdd(sum, total);
}

extern "C" __global__ void read_in_order(const u64* values, u64 count, u64* sum) {
    u64 total = 0;
    const u64 step = threads_in_grid();
    u64 place = thread_in_grid();
    for (; place + (AT_ONCE - 1) * step < count; place += AT_ONCE * step) {
        u64 found[AT_ONCE];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) found[k] = values[place + k * step];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) total += found[k];
    }
    for (; place < count; place += step) total += values[place];
    add_up(total, sum);
}

extern "C" __global__ void write_in_order(u64* values, u64 count, u64 value) {
    for (u64 place = thread_in_grid(); place < count; place += threads_in_grid()) values[place] = value;
}

extern "C" __global__ void read_at_random(const u64* values, u64 count, u64 reads, u64* sum) {
    u64 total = 0;
    for (u64 k = thread_in_grid() * AT_ONCE; k < reads; k += threads_in_grid() * AT_ONCE) {
        u64 found[AT_ONCE];
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++) found[i] = values[((random_bits(1, k + i) >> 32) * count) >> 32];
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++) total += found[i];
    }
    add_up(total, sum);
}
