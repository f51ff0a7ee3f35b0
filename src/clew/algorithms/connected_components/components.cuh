#pragma once
// Connected components in one cooperative launch, for longer rows. Trees are joined over edges until every vertex
// points to the smallest of its component. The first and second edge of every vertex join most of the largest
// component. Then only vertices outside of it read their other edges. Where edges are stored one way only, all vertices
// do.
//
// After Afforest (M. Sutton, T. Ben-Nun, A. Barak: "Optimizing parallel graph connectivity computation via subgraph
// sampling", IPDPS 2018) and J. Jaiganesh, M. Burtscher: "A high-performance connected components implementation for
// GPUs", HPDC 2018.
#include "common.cuh"
#include "union_find.cuh"
#include "rows_by_size.cuh"

// A value that many entries have, found by one block from a sample.

#define FREQUENT_SAMPLES 1024
#define FREQUENT_SLOTS 1024

// `counts` is shared memory of FREQUENT_SLOTS words. Values with equal hashes are counted together, so the result may
// be a rarer value. That is good enough to skip work, but not for results. n must not be 0.
template <class T>
__device__ __forceinline__ T frequent_value(const T* values, u64 n, u32* counts) {
    __shared__ u32 best;
    __shared__ u32 where;
    for (u32 slot = threadIdx.x; slot < FREQUENT_SLOTS; slot += blockDim.x) counts[slot] = 0;
    if (threadIdx.x == 0) best = 0;
    if (threadIdx.x == 0) where = FREQUENT_SAMPLES;
    __syncthreads();
    for (u32 i = threadIdx.x; i < FREQUENT_SAMPLES; i += blockDim.x) {
        const T value = values[n * i / FREQUENT_SAMPLES];
        const u32 slot = ((u32)value * 0x9E3779B1u) % FREQUENT_SLOTS;
        const u32 same = __match_any_sync(ALL_LANES, slot);  // a warp takes part as a whole
        if ((same & lanes_below()) == 0) atomicAdd(&counts[slot], (u32)__popc(same));
    }
    __syncthreads();
    for (u32 slot = threadIdx.x; slot < FREQUENT_SLOTS; slot += blockDim.x)
        if (counts[slot] > 0) atomicMax(&best, counts[slot]);
    __syncthreads();
    for (u32 i = threadIdx.x; i < FREQUENT_SAMPLES; i += blockDim.x) {
        const T value = values[n * i / FREQUENT_SAMPLES];
        if (counts[((u32)value * 0x9E3779B1u) % FREQUENT_SLOTS] == best) atomicMin(&where, i);
    }
    __syncthreads();
    const T found = values[n * where / FREQUENT_SAMPLES];
    __syncthreads();
    return found;
}

#define SAMPLED_EDGES 2
#ifndef tally_t
#define tally_t u32
#endif

// `listed` counts the long rows in `list`; `frequent` is room for one vertex.
extern "C" __global__ void __launch_bounds__(512, 2) components(u64 n, const offset_t* offsets, const ids_t* neighbours,
                                                             int symmetric, index_t* parent, index_t* list,
                                                             index_t* frequent, u32* listed, u32* barrier) {
    __shared__ u32 counts[FREQUENT_SLOTS];
    if (thread_in_grid() == 0) *listed = 0;
#if ON_HOST  // an edge that is read twice comes over the link twice
    point_to_self(n, parent);
#else
    point_to_first(n, offsets, neighbours, parent);
#endif
    grid_sync(barrier);
    for (u64 v = thread_in_grid(); v < n; v += threads_in_grid()) {
        const offset_t begin = offsets[v], end = offsets[v + 1];
        // The first edge may lead to a larger vertex, of which the first step made nothing.
        index_t u[SAMPLED_EDGES];
        RowBegin(neighbours, begin).take(u, (index_t)v, begin, (u64)(end - begin));
        if (u[0] > (index_t)v || (ON_HOST && u[0] >= 0)) join(parent, (index_t)v, u[0]);
        if (u[1] >= 0) join(parent, (index_t)v, u[1]);
    }
    grid_sync(barrier);
    flatten(n, parent);
    grid_sync(barrier);
    if (blockIdx.x == 0 && n > 0) {  // one block decides for all: they must skip the same tree
        const index_t found = frequent_value(parent, n, counts);
        if (threadIdx.x == 0) *frequent = found;
    }
    grid_sync(barrier);
    // An edge that is stored both ways may be skipped at both ends only if both are in the largest tree.
    const index_t largest = n > 0 ? *frequent : 0;
    const Rows rows = {offsets, neighbours, nullptr, nullptr};
    const auto outside = [=](u64 v) { return !symmetric || parent[v] != largest ? (index_t)v : (index_t)-1; };
    const auto join_row = [=](index_t v, const auto& team) {
        rows.find(v, team, [&](const auto& entries, offset_t begin, offset_t j) {
            if (j - begin >= SAMPLED_EDGES) join(parent, v, entries[j]);
            return false;
        });
    };
    by_size(n, rows, outside, list, listed, join_row);
    grid_sync(barrier);
    long_rows(list, 0, *listed, join_row);
    grid_sync(barrier);
    flatten(n, parent);
}

// The number of vertices of every label; `tally` is zeroed. The most frequent label is counted apart: all threads would
// add to one place.
extern "C" __global__ void component_sizes(u64 n, const index_t* label, tally_t* tally) {
    __shared__ u32 counts[FREQUENT_SLOTS];
    if (n == 0) return;
    const index_t usual = frequent_value(label, n, counts);
    tally_t mine = 0;
    for (u64 v = thread_in_grid(); v < n; v += threads_in_grid()) {
        if (label[v] == usual) {
            mine++;
        } else {
            atomicAdd(&tally[label[v]], (tally_t)1);
        }
    }
    mine = warp_sum(mine);
    if (lane() == 0 && mine > 0) atomicAdd(&tally[usual], mine);
}
