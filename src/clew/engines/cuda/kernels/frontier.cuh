#pragma once
#include "common.cuh"
// Active vertices as rows (vertex, first edge, end) in a queue: EtaGraph's virtual active set, made while vertices are
// found. The thread that finds a vertex also loads its row, while the atomic that says if it is new is pending. So the
// next step goes from a queue entry straight to edges.
//
// One 64-bit atomic takes room for a warp's rows and gives the number of rows and of edges before them. So every row
// knows the number of edges before it in the queue, its rank, and edges can be divided among warps by a search.
//
// CUT > 0 is EtaGraph's Unified Degree Cut: rows have at most CUT edges, those with exactly CUT in a queue of their
// own.

#ifndef CUT
#define CUT 0
#endif
#ifndef COUNT_BITS
#define COUNT_BITS 32  // of a queue's size are for rows, those above for edges
#endif

struct __align__(16) Row {
    index_t vertex;
    offset_t first, end, rank;
};

// The rank of a lane without a row: after all others.
#define NO_RANK ((offset_t)(sizeof(offset_t) == 4 ? 0xffffffffull : 0x7fffffffffffffffull))

// Numbers of rows and of edges: as wide as offsets, and unsigned. (Registers are scarce where blocks are large.)
template <int BYTES>
struct Unsigned {
    typedef u64 type;
};
template <>
struct Unsigned<4> {
    typedef u32 type;
};
typedef Unsigned<sizeof(offset_t)>::type count_t;

// What a step works on. Any other type with these three members will do.
struct Rows {
    const Row* rows;
    count_t count, edges;
    __device__ __forceinline__ Row row(count_t i) const { return rows[i]; }
};

__device__ __forceinline__ u64 count_in(u64 size) { return size & ((1ull << COUNT_BITS) - 1); }
__device__ __forceinline__ u64 edges_in(u64 size) { return size >> COUNT_BITS; }
__device__ __forceinline__ Rows rows_of(const Row* rows, u64 size) {
    return Rows{rows, (count_t)count_in(size), (count_t)edges_in(size)};
}

// The warps that work together: all of a grid, neighbours in different blocks, or those of one block.
struct Team {
    u32 warp, warps, block, blocks;
};
__device__ __forceinline__ Team whole_grid() {
    return Team{warp_in_block() * gridDim.x + blockIdx.x, (u32)warps_in_grid(), blockIdx.x, gridDim.x};
}
__device__ __forceinline__ Team this_block() { return Team{warp_in_block(), blockDim.x / WARP, 0, 1}; }

// The last lane whose `start` is no more than `edge_rank`; starts ascend and lane 0's is no more.
template <class T>
__device__ __forceinline__ u32 lane_holding(T start, T edge_rank) {
    u32 found = 0;
    for (u32 step = WARP / 2; step > 0; step /= 2) {
        const T there = __shfl_sync(ALL_LANES, start, found + step);
        if (there <= edge_rank) found += step;
    }
    return found;
}

// The queue that a step fills: rows, those of exactly CUT edges, the sizes of both, and the length of the longest row.
struct Queue {
    Row *rows, *full;
    u64 *size, *full_size, *longest;

    // The rows of all lanes that need one; all lanes take part.
    __device__ __forceinline__ void put(bool edge_rank, index_t vertex, offset_t first, offset_t end) {
        const offset_t edges = edge_rank ? end - first : 0;
        const offset_t before = warp_prefix(edges) - edges;
        const u32 takers = __ballot_sync(ALL_LANES, edge_rank);
        if (takers == 0) return;
        const u64 total = __shfl_sync(ALL_LANES, before + edges, WARP - 1);
        u64 start = 0;
        if (lane() == 0) start = atomicAdd(size, (total << COUNT_BITS) + __popc(takers));
        start = __shfl_sync(ALL_LANES, start, 0);
        if (edge_rank) {
            const u64 place = count_in(start) + __popc(takers & lanes_below());
            rows[place] = Row{vertex, first, end, (offset_t)(edges_in(start) + before)};
        }
#if !CUT
        // Rows no longer than a warp need no balance, and most steps have no others.
        const offset_t most = warp_max(edges);
        if (lane() == 0 && most > WARP) atomicMax(longest, (u64)most);
#endif
    }

#if CUT
    // All pieces of exactly CUT edges at the beginnings of the lanes' rows.
    __device__ __forceinline__ void put_full(index_t vertex, offset_t first, u64 pieces) {
        const u64 before = warp_prefix(pieces) - pieces;
        const u64 total = __shfl_sync(ALL_LANES, before + pieces, WARP - 1);
        if (total == 0) return;
        u64 start = 0;
        if (lane() == 0) start = atomicAdd(full_size, ((total * CUT) << COUNT_BITS) + total);
        start = __shfl_sync(ALL_LANES, start, 0);
        for (u64 base = 0; base < total; base += WARP) {
            const u64 piece = base + lane();
            const u32 owner = lane_holding(before, piece);
            const index_t whose = __shfl_sync(ALL_LANES, vertex, owner);
            const offset_t begin = __shfl_sync(ALL_LANES, first, owner);
            const u64 skipped = __shfl_sync(ALL_LANES, before, owner);
            if (piece < total) {
                const offset_t from = begin + (offset_t)((piece - skipped) * CUT);
                const offset_t rank = (offset_t)(edges_in(start) + piece * CUT);
                full[count_in(start) + piece] = Row{whose, from, (offset_t)(from + CUT), rank};
            }
        }
    }
#endif
};

// A warp's finds, kept until there are enough to fill a warp's store. In shared memory, one for each warp.
#define STAGED (2 * WARP)
struct Stage {
    index_t vertex[STAGED];
    offset_t first[STAGED], end[STAGED];
};

struct Finds {
    Stage* stage;
    Queue queue;
    u32 kept;

    __device__ __forceinline__ void add(bool edge_rank, index_t vertex, offset_t first, offset_t end) {
        const u32 takers = __ballot_sync(ALL_LANES, edge_rank);
        if (takers == 0) return;
        const u32 place = kept + __popc(takers & lanes_below());
        if (edge_rank) {
            stage->vertex[place] = vertex;
            stage->first[place] = first;
            stage->end[place] = end;
        }
        kept += __popc(takers);
        __syncwarp(ALL_LANES);
        if (kept >= WARP) pass_on(WARP);
    }

    __device__ __forceinline__ void pass_on(u32 count) {
        const bool mine = lane() < count;
        const u32 place = kept - count + lane();
        const index_t vertex = mine ? stage->vertex[place] : 0;
        const offset_t first = mine ? stage->first[place] : 0, end = mine ? stage->end[place] : 0;
        kept -= count;
        __syncwarp(ALL_LANES);
#if CUT
        const u64 pieces = (u64)(end - first) / CUT;
        const offset_t rest = first + (offset_t)(pieces * CUT);
        queue.put_full(vertex, first, pieces);
        queue.put(rest < end, vertex, rest, end);
#else
        queue.put(mine, vertex, first, end);
#endif
    }

    __device__ __forceinline__ void finish() {
        if (kept > 0) pass_on(kept);
    }
};
