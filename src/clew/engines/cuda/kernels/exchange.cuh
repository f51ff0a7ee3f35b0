#pragma once
// Conversion of sparse vectors. Kernels use a bit and a value per vertex. In transit, the vertices are a list of ids or
// a bitmap, and their values are packed.
//
// Macros: id_t, and unit_t, an unsigned integer as wide as a value. A warp has a span of 32 words; `ends` are running
// sums of the bits in the spans.
#include "common.cuh"

extern "C" __global__ void count_bits(const u32* words, u64 num_words, u64 num_spans, long long* counts) {
    for (u64 span = warp_in_grid(); span < num_spans; span += warps_in_grid()) {
        const u64 mine = span * WARP + lane();
        const u32 found = sum_of_lanes(mine < num_words ? (u32)__popc(words[mine]) : 0u);
        if (lane() == 0) counts[span] = found;
    }
}

// Calls use(place, vertex) for every bit that is set; places count the bits from the first word on.
template <class Use>
__device__ __forceinline__ void for_each_bit(const u32* words, u64 num_words, u64 num_spans, const long long* ends,
                                             Use use) {
    for (u64 span = warp_in_grid(); span < num_spans; span += warps_in_grid()) {
        const u64 start = span == 0 ? 0 : (u64)ends[span - 1];
        const u64 mine = span * WARP + lane();
        const u32 own = mine < num_words ? words[mine] : 0;
        const u32 before = warp_prefix((u32)__popc(own)) - (u32)__popc(own);
        for (u32 k = 0; k < WARP; k++) {
            const u32 word = __shfl_sync(ALL_LANES, own, k);
            const u32 place = __shfl_sync(ALL_LANES, before, k);
            if (word >> lane() & 1u)
                use(start + place + (u64)__popc(word & lanes_below()), (span * WARP + k) * WARP + lane());
        }
    }
}

extern "C" __global__ void list_bits(const u32* words, u64 num_words, u64 num_spans, const long long* ends, id_t* ids) {
    for_each_bit(words, num_words, num_spans, ends, [&](u64 place, u64 vertex) { ids[place] = (id_t)vertex; });
}

extern "C" __global__ void gather_bits(const u32* words, u64 num_words, u64 num_spans, const long long* ends,
                                       const unit_t* values, unit_t* packed) {
    for_each_bit(words, num_words, num_spans, ends, [&](u64 place, u64 vertex) { packed[place] = values[vertex]; });
}

extern "C" __global__ void scatter_bits(const u32* words, u64 num_words, u64 num_spans, const long long* ends,
                                        const unit_t* packed, unit_t* values) {
    for_each_bit(words, num_words, num_spans, ends, [&](u64 place, u64 vertex) { values[vertex] = packed[place]; });
}

extern "C" __global__ void scatter_list(const id_t* ids, const unit_t* packed, u64 count, unit_t* values) {
    for (u64 k = thread_in_grid(); k < count; k += threads_in_grid()) values[ids[k]] = packed[k];
}

// Words are 0 before.
extern "C" __global__ void set_bits(const id_t* ids, u64 count, u32* words) {
    for (u64 k = thread_in_grid(); k < count; k += threads_in_grid())
        atomicOr(words + ids[k] / WARP, 1u << (u32)(ids[k] % WARP));
}
