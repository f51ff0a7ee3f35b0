#pragma once
// Truth values as bytes and as bits, 32 to a word; the bits past the end of the last word are 0.

#include "common.cuh"

extern "C" __global__ void pack_bits(const u8* bytes, u32* words, u64 count) {
    const u64 num_words = (count + WARP - 1) / WARP;
    for (u64 word = warp_in_grid(); word < num_words; word += warps_in_grid()) {
        const u64 place = word * WARP + lane();
        const u32 bits = __ballot_sync(ALL_LANES, place < count && bytes[place]);
        if (lane() == 0) words[word] = bits;
    }
}

extern "C" __global__ void unpack_bits(const u32* words, u8* bytes, u64 count) {
    for (u64 place = thread_in_grid(); place < count; place += threads_in_grid())
        bytes[place] = (u8)(words[place / WARP] >> (place % WARP) & 1u);
}
