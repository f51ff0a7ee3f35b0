#pragma once
// The places where a mask is true, ascending. Every warp counts SPAN places, the host adds up the counts, and every
// warp writes from its own start. MASK_BITS 1: the mask has a bit for every place, 32 a word, in place of a byte. TAKE
// 1: what `values` has there comes along.

#include "common.cuh"

#define SPAN (WARP * WARP)

// Which of places first...first + 31 are true; the same in all lanes.
__device__ __forceinline__ u32 word_at(const mask_t* mask, u64 first, u64 count) {
#if MASK_BITS
    const u32 word = mask[first / WARP];
    return count - first < WARP ? word & ((1u << (count - first)) - 1) : word;
#else
    return __ballot_sync(ALL_LANES, first + lane() < count && mask[first + lane()]);
#endif
}

extern "C" __global__ void count_true(const mask_t* mask, u64 count, u64 num_spans, long long* counts) {
    for (u64 span = warp_in_grid(); span < num_spans; span += warps_in_grid()) {
        u32 found = 0;
        for (u64 first = span * SPAN; first < (span + 1) * SPAN && first < count; first += WARP)
            found += (u32)__popc(word_at(mask, first, count));
        if (lane() == 0) counts[span] = found;
    }
}

extern "C" __global__ void write_true(const mask_t* mask, u64 count, u64 num_spans, const long long* ends, id_t* places,
                                      const taken_t* values, taken_t* taken) {
    for (u64 span = warp_in_grid(); span < num_spans; span += warps_in_grid()) {
        u64 written = span == 0 ? 0 : (u64)ends[span - 1];
        for (u64 first = span * SPAN; first < (span + 1) * SPAN && first < count; first += WARP) {
            const u32 word = word_at(mask, first, count);
            if (word >> lane() & 1u) {
                const u64 place = written + (u64)__popc(word & lanes_below());
                places[place] = (id_t)(first + lane());
#if TAKE
                taken[place] = values[first + lane()];
#endif
            }
            written += (u64)__popc(word);
        }
    }
#if !TAKE
    (void)values;
    (void)taken;
#endif
}
