#pragma once
// Minimum spanning forests by Borůvka's rounds: every tree takes its lightest edge to another tree, and joins that.
//
// Edges between different trees are in a list, with the roots of their ends. A round finds the new roots, drops edges
// within a tree, and offers the others to both roots (atomicMin). Then every edge that is a root's best joins its trees.
// Edges are all different: equal weights are ordered by number. So no cycle is taken, and the forest is unique.
//
// The order of an edge is one word where the key of its weight and its number have 32 bits each (SHORT_KEYS). So it is
// without weights. Otherwise roots choose among the keys first, and among the numbers of equal keys then.
//
// After A. Fallin, A. Gonzalez, J. Seo, M. Burtscher: "A high-performance MST implementation for GPUs", SC 2023.

#include "common.cuh"
#include "edge_numbers.cuh"
#include "union_find.cuh"

#define ONE_WORD (SHORT_KEYS || !WEIGHTED)

struct Edge {
    index_t one, other;
    u64 word;  // the key of the weight; with ONE_WORD, its order among all edges
#if !ONE_WORD
    u64 number;
#endif
};

// Unsigned integers in the order of weights. 0.0 and -0.0 are equal.
__device__ __forceinline__ u32 key_of(float weight) {
    const u32 bits = weight == 0 ? 0 : __float_as_uint(weight);
    return bits >> 31 ? ~bits : bits | 0x80000000u;
}
__device__ __forceinline__ u64 key_of(double weight) {
    const u64 bits = weight == 0 ? 0 : (u64)__double_as_longlong(weight);
    return bits >> 63 ? ~bits : bits | 1ull << 63;
}
__device__ __forceinline__ u32 key_of(int weight) { return (u32)weight ^ 0x80000000u; }
__device__ __forceinline__ u32 key_of(u32 weight) { return weight; }
__device__ __forceinline__ u64 key_of(long long weight) { return (u64)weight ^ 1ull << 63; }
__device__ __forceinline__ u64 key_of(u64 weight) { return weight; }

__device__ __forceinline__ Edge edge_of(index_t one, index_t other, u64 number, const weight_t* weights, u64 arc,
                                        int maximum) {
#if !WEIGHTED
    (void)weights;
    (void)arc;
    (void)maximum;
    return {one, other, number};
#else
    const auto key = key_of(weights[arc]);
    const auto ordered = maximum ? ~key : key;
#if ONE_WORD
    return {one, other, (u64)ordered << 32 | number};
#else
    return {one, other, ordered, number};
#endif
#endif
}

__device__ __forceinline__ u64 number_of(const Edge& edge) {
#if !ONE_WORD
    return edge.number;
#elif WEIGHTED
    return edge.word & 0xffffffffu;
#else
    return edge.word;
#endif
}

__device__ __forceinline__ void offer(u64* best, u64 word) {
    if (word < *static_cast<volatile u64*>(best)) atomicMin(best, word);
}

// Keep an edge between different trees, and offer it to both; all lanes of a warp take part.
__device__ __forceinline__ void keep(bool outer, const Edge& edge, Edge* kept, u64* number_kept, u64* best) {
    const u64 place = take_room(number_kept, outer);
    if (!outer) return;
    kept[place] = edge;
    offer(best + edge.one, edge.word);
    offer(best + edge.other, edge.word);
}

// The first round: every vertex is a tree. `best` is all ones, `number_kept` is 0; so they are in the other rounds.
extern "C" __global__ void list_edges(u64 n, u64 m, const offset_t* offsets, const index_t* neighbours,
                                      const weight_t* weights, const offset_t* first, int maximum, index_t* parent,
                                      Edge* kept, u64* number_kept, u64* best) {
    point_to_self(n, parent);
    each_edge(n, m, offsets, first, [=](bool valid, u64 e, index_t u, u64 arc) {
        const index_t v = valid ? neighbours[arc] : u;
        const Edge edge = u == v ? Edge{} : edge_of(u, v, e, weights, arc, maximum);
        keep(u != v, edge, kept, number_kept, best);
    });
}

extern "C" __global__ void keep_outer_edges(u64 count, const Edge* edges, index_t* parent, Edge* kept, u64* number_kept,
                                            u64* best) {
    for (u64 base = warp_in_grid() * WARP; base < count; base += warps_in_grid() * WARP) {
        Edge edge = {};
        if (base + lane() < count) {
            edge = edges[base + lane()];
            edge.one = root_of(parent, edge.one);
            edge.other = root_of(parent, edge.other);
        }
        keep(edge.one != edge.other, edge, kept, number_kept, best);
    }
}

// Among edges with the best key of a root, the one with the smallest number. `first` is all ones.
extern "C" __global__ void offer_numbers(u64 count, const Edge* edges, const u64* best, u64* first) {
#if ONE_WORD
    (void)count;
    (void)edges;
    (void)best;
    (void)first;
#else
    for (u64 i = thread_in_grid(); i < count; i += threads_in_grid()) {
        const Edge edge = edges[i];
        if (edge.word == best[edge.one]) offer(first + edge.one, edge.number);
        if (edge.word == best[edge.other]) offer(first + edge.other, edge.number);
    }
#endif
}

// Join the trees whose best edge is in the list. `chosen` has the best words, or the numbers of the best edges.
extern "C" __global__ void join_trees(u64 count, const Edge* edges, const u64* chosen, index_t* parent, u8* member) {
    for (u64 i = thread_in_grid(); i < count; i += threads_in_grid()) {
        const Edge edge = edges[i];
#if ONE_WORD
        const u64 own = edge.word;
#else
        const u64 own = edge.number;
#endif
        if (own != chosen[edge.one] && own != chosen[edge.other]) continue;
        member[number_of(edge)] = 1;
        join(parent, edge.one, edge.other);
    }
}
