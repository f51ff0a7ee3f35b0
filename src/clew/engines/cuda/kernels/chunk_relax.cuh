#pragma once
#include "chunk_select.cuh"
// Paths of the smallest value over edges that come in chunks: a chunk's active rows offer their ends what they have
// now.
//
// Who becomes a parent: with links, links[v] takes the smallest (key, parent). Parents without links are for
// breadth-first search, where a vertex's key falls once: whoever lowers it, or the smallest of all who offer as much.

struct State {
    key_t* keys;
    u64* links;         // or null
    parent_t* parents;  // or null
    bool smallest;
    u32* bits;
    key_t unreached;
};

struct Offer {
    Edges edges;
    State state;

    struct Edge {
        index_t target;
        value_t weight;
    };
    __device__ __forceinline__ value_t value_at(bool valid, index_t vertex) {
        return valid ? value_in(state.keys[vertex]) : (value_t)0;
    }
    __device__ __forceinline__ Edge fetch(bool valid, offset_t position) {
        if (!valid) return Edge{0, (value_t)0};
        return Edge{edges.neighbour(position), edges.weight(position)};
    }
    __device__ __forceinline__ key_t look(bool valid, const Edge& edge) {
        return valid ? state.keys[edge.target] : state.unreached;
    }
    // Whether the offer is better than all before.
    __device__ __forceinline__ bool lowers(bool valid, index_t source, key_t key, const Edge& edge, key_t seen) {
        if (!valid || key > seen || (key == seen && !(state.smallest && key < state.unreached))) return false;
        const key_t before = atomicMin(&state.keys[edge.target], key);
        const bool lower = key < before;
        if (state.links != nullptr) {
            if (lower) atomicMin(&state.links[edge.target], (u64)key << 32 | (u32)source);
        } else if (state.parents != nullptr) {
            if (!state.smallest) {
                if (lower) state.parents[edge.target] = (parent_t)source;
            } else if (key <= before) {
                atomicMin(&state.parents[edge.target], (parent_t)source);
            }
        }
        return lower;
    }
};

struct Relax : Offer {
    __device__ __forceinline__ void visit(bool valid, index_t source, value_t value, const Edge& edge, key_t seen) {
        const key_t key = valid ? key_of(extended(value, edge.weight)) : state.unreached;
        const bool lower = lowers(valid, source, key, edge, seen);
        if (lower && !has_bit(state.bits, edge.target)) set_bit(state.bits, edge.target);
    }
};

extern "C" __global__ void __launch_bounds__(256)
    chunk_relax(CHUNK_PARAMETERS, key_t* keys, u64* links, parent_t* parents, int smallest, u32* bits,
                value_t unreached) {
    Relax relax;
    relax.edges = CHUNK_EDGES;
    relax.state = State{keys, links, parents, smallest != 0, bits, key_of(unreached)};
    expand_piece(CHUNK_PIECE, neighbours, aligned != 0, relax);
}

// Set everything up; any grid.
extern "C" __global__ void chunk_begin(u64 n, index_t source, value_t first, value_t low, value_t unreached,
                                       double delta, key_t* keys, u64* links, parent_t* parents, u32* bits, u32* marks,
                                       u64* told) {
    const key_t none = key_of(unreached);
    for (u64 v = thread_in_grid(); v < n; v += threads_in_grid()) {
        const bool begins = v == (u64)source;
        keys[v] = begins ? key_of(first) : none;
        if (links != nullptr) links[v] = begins ? (u64)key_of(first) << 32 | (u32)source : ~0ull;
        if (parents != nullptr) parents[v] = begins ? (parent_t)source : NO_PARENT;
        marks[v] = 0;
        if (v % 32 == 0) bits[v / 32] = v / 32 == (u64)source / 32 ? 1u << (source % 32) : 0;
    }
    if (thread_in_grid() > 0) return;
    Told* known = reinterpret_cast<Told*>(told);
    *known = Told{};
    known->least = ~0ull;
    known->threshold = end_of_bucket(key_of(low), delta, none);
    known->buckets = 1;
}

// Values in the type that users get, parents out of links, and how many vertices have one; any grid.
extern "C" __global__ void chunk_end(u64 n, const key_t* keys, const u64* links, value_t unreached, result_t nothing,
                                     result_t* values, index_t* parents, u64* told) {
    const key_t none = key_of(unreached);
    u64 reached = 0;
    for (u64 v = thread_in_grid(); v < n; v += threads_in_grid()) {
        const bool there = keys[v] != none;
#if WIDEST
        values[v] = there ? (result_t)turned(value_in(keys[v])) : nothing;
#else
        values[v] = there ? (result_t)value_in(keys[v]) : nothing;
#endif
        if (links != nullptr) parents[v] = there ? (index_t)(u32)links[v] : (index_t)-1;
        reached += there;
    }
    reached = warp_sum(reached);
    if (lane() == 0 && reached > 0) atomicAdd(&reinterpret_cast<Told*>(told)->reached, reached);
}
