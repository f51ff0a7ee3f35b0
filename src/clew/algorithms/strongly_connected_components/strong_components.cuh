#pragma once
// Strongly connected components by signatures: the first vertex that leads to each vertex, and the first that it leads
// to. Where both are the same, that vertex is in the component. Edges between different signatures lie in no component,
// and are dropped with those of complete components. Then the rest gets new signatures.
//
// A signature spreads along the edges, and by pointers: what leads to the vertex that leads to v leads to v as well.
// "First" is by a key, a permutation of the ids that looks random. With ids, pointers would not help along a path of
// ascending ids.
//
// After G. Alabandi, W. Sands, G. Biros, M. Burtscher: "A GPU algorithm for detecting strongly connected components",
// SC 2023.

#include "common.cuh"
#include "edge_numbers.cuh"
#include "steps.cuh"

#define SWEEPS_PER_LOOK 2  // of the edges, before the grid meets and asks if anything changed

template <int BYTES>
struct Key {
    typedef u64 type;
};
template <>
struct Key<4> {
    typedef u32 type;
};
typedef Key<sizeof(index_t)>::type order_t;

#define HALF (4 * (int)sizeof(order_t))  // of the bits
#define ONE_FACTOR ((order_t)0x9E3779B97F4A7C15ull)
#define OTHER_FACTOR ((order_t)0xBF58476D1CE4E5B9ull)

// The number that undoes a product with an odd one, by Newton's method: every step doubles the bits that are right.
__device__ constexpr order_t inverse(order_t odd) {
    order_t found = odd;
    for (int step = 0; step < 6; step++) found *= (order_t)2 - odd * found;
    return found;
}
__device__ __forceinline__ order_t key_of(u64 v) {
    order_t key = (order_t)v * ONE_FACTOR;
    key ^= key >> HALF;
    return key * OTHER_FACTOR;
}
__device__ __forceinline__ u64 vertex_of(order_t key) {
    constexpr order_t first = inverse(OTHER_FACTOR), second = inverse(ONE_FACTOR);
    key *= first;
    key ^= key >> HALF;
    return (u64)(order_t)(key * second);
}

struct Arc {
    index_t from, to;
};
struct Changes {
    u32 changed;
};
struct Progress {
    u32 done;
};
struct Spreading {
    Progress progress;
    Changes steps[3];
    u32 barrier[GRID_BARRIER_WORDS];
};

__device__ __forceinline__ order_t now(const order_t* place) { return *static_cast<const volatile order_t*>(place); }
__device__ __forceinline__ bool lower(order_t* place, order_t key) { return key < now(place) && atomicMin(place, key) > key; }

// Every vertex is its own component so far; loops are not in the list. `number_kept` is 0.
extern "C" __global__ void list_arcs(u64 n, u64 num_arcs, const offset_t* offsets, const index_t* neighbours,
                                     order_t* before, order_t* after, index_t* label, Arc* kept, u64* number_kept) {
    for (u64 v = thread_in_grid(); v < n; v += threads_in_grid()) {
        before[v] = after[v] = key_of(v);
        label[v] = -1;
    }
    each_edge(n, num_arcs, offsets, offsets, [=](bool valid, u64, index_t u, u64 arc) {
        const index_t v = valid ? neighbours[arc] : u;
        const u64 place = take_room(number_kept, u != v);
        if (u != v) kept[place] = {u, v};
    });
}

// Spread signatures until nothing changes, or do as much of it as is this launch's share.
extern "C" __global__ void __launch_bounds__(512)
    spread(u64 n, u64 count, const Arc* arcs, int work, order_t* before, order_t* after, Spreading* control) {
    Steps<Changes> steps = {control->steps, control->barrier, 0};
    Share share = {work};
    bool more = true;
    while (more && share.is_left()) {
        share.take(SWEEPS_PER_LOOK * (count + n));
        steps.begin();
        bool changed = false;
        for (int sweep = 0; sweep < SWEEPS_PER_LOOK; sweep++) {
            for (u64 i = thread_in_grid(); i < count; i += threads_in_grid()) {
                const Arc arc = arcs[i];
                changed |= lower(&before[arc.to], now(&before[arc.from]));
                changed |= lower(&after[arc.from], now(&after[arc.to]));
            }
            for (u64 v = thread_in_grid(); v < n; v += threads_in_grid()) {
                changed |= lower(&before[v], now(&before[vertex_of(now(&before[v]))]));
                changed |= lower(&after[v], now(&after[vertex_of(now(&after[v]))]));
            }
        }
        if (__any_sync(ALL_LANES, changed) && lane() == 0) atomicOr(&steps.current().changed, 1u);
        more = steps.end().changed;
    }
    if (thread_in_grid() == 0) control->progress.done = !more;
}

// Label the complete components, and keep the edges that may lie in another one. `number_kept` is 0.
extern "C" __global__ void keep_inner_arcs(u64 n, u64 count, const Arc* arcs, const order_t* before, const order_t* after,
                                           index_t* label, Arc* kept, u64* number_kept) {
    for (u64 v = thread_in_grid(); v < n; v += threads_in_grid())
        if (label[v] < 0 && before[v] == after[v]) label[v] = (index_t)vertex_of(before[v]);
    for (u64 base = warp_in_grid() * WARP; base < count; base += warps_in_grid() * WARP) {
        bool inner = false;
        Arc arc = {};
        if (base + lane() < count) {
            arc = arcs[base + lane()];
            const order_t lead = before[arc.from], follow = after[arc.from];
            inner = lead != follow && lead == before[arc.to] && follow == after[arc.to];
        }
        const u64 place = take_room(number_kept, inner);
        if (inner) kept[place] = arc;
    }
}

// New signatures for vertices without a label: those with one have no edges left.
extern "C" __global__ void begin_again(u64 n, order_t* before, order_t* after, const index_t* label) {
    for (u64 v = thread_in_grid(); v < n; v += threads_in_grid())
        if (label[v] < 0) before[v] = after[v] = key_of(v);
}

__device__ __forceinline__ void lower_id(int* place, int v) { atomicMin(place, v); }
__device__ __forceinline__ void lower_id(long long* place, long long v) { atomicMin(place, v); }

// smallest[v] is the smallest vertex with the label v; the largest id where there is none.
extern "C" __global__ void find_smallest(u64 n, const index_t* label, index_t* smallest) {
    for (u64 v = thread_in_grid(); v < n; v += threads_in_grid())
        if ((index_t)v < smallest[label[v]]) lower_id(&smallest[label[v]], (index_t)v);
}

extern "C" __global__ void label_by_smallest(u64 n, const index_t* smallest, index_t* label) {
    for (u64 v = thread_in_grid(); v < n; v += threads_in_grid()) label[v] = smallest[label[v]];
}
