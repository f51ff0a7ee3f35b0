#pragma once
#include "chunk_select.cuh"
// Parents made of values, as in tight.cuh, over edges that come in chunks.

#define NO_LEVEL 0xffffffffu

struct Follow {
    Edges edges;
    const key_t* keys;
    key_t unreached;
    parent_t* parents;

    struct Edge {
        index_t target;
        value_t weight;
    };
    __device__ __forceinline__ Edge fetch(bool valid, offset_t position) {
        if (!valid) return Edge{0, (value_t)0};
        return Edge{edges.neighbour(position), edges.weight(position)};
    }
    __device__ __forceinline__ key_t look(bool valid, const Edge& edge) {
        return valid ? keys[edge.target] : unreached;
    }
    __device__ __forceinline__ bool is_tight(bool valid, key_t key, const Edge& edge, key_t there) {
        return valid && key < unreached && there < unreached && key_of(extended(value_in(key), edge.weight)) == there;
    }
};

struct Rising : Follow {
    index_t source;
    __device__ __forceinline__ key_t value_at(bool valid, index_t vertex) { return valid ? keys[vertex] : unreached; }
    __device__ __forceinline__ void visit(bool valid, index_t from, key_t key, const Edge& edge, key_t there) {
        if (key < there && is_tight(valid, key, edge, there) && edge.target != source)
            atomicMin(&parents[edge.target], (parent_t)from);
    }
};

// Parents over edges from smaller values; any grid. They hold NO_PARENT before.
extern "C" __global__ void __launch_bounds__(256)
    chunk_rising(CHUNK_PARAMETERS, const key_t* keys, value_t unreached, index_t source, parent_t* parents) {
    Rising rising;
    rising.edges = CHUNK_EDGES;
    rising.keys = keys, rising.unreached = key_of(unreached), rising.parents = parents, rising.source = source;
    expand_piece(CHUNK_PIECE, neighbours, aligned != 0, rising);
}

// Who has a parent is at level 0 and marked; how many of the others want one. Blocks of whole warps, any grid.
extern "C" __global__ void chunk_orphans(u64 n, const key_t* keys, value_t unreached, index_t source, parent_t* parents,
                                         u32* levels, u32* bits, u64* told) {
    u64 orphans = 0;
    for (u64 base = warp_in_grid() * WARP; base < n; base += warps_in_grid() * WARP) {
        const u64 v = base + lane();
        if (v == (u64)source) parents[v] = (parent_t)source;
        const bool has = v < n && parents[v] != NO_PARENT;
        if (v < n) levels[v] = has ? 0 : NO_LEVEL;
        const u32 word = __ballot_sync(ALL_LANES, has);
        if (lane() == 0) bits[base / 32] = word;
        orphans += v < n && !has && keys[v] != key_of(unreached);
    }
    orphans = warp_sum(orphans);
    if (lane() == 0 && orphans > 0) atomicAdd(&reinterpret_cast<Told*>(told)->orphans, orphans);
}

struct Level : Follow {
    u32* levels;
    u32* bits;
    u32 level;

    // Only vertices of earlier levels offer anything.
    __device__ __forceinline__ key_t value_at(bool valid, index_t vertex) {
        return valid && levels[vertex] < level ? keys[vertex] : unreached;
    }
    __device__ __forceinline__ void visit(bool valid, index_t from, key_t key, const Edge& edge, key_t there) {
        if (!is_tight(valid, key, edge, there) || levels[edge.target] < level) return;
        const u32 before = atomicCAS(&levels[edge.target], NO_LEVEL, level);
        if (before >= level) atomicMin(&parents[edge.target], (parent_t)from);
        if (before == NO_LEVEL) set_bit(bits, edge.target);
    }
};

extern "C" __global__ void __launch_bounds__(256)
    chunk_level(CHUNK_PARAMETERS, const key_t* keys, value_t unreached, parent_t* parents, u32* levels, u32* bits,
                u32 number) {
    Level level;
    level.edges = CHUNK_EDGES;
    level.keys = keys, level.unreached = key_of(unreached), level.parents = parents;
    level.levels = levels, level.bits = bits, level.level = number;
    expand_piece(CHUNK_PIECE, neighbours, aligned != 0, level);
}
