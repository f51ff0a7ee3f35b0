#pragma once
// Edges by number, in the order of Graph.edges(). An undirected edge counts in the row of its smaller end alone. Rows
// are sorted, so the edges of a vertex are the last ones of its row. first[v] is the number of the first of them, and
// first[n] that of all edges. In a directed graph, first is the same as the offsets.

#include "common.cuh"
#include "rows_search.cuh"

#define NEAR_EDGES 512  // edges for which a warp looks up their range of rows once

// The vertex in low…high whose row has edge e: the last with first[v] <= e.
__device__ __forceinline__ u64 row_of_edge(const offset_t* first, u64 low, u64 high, u64 e) {
    while (low < high) {
        const u64 middle = (low + high + 1) / 2;
        if ((u64)first[middle] <= e) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

// see(valid, e, u, arc) for all edges, one to a lane; all lanes of a warp take part. n must not be 0.
template <class See>
__device__ __forceinline__ void each_edge(u64 n, u64 m, const offset_t* offsets, const offset_t* first, See see) {
    for (u64 base = warp_in_grid() * NEAR_EDGES; base < m; base += warps_in_grid() * NEAR_EDGES) {
        const u64 end = base + NEAR_EDGES < m ? base + NEAR_EDGES : m;
        const u64 low = row_of_edge(first, 0, n - 1, base), high = row_of_edge(first, low, n - 1, end - 1);
        for (u64 k = base; k < end; k += WARP) {
            const u64 e = k + lane();
            const bool valid = e < end;
            const u64 u = valid ? row_of_edge(first, low, high, e) : low;
            const u64 arc = valid ? (u64)offsets[u + 1] - ((u64)first[u + 1] - e) : 0;
            see(valid, e, (index_t)u, arc);
        }
    }
}

// counts[v] is the number of edges that count in the row of v.
extern "C" __global__ void count_own_edges(u64 n, const offset_t* offsets, const index_t* neighbours, offset_t* counts) {
    for (u64 v = thread_in_grid(); v < n; v += threads_in_grid()) {
        const offset_t end = offsets[v + 1];
        counts[v] = end - first_neighbour(neighbours, offsets[v], end, (index_t)v);
    }
}
