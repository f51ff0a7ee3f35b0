#pragma once
// What pairs of vertices share: the sum over the neighbours of both. Rows are sorted. Neighbours that are there twice, and
// a vertex in its own row, do not count. A warp takes a pair, and searches the neighbours in the shorter row in the longer
// one. Every lane adds up its own and then the lanes are added in a fixed order, so a score is the same in every run.

#include "common.cuh"
#include "rows_search.cuh"

#define JACCARD 0
#define OVERLAP 1
#define COSINE 2

// Whether entry j of the row of u, which begins at `begin`, is a neighbour that counts.
__device__ __forceinline__ bool counts(const index_t* neighbours, offset_t begin, offset_t j, index_t u) {
    return neighbours[j] != u && (j == begin || neighbours[j] != neighbours[j - 1]);
}

// The score of two vertices by their numbers of neighbours and the sum of the values that they share.
__device__ __forceinline__ double score_of(int method, double shared, long long one, long long other) {
    if (shared == 0) return 0;
    if (method == JACCARD) return shared / ((double)(one + other) - shared);
    if (method == OVERLAP) return shared / (double)(one < other ? one : other);
    return method == COSINE ? shared / sqrt((double)one * (double)other) : shared;
}

// How many distinct neighbours, other than itself, every vertex has.
extern "C" __global__ void count_distinct(u64 n, const offset_t* offsets, const index_t* neighbours, long long* count) {
    for (u64 v = warp_in_grid(); v < n; v += warps_in_grid()) {
        u32 found = 0;
        const offset_t begin = offsets[v], end = offsets[v + 1];
        for (offset_t j = begin + lane(); j < end; j += WARP) found += counts(neighbours, begin, j, (index_t)v);
        found = warp_sum(found);
        if (lane() == 0) count[v] = found;
    }
}

extern "C" __global__ void score_pairs(u64 begin_pair, u64 end_pair, const index_t* first, const index_t* second,
                                       const offset_t* offsets, const index_t* neighbours, int method,
                                       const double* value, const long long* count, double* scores) {
    for (u64 pair = begin_pair + warp_in_grid(); pair < end_pair; pair += warps_in_grid()) {
        index_t u = first[pair], v = second[pair];
        if (offsets[u + 1] - offsets[u] > offsets[v + 1] - offsets[v]) {
            u = second[pair];
            v = first[pair];
        }
        const offset_t begin = offsets[u], length = offsets[u + 1] - begin, low = offsets[v], high = offsets[v + 1];
        double shared = 0;
        for (offset_t k = lane(); k < length; k += WARP) {
            const index_t w = neighbours[begin + k];
            if (w == v || !counts(neighbours, begin, begin + k, u)) continue;
            const offset_t place = first_neighbour(neighbours, low, high, w);
            if (place < high && neighbours[place] == w) shared += value[w];
        }
        shared = warp_sum(shared);
        if (lane() == 0) scores[pair] = score_of(method, shared, count[u], count[v]);
    }
}
