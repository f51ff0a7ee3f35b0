#pragma once
#include "common.cuh"
#if WEIGHTED
#include "path_words.cuh"
#endif
// A search level by level: its memory, and the queue of the vertices that it finds.

#ifndef BIG_ROW
#define BIG_ROW 4096
#endif
#define BUFFER 1024  // vertices that a block gathers before they move to the queue

// Where a level stands in the queue, and its long rows among those of all.
struct Extent {
    long long level;
    u64 start, stop, big_start, big_stop;
};

struct Control {
    u32 barrier[GRID_BARRIER_WORDS];
    u64 tail, bigs;      // of the queue, and of the list of long rows
    long long large_at;  // one more than the last level with a count that is too large
    long long failed;    // whether a count was too small
    Extent extent;
};

struct Block {
    index_t buffer[BUFFER];
    double sums[WARP];
    u64 room, tail, bigs;
    Extent extent;
    double unit;
    u32 count;
    int large;
};

// The graph, the memory of one search, and this thread's place among those that work on it.
struct Search {
    const offset_t* out;
    const index_t* out_neighbours;
    const offset_t* into;
    const index_t* in_neighbours;
    double large;
    double* paths;      // by vertex
    double* along;      // by place in the queue
    index_t* queue;     // vertices in the order found
    index_t* starts;    // where each level starts in it
    index_t* big_list;  // places of vertices with long rows
    index_t* big_starts;
    u8* divided;  // by level: whether its counts were
    u32* seen;    // a bit per vertex of a directed graph; with WEIGHTED, see betweenness.cuh
    double* sum;  // what is found is added here, or put here with MANY; of entries with EDGES
    Control* control;
    Block* mine;
    u64 block, blocks;
#if WEIGHTED
    const word_t* words;  // the distances
    const weight_t* weights;
    const weight_t* in_weights;
    key_t unreached;
#endif
};

__device__ __forceinline__ u64 thread_of(const Search& s) { return s.block * blockDim.x + threadIdx.x; }
__device__ __forceinline__ u64 threads_of(const Search& s) { return s.blocks * blockDim.x; }

// Wait for all blocks of this level; then thread 0 of each block runs `then`.
template <class Then>
__device__ __forceinline__ void meet(const Search& s, Then then) {
#if MANY
    (void)s;
    __syncthreads();
#else
    if (s.blocks == gridDim.x) {
        grid_sync_then(s.control->barrier, then);
        return;
    }
    team_sync();
#endif
    if (threadIdx.x == 0) then();
    __syncthreads();
}

__device__ __forceinline__ u64 longest_row(const Search& s, index_t v) {
    const u64 out = (u64)(__ldg(s.out + v + 1) - __ldg(s.out + v));
    const u64 into = DIRECTED ? (u64)(__ldg(s.into + v + 1) - __ldg(s.into + v)) : 0;
    return into > out ? into : out;
}

__device__ __forceinline__ void enter(const Search& s, u64 place, index_t v) {
    s.queue[place] = v;
    if (longest_row(s, v) > BIG_ROW) s.big_list[atomicAdd(&s.control->bigs, 1ull)] = (index_t)place;
}

__device__ __forceinline__ void discovered(const Search& s, index_t v) {
    const u32 place = atomicAdd(&s.mine->count, 1u);
    if (place < BUFFER) {
        s.mine->buffer[place] = v;
    } else {
        enter(s, atomicAdd(&s.control->tail, 1ull), v);
    }
}

// The block's buffer moves to the queue.
__device__ __forceinline__ void flush(const Search& s) {
    __syncthreads();
    const u32 count = s.mine->count < BUFFER ? s.mine->count : BUFFER;
    if (threadIdx.x == 0 && count) s.mine->room = atomicAdd(&s.control->tail, (u64)count);
    __syncthreads();
    for (u32 k = threadIdx.x; k < count; k += blockDim.x) enter(s, s.mine->room + k, s.mine->buffer[k]);
}
