#pragma once
#include "chunk_select.cuh"
#include "frequent.cuh"
#include "union_find.cuh"
// Connected components over edges that come in chunks: the trees of union_find.cuh grow together, chunk by chunk.

struct Join {
    Edges edges;
    index_t* parent;

    __device__ __forceinline__ int value_at(bool, index_t) { return 0; }
    __device__ __forceinline__ index_t fetch(bool valid, offset_t position) {
        return valid ? edges.neighbour(position) : (index_t)0;
    }
    __device__ __forceinline__ int look(bool, index_t) { return 0; }
    __device__ __forceinline__ void visit(bool valid, index_t from, int, index_t to, int) {
        if (valid) join(parent, from, to);
    }
};

extern "C" __global__ void __launch_bounds__(256) chunk_join(CHUNK_PARAMETERS, index_t* parent) {
    Join joins{CHUNK_EDGES, parent};
    expand_piece(CHUNK_PIECE, neighbours, aligned != 0, joins);
}

extern "C" __global__ void chunk_alone(u64 n, index_t* parent) { point_to_self(n, parent); }
extern "C" __global__ void chunk_flatten(u64 n, index_t* parent) { flatten(n, parent); }

// A vertex of what is likely the largest tree; one block. Trees are flat.
extern "C" __global__ void chunk_anchor(u64 n, const index_t* parent, index_t* anchor) {
    __shared__ u32 counts[FREQUENT_SLOTS];
    const index_t found = frequent_value(parent, n, counts);
    if (threadIdx.x == 0) *anchor = found;
}

// Marks all vertices that are not in the anchor's tree. Trees are flat; blocks of whole warps.
extern "C" __global__ void chunk_outside(u64 n, const index_t* parent, const index_t* anchor, u32* bits) {
    const index_t root = parent[*anchor];
    for (u64 base = warp_in_grid() * WARP; base < n; base += warps_in_grid() * WARP) {
        const u64 v = base + lane();
        const u32 word = __ballot_sync(ALL_LANES, v < n && parent[v] != root);
        if (lane() == 0) bits[base / 32] = word;
    }
}
