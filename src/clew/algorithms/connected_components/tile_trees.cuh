#pragma once
// Trees among the vertices of a tile, in shared memory: every vertex points at a smaller one of its tree, the root at
// itself. Between two barriers, threads share a word only for reading or by atomics. A thread writes the pointers of
// its own vertices, or lowers a root's by an atomic.
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

// Tiles have 2^bits vertices: as many tiles as blocks, if that makes them no larger than there is room for.
__device__ __forceinline__ u32 bits_of_tiles(u64 n, u32 most) {
    u32 bits = 5;
    while ((1u << bits) < most && (u64)gridDim.x << bits < n) bits++;
    return bits;
}

__device__ __forceinline__ Tile tile_of(u64 number, u32 bits, u64 n, u32* parent_room, u16* settled_room) {
    const u64 base = number << bits;
    return {parent_room, settled_room, base, n - base < (1u << bits) ? (u32)(n - base) : 1u << bits};
}

#define ALL_EDGES ((offset_t)(sizeof(offset_t) == 4 ? 0xffffffffull : 0x7fffffffffffffffull))

// The short rows of a tile, where the edges from number `first` on lie at `neighbours`; those from `limit` on do not.
struct ShortRows {
    const offset_t* offsets;
    const index_t* neighbours;
    offset_t first, limit;

    __device__ __forceinline__ bool have(offset_t begin, offset_t end) const {
        return end - begin <= SHORT_ROW && end <= limit;
    }
    __device__ __forceinline__ index_t neighbour(offset_t j) const { return neighbours[j - first]; }
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
__device__ __forceinline__ void plant(const Tile& tile, const ShortRows& rows) {
    for (u32 i = threadIdx.x; i < tile.size; i += blockDim.x) {
        const offset_t begin = rows.offsets[tile.base + i], end = rows.offsets[tile.base + i + 1];
        u32 first = i;
        if (rows.have(begin, end)) {
            offset_t j = begin;
            while (j < end && (u64)rows.neighbour(j) < tile.base) j++;
            if (j < end && (u64)rows.neighbour(j) < tile.base + i) first = (u32)((u64)rows.neighbour(j) - tile.base);
        }
        tile.parent[i] = first;
    }
    __syncthreads();
}

// Point every vertex at its root, in both arrays: one is read and the other written, alternately.
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

// Join the trees of a tile in rounds. Every edge between two trees lowers the pointer of the larger root; then all find
// their roots again. The next round processes edges that lost to another; a row without such an edge is finished.


#define REMEMBERED 64  // rows of a thread of which it remembers whether they are done with

__device__ __forceinline__ void join_tile(const Tile& tile, const ShortRows& rows, int symmetric) {
    u64 done = 0;
    for (;;) {
        bool joined = false;
        u32 k = 0;
        for (u32 i = threadIdx.x; i < tile.size; i += blockDim.x, k++) {
            if (k < REMEMBERED && (done >> k & 1)) continue;
            const offset_t begin = rows.offsets[tile.base + i], end = rows.offsets[tile.base + i + 1];
            const u32 own = tile.settled[i];
            bool crossed = false;
            if (rows.have(begin, end)) {
                for (offset_t j = begin; j < end; j++) {
                    const u64 u = (u64)rows.neighbour(j);
                    if (!tile.has(u) || (symmetric && u > tile.base + i)) continue;
                    const u32 other = tile.settled[u - tile.base];
                    if (own == other) continue;
                    atomicMin(&tile.parent[own > other ? own : other], own > other ? other : own);
                    crossed = true;
                }
            }
            joined |= crossed;
            if (k < REMEMBERED && !crossed) done |= 1ull << k;
        }
        if (!__syncthreads_or(joined)) return;
        settle(tile);
    }
}
