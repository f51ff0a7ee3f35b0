#pragma once
// Rows of `words` numbers at random places of a memory, each place a multiple of 128 bytes. Lanes of a warp read numbers that
// follow each other, of one row or, where rows are short, of several: as the kernels do that give every lane equal work.

#include "common.cuh"
#include "random.cuh"

#define AT_ONCE 8  // reads of a thread that are under way together
#define LINE 32    // numbers

extern "C" __global__ void rows_at_random(const u32* values, u64 places, u64 words, u64 reads, u64* sum) {
    u64 total = 0;
    const u64 step = threads_in_grid();
    for (u64 first = thread_in_grid(); first < reads; first += AT_ONCE * step) {
        u32 found[AT_ONCE];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            const u64 read = first + k * step;
            const u64 row = read / words;
            const u64 place = ((random_bits(1, row) >> 32) * places) >> 32;
            found[k] = read < reads ? values[place * LINE + (read - row * words)] : 0;
        }
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) total += found[k];
    }
    total = warp_sum(total);
    if (lane() == 0) atomicAdd(sum, total);
}
