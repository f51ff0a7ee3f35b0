#pragma once
// Products along the edges of the active vertices, each added to a dense vector; a bit says where there is any.

#include "atomics.cuh"
#include "push.cuh"

extern "C" __global__ void push_sum(const offset_t* offsets, const index_t* neighbours, const edge_t* weights,
                                    const index_t* active, const active_t* values, const long long* ends, u64 num_active,
                                    u64 num_edges, const u8* mask, sum_t* sums, u32* touched, sum_t identity,
                                    value_t nothing) {
    const Pushes pushes = {offsets, neighbours, weights, active, values, ends, num_active, num_edges};
    const Source numbers = {nullptr, nullptr, nullptr, identity, nothing};
    for_each_push(pushes, [&](u64, u64 owner, offset_t edge) {
        const index_t target = load_once(neighbours + edge);
        if (mask != nullptr && !mask[target]) return;
        combine_at(sums + target, pushed(pushes, numbers, owner, edge));
        const u32 bit = 1u << (target & 31);
        u32* word = touched + (target >> 5);
        if (!(*static_cast<volatile u32*>(word) & bit)) atomicOr(word, bit);
    });
}
