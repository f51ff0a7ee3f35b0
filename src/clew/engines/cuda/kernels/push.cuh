#pragma once
// Products along the edges of the active vertices: every warp takes equally many edges, of any rows.
//
// `ends` are the running sums of the active vertices' degrees, so that edge p of all belongs to the first k with ends[k] > p.
// LEFT 0: an active vertex's value is the right operand, the edge's weight the left one. LEFT 1, as in a product of matrices:
// the other way round. `values` may be missing: then they are all 1.

#include "owner.cuh"
#include "semiring.cuh"

#ifndef LEFT
#define LEFT 0
#endif
#define SPAN (WARP * EACH)

#if LEFT
typedef weight_t active_t;
typedef value_t edge_t;
#else
typedef value_t active_t;
typedef weight_t edge_t;
#endif

struct Pushes {
    const offset_t* offsets;
    const index_t* neighbours;
    const edge_t* weights;
    const index_t* active;
    const active_t* values;
    const long long* ends;
    u64 num_active;
    u64 num_edges;
};

__device__ __forceinline__ sum_t pushed(const Pushes& pushes, const Source& numbers, u64 owner, offset_t edge) {
    const active_t value = pushes.values == nullptr ? (active_t)1 : pushes.values[owner];
#if WEIGHTED
    const edge_t weight = load_once(pushes.weights + edge);
#else
    const edge_t weight = 1;
#endif
#if LEFT
    return product_of(numbers, value, weight);
#else
    return product_of(numbers, weight, value);
#endif
}

// Calls use(position, owner, edge) for every edge of the active vertices, a warp for SPAN positions at a time.
template <class Use>
__device__ __forceinline__ void for_each_push(const Pushes& pushes, Use use) {
    for (u64 first = warp_in_grid() * SPAN; first < pushes.num_edges; first += warps_in_grid() * SPAN) {
        const u64 last = first + SPAN < pushes.num_edges ? first + SPAN : pushes.num_edges;
        const u64 low = owner_of(pushes.ends, 0, pushes.num_active, first);
        const u64 high = owner_of(pushes.ends, low, pushes.num_active, last - 1) + 1;
        for (u64 position = first + lane(); position < last; position += WARP) {
            const u64 owner = owner_of(pushes.ends, low, high, position);
            const u64 before = owner == 0 ? 0 : (u64)pushes.ends[owner - 1];
            use(position, owner, (offset_t)(pushes.offsets[pushes.active[owner]] + (offset_t)(position - before)));
        }
    }
}
