#pragma once
// Products along the edges of the active vertices as a list, with a key for each that brings those together that belong
// together.
//
// KEYS 0: the target. KEYS 1: the target above, the place in the list below: keys for a sort that moves nothing else.
// KEYS 2: groups[owner] above, the target below: entries of a matrix. Targets outside the mask count as `num_vertices`,
// which is after all others.

#include "push.cuh"

#if KEYS == 0
typedef index_t sort_key_t;
#else
typedef u64 sort_key_t;
#endif

extern "C" __global__ void push_list(const offset_t* offsets, const index_t* neighbours, const edge_t* weights,
                                     const index_t* active, const active_t* values, const long long* ends,
                                     u64 num_active, u64 num_edges, const u8* mask, const index_t* groups, sort_key_t* keys,
                                     sum_t* products, u64 num_vertices, sum_t identity, value_t nothing) {
    const Pushes pushes = {offsets, neighbours, weights, active, values, ends, num_active, num_edges};
    const Source numbers = {nullptr, nullptr, nullptr, identity, nothing};
    for_each_push(pushes, [&](u64 position, u64 owner, offset_t edge) {
        index_t target = load_once(neighbours + edge);
        if (mask != nullptr && !mask[target]) target = (index_t)num_vertices;
#if KEYS == 0
        keys[position] = target;
#elif KEYS == 1
        keys[position] = (u64)target << 32 | position;
#else
        keys[position] = (u64)groups[owner] << 32 | (u64)target;
#endif
        products[position] = pushed(pushes, numbers, owner, edge);
    });
#if KEYS != 2
    (void)groups;
#endif
}
