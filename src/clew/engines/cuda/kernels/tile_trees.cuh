#pragma once
// Trees among the vertices of a tile, in shared memory: every vertex points at a smaller one of its tree, the root at
// itself. No two threads touch a word between two barriers, but to read it or by atomics: a thread writes the pointers
// of its own vertices only, or lowers a root's by an atomic.
#ifndef HOPS
#define HOPS 4  // pointers that are followed between two barriers
#endif

typedef unsigned short u16;

// Both arrays have a place for each vertex of the tile. Where `settled` is made of `parent`, it has the roots.
struct Tile {
    u32* parent;
    u16* settled;
    u64 base;  // the first vertex
    u32 size;

    __device__ __forceinline__ bool has(u64 v) const { return v >= base && v - base < size; }
};

// Where HOPS pointers more lead to from v.
template <class T>
__device__ __forceinline__ u32 ahead(const T* pointers, u32 v) {
    for (u32 hop = 0; hop < HOPS; hop++) {
        const u32 next = pointers[v];
        if (next == v) break;
        v = next;
    }
    return v;
}

// Every vertex of a short row points at its first neighbour in the tile, if that is smaller, else at itself.
__device__ __forceinline__ void plant(const Tile& tile, const offset_t* offsets, const index_t* neighbours) {
    for (u32 i = threadIdx.x; i < tile.size; i += blockDim.x) {
        const offset_t begin = offsets[tile.base + i], end = offsets[tile.base + i + 1];
        u32 first = i;
        if (end - begin <= SHORT_ROW) {
            offset_t j = begin;
            while (j < end && (u64)neighbours[j] < tile.base) j++;
            if (j < end && (u64)neighbours[j] < tile.base + i) first = (u32)((u64)neighbours[j] - tile.base);
        }
        tile.parent[i] = first;
    }
    __syncthreads();
}

// Point every vertex at its root, in both arrays: by turns, one is read and the other written.
__device__ __forceinline__ void settle(const Tile& tile) {
    for (bool going = true; going;) {
        bool far = false;
        for (u32 i = threadIdx.x; i < tile.size; i += blockDim.x) {
            const u32 at = ahead(tile.parent, i);
            tile.settled[i] = (u16)at;
            far |= tile.parent[at] != at;
        }
        going = __syncthreads_or(far);
        for (u32 i = threadIdx.x; i < tile.size; i += blockDim.x)
            tile.parent[i] = going ? ahead(tile.settled, i) : (u32)tile.settled[i];
        __syncthreads();
    }
}
