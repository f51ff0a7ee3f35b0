#pragma once
// Blocks of an undirected graph: sets of edges such that a cycle runs through any two. Over any spanning forest, a vertex
// stands for the edge to its parent. Two of them are joined where a cycle runs through both. These are the ends of an
// edge between two subtrees. They are also a vertex and its parent, if an edge outside the tree leads from the vertex's
// subtree to elsewhere than the parent's. An edge outside the forest is in the block of its end that comes later in
// preorder.
//
// After R. E. Tarjan, U. Vishkin: "An efficient parallel biconnectivity algorithm", SIAM Journal on Computing 14, 1985.
#include "edge_numbers.cuh"
#include "union_find.cuh"

struct Ends {
    index_t one, other;
};

// Numbers by which every subtree is the range order[v]…order[v] + size[v] - 1; roots are their own parents.
struct Forest {
    const index_t* parent;
    const index_t* order;
    const index_t* size;

    __device__ __forceinline__ bool is_root(index_t v) const { return parent[v] == v; }
};

__device__ __forceinline__ void lower(index_t* place, index_t value) {
    if (value < *static_cast<volatile index_t*>(place)) atomicMin(place, value);
}
__device__ __forceinline__ void raise(index_t* place, index_t value) {
    if (value > *static_cast<volatile index_t*>(place)) atomicMax(place, value);
}

// The edges of a spanning forest: `in_forest` of every edge, zeroed before, and a list of their ends. Every vertex points
// at itself before, in `trees`; `count` is 0.
extern "C" __global__ void span(u64 n, u64 m, const offset_t* offsets, const index_t* neighbours, const offset_t* first,
                                index_t* trees, u8* in_forest, Ends* list, u64* count) {
    each_edge(n, m, offsets, first, [=](bool valid, u64 e, index_t u, u64 arc) {
        const index_t v = valid ? neighbours[arc] : u;
        const bool joined = u != v && join(trees, u, v);
        const u64 place = take_room(count, joined);
        if (!joined) return;
        list[place] = {u, v};
        in_forest[e] = 1;
    });
}

extern "C" __global__ void flatten_trees(u64 n, index_t* trees) { flatten(n, trees); }

// Which numbers edges outside the forest lead to, by the number of their other end; both begin as the number itself. And
// join the ends that are in different subtrees.
extern "C" __global__ void reach(u64 n, u64 m, const offset_t* offsets, const index_t* neighbours, const offset_t* first,
                                 const u8* in_forest, const index_t* order, const index_t* size, index_t* lowest,
                                 index_t* highest, index_t* blocks) {
    each_edge(n, m, offsets, first, [=](bool valid, u64 e, index_t u, u64 arc) {
        if (!valid || in_forest[e]) return;
        const index_t v = neighbours[arc];
        if (u == v) return;
        const bool ascends = order[u] < order[v];
        const index_t early = ascends ? u : v, late = ascends ? v : u;
        lower(&lowest[order[late]], order[early]);
        raise(&highest[order[early]], order[late]);
        if (order[early] + size[early] <= order[late]) join(blocks, early, late);
    });
}

// Join vertices to their parents where an edge leads out of the parent's subtree, or to the parent's parents. `lowest` and
// `highest` are trees of minima and maxima over numbers, whose leaves begin at place `leaves`.
extern "C" __global__ void join_to_parents(u64 n, u64 leaves, const index_t* parent, const index_t* order,
                                           const index_t* size, const index_t* lowest, const index_t* highest,
                                           index_t* blocks) {
    const Forest forest = {parent, order, size};
    for (u64 v = thread_in_grid(); v < n; v += threads_in_grid()) {
        const index_t above = parent[v];
        if (forest.is_root((index_t)v) || forest.is_root(above)) continue;
        index_t low = order[v], high = order[v];
        u64 begin = leaves + (u64)order[v], end = begin + (u64)size[v];
        for (; begin < end; begin /= 2, end /= 2) {
            if (begin & 1) {
                low = lowest[begin] < low ? lowest[begin] : low;
                high = highest[begin] > high ? highest[begin] : high;
                begin++;
            }
            if (end & 1) {
                end--;
                low = lowest[end] < low ? lowest[end] : low;
                high = highest[end] > high ? highest[end] : high;
            }
        }
        if (low < order[above] || high >= order[above] + size[above]) join(blocks, (index_t)v, above);
    }
}

// The block of every edge, -1 of loops, and the first edge of every block: all ones before.
extern "C" __global__ void label_edges(u64 n, u64 m, const offset_t* offsets, const index_t* neighbours,
                                       const offset_t* first, const index_t* order, const index_t* blocks, index_t* label,
                                       u64* first_edge) {
    each_edge(n, m, offsets, first, [=](bool valid, u64 e, index_t u, u64 arc) {
        if (!valid) return;
        const index_t v = neighbours[arc];
        const index_t block = u == v ? (index_t)-1 : blocks[order[u] < order[v] ? v : u];
        label[e] = block;
        if (u != v && e < *static_cast<volatile u64*>(first_edge + block)) atomicMin(first_edge + block, e);
    });
}

// The vertices with edges to vertices of different blocks. `seen` is -1: one block among those of a root's children.
extern "C" __global__ void find_cuts(u64 n, const index_t* parent, const index_t* blocks, index_t* seen, u8* member) {
    for (u64 v = thread_in_grid(); v < n; v += threads_in_grid()) {
        const index_t above = parent[v];
        if (above == (index_t)v) continue;
        index_t known = blocks[above];
        if (parent[above] == above) known = replace_if(&seen[above], (index_t)-1, blocks[v]);
        if (known >= 0 && known != blocks[v]) member[above] = 1;
    }
}
