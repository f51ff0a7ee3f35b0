#pragma once
#include "neighbours.cuh"
// Rows of the distinct neighbours of every vertex, over edges in either direction and without the vertex itself.
//
// Row v starts where its edges do and has room for all of them. It begins with the neighbours that come later in the
// order of ascending degree (up[v] of them), and ends with those that come earlier (down[v]). In between is the space
// that duplicates and loops have left. Neither part is sorted: a warp puts down what it finds where the row has come
// to.
//
// In a directed graph (DIRECTED 1) a row has the out-edges and the in-edges; an edge in both directions is stored once.
// The label of a neighbour is its side: 1 for an edge to the neighbour, 2 for one from it, and 3 for both. With WEIGHED 1,
// for simple undirected graphs, it is the weight of the edge.

#ifndef WEIGHED
#define WEIGHED 0
#endif
#if WEIGHED
typedef double label_t;
#else
typedef u8 label_t;
#endif
#define PIECE 1024 // edges of a row that one warp processes; longer rows are cut

struct Edges {
    const offset_t* offsets;
    const ids_t* neighbours;
};

struct Rows {
    Edges out, into;
    index_t* items;
    label_t* labels;
    const double* weights;  // of the out-edges
    u32* up;
    u32* down;
};

// A part of the row of a vertex: number 2 * k of its out-edges, 2 * k + 1 of its in-edges.
struct Cut {
    index_t vertex;
    u32 number;
};

__device__ __forceinline__ u64 first_of(const offset_t* out, const offset_t* into, u64 v) {
#if DIRECTED
    return (u64)__ldg(out + v) + (u64)__ldg(into + v);
#else
    (void)into;
    return (u64)__ldg(out + v);
#endif
}

__device__ __forceinline__ u64 edges_of(const Rows& rows, index_t v) {
    const u64 first = first_of(rows.out.offsets, rows.into.offsets, (u64)v);
    return first_of(rows.out.offsets, rows.into.offsets, (u64)v + 1) - first;
}

__device__ __forceinline__ bool has_edge(const Edges& edges, index_t v, index_t w) {
    return is_among(edges.neighbours, edges.offsets[v], edges.offsets[v + 1], w);
}

__device__ __forceinline__ Edges either(bool first, const Edges& one, const Edges& other) {
    return {first ? one.offsets : other.offsets, first ? one.neighbours : other.neighbours};
}

// Put down what is in one part of a row's edges.
__device__ __forceinline__ void put_down(const Rows& rows, index_t v, const Edges& edges, const Edges& opposite,
                                         offset_t begin, offset_t end, bool incoming) {
    const offset_t row = edges.offsets[v];
    const u64 own = edges_of(rows, v);
    const u64 front = first_of(rows.out.offsets, rows.into.offsets, (u64)v);
#if PACKED
    Neighbours entries(edges.neighbours, edges.offsets);
#endif
    for (offset_t at = begin; at < end; at += WARP) {
        const bool mine = lane() < (u64)(end - at);
        const offset_t k = mine ? at + lane() : at;
#if PACKED
        const index_t before = entries.at(mine && k > row, v, k - 1), w = entries.at(mine, v, k);
        bool kept = mine && w != v && (k == row || before != w);
#else
        const index_t w = edges.neighbours[k];
        bool kept = mine && w != v && (k == row || edges.neighbours[k - 1] != w);
#endif
        u8 side = incoming ? 2 : 1;
#if DIRECTED
        if (kept && has_edge(opposite, v, w)) {
            side = 3;
            kept = !incoming;  // it is put down as an out-edge
        }
#else
        (void)opposite;
#endif
        bool later = false;
        if (kept) {
            const u64 other = edges_of(rows, w);
            later = other > own || (other == own && w > v);
        }
        const u32 above = __ballot_sync(ALL_LANES, kept && later), below = __ballot_sync(ALL_LANES, kept && !later);
        u32 room = 0;
        if (lane() == 0 && above) room = atomicAdd(rows.up + v, (u32)__popc(above));
        if (lane() == 1 && below) room = atomicAdd(rows.down + v, (u32)__popc(below));
        const u32 room_above = __shfl_sync(ALL_LANES, room, 0), room_below = __shfl_sync(ALL_LANES, room, 1);
        if (kept) {
            const u64 place = later ? front + room_above + (u32)__popc(above & lanes_below())
                                    : front + own - 1 - room_below - (u32)__popc(below & lanes_below());
            rows.items[place] = w;
            if (rows.labels) rows.labels[place] = WEIGHED ? (label_t)rows.weights[k] : (label_t)side;
        }
    }
}

__device__ __forceinline__ void put_down_or_cut(const Rows& rows, index_t v, const Edges& edges, const Edges& opposite,
                                                bool incoming, Cut* cuts, u32* cut) {
    const offset_t begin = edges.offsets[v], end = edges.offsets[v + 1];
    if (end - begin <= PIECE) {
        put_down(rows, v, edges, opposite, begin, end, incoming);
        return;
    }
    const u32 number = (u32)((end - begin + PIECE - 1) / PIECE);
    u32 start = 0;
    if (lane() == 0) start = atomicAdd(cut, number);
    start = __shfl_sync(ALL_LANES, start, 0);
    for (u32 k = lane(); k < number; k += WARP) cuts[start + k] = {v, 2 * k + (incoming ? 1u : 0u)};
}

// up and down are zero, and so is cut. What is cut is for the next kernel.
extern "C" __global__ void neighbourhoods(index_t n, const offset_t* out_offsets, const ids_t* out_neighbours,
                                          const offset_t* in_offsets, const ids_t* in_neighbours, index_t* items,
                                          label_t* labels, const double* weights, u32* up, u32* down, Cut* cuts,
                                          u32* cut) {
    const Rows rows = {{out_offsets, out_neighbours}, {in_offsets, in_neighbours}, items, labels, weights, up, down};
    for (u64 v = warp_in_grid(); v < (u64)n; v += warps_in_grid()) {
        put_down_or_cut(rows, (index_t)v, rows.out, rows.into, false, cuts, cut);
#if DIRECTED
        put_down_or_cut(rows, (index_t)v, rows.into, rows.out, true, cuts, cut);
#endif
    }
}

extern "C" __global__ void cut_neighbourhoods(const offset_t* out_offsets, const ids_t* out_neighbours,
                                              const offset_t* in_offsets, const ids_t* in_neighbours, index_t* items,
                                              label_t* labels, const double* weights, u32* up, u32* down,
                                              const Cut* cuts, const u32* cut) {
    const Rows rows = {{out_offsets, out_neighbours}, {in_offsets, in_neighbours}, items, labels, weights, up, down};
    const u32 number = *cut;
    for (u64 k = warp_in_grid(); k < number; k += warps_in_grid()) {
        const Cut part = cuts[k];
        const bool incoming = part.number & 1;
        const Edges edges = either(incoming, rows.into, rows.out);
        const offset_t begin = edges.offsets[part.vertex] + (offset_t)(part.number / 2) * PIECE;
        const offset_t end = edges.offsets[part.vertex + 1];
        put_down(rows, part.vertex, edges, either(incoming, rows.out, rows.into), begin,
                 end - begin > PIECE ? begin + PIECE : end, incoming);
    }
}
