#pragma once
#include "common.cuh"
#include "random.cuh"
#include "rows_search.cuh"
// Random edges of vertices, a thread each, with the random numbers of the CPU: kernels.py has the comments.
//
// BY_WEIGHT is 1 where weights count, REPLACE where an edge may be drawn several times.

// How many edges of each vertex can be drawn.
extern "C" __global__ void count_able(const offset_t* offsets, const weight_t* weights, const long long* vertices,
                                      u64 number, long long* able) {
    for (u64 i = thread_in_grid(); i < number; i += threads_in_grid()) {
        const offset_t start = offsets[vertices[i]], stop = offsets[vertices[i] + 1];
        long long count = (long long)(stop - start);
        if (BY_WEIGHT) {
            count = 0;
            for (offset_t j = start; j < stop; j++) count += weights[j] > 0;
        }
        able[i] = count;
    }
}

// Put a key and its place into an ascending list whose entry `hole` is free.
__device__ __forceinline__ void insert(double* keys, long long* mine, long long hole, double key, long long place) {
    for (; hole > 0 && keys[hole - 1] > key; hole--) {
        keys[hole] = keys[hole - 1];
        mine[hole] = mine[hole - 1];
    }
    keys[hole] = key;
    mine[hole] = place;
}

__device__ __forceinline__ void pick_by_weight(const weight_t* weights, offset_t start, offset_t stop, u64 own,
                                               long long size, long long* mine, double* keys) {
    if (REPLACE) {
        double total = 0.0, reached = 0.0;
        for (offset_t j = start; j < stop; j++) total += (double)weights[j];
        for (long long t = 0; t < size; t++) insert(keys, mine, t, random_unit(random_bits(own, (u64)t)) * total, 0);
        long long t = 0;
        offset_t latest = start;
        for (offset_t j = start; j < stop; j++) {
            if (!(weights[j] > 0)) continue;
            latest = j;
            reached += (double)weights[j];
            for (; t < size && keys[t] < reached; t++) mine[t] = (long long)j;
        }
        for (; t < size; t++) mine[t] = (long long)latest;
        return;
    }
    long long filled = 0;
    for (offset_t j = start; j < stop; j++) {
        if (!(weights[j] > 0)) continue;
        const double time = -log(1.0 - random_unit(random_bits(own, (u64)(j - start)))) / (double)weights[j];
        if (filled < size) {
            insert(keys, mine, filled++, time, (long long)j);
        } else if (time < keys[filled - 1]) {
            insert(keys, mine, filled - 1, time, (long long)j);
        }
    }
}

extern "C" __global__ void pick(const offset_t* offsets, const index_t* neighbours, const weight_t* weights,
                                const long long* vertices, u64 number, u64 key, const long long* able,
                                const long long* ends, long long* places, double* keys, long long* drawn) {
    for (u64 i = thread_in_grid(); i < number; i += threads_in_grid()) {
        const offset_t start = offsets[vertices[i]], stop = offsets[vertices[i] + 1];
        const long long size = ends[i + 1] - ends[i];
        long long* mine = places + ends[i];
        const u64 own = random_bits(key, (u64)vertices[i]);
        if (size == 0) continue;
        if (!REPLACE && size == able[i]) {
            long long filled = 0;
            for (offset_t j = start; j < stop; j++)
                if (!BY_WEIGHT || weights[j] > 0) mine[filled++] = (long long)j;
        } else if (BY_WEIGHT) {
            pick_by_weight(weights, start, stop, own, size, mine, keys + ends[i]);
        } else {
            const u64 last = (u64)(stop - start) - (u64)size;
            for (long long t = 0; t < size; t++) {
                u64 place = random_below(random_bits(own, (u64)t), REPLACE ? (u64)(stop - start) : last + (u64)t + 1);
                for (long long k = 0; !REPLACE && k < t; k++)
                    if (mine[k] == (long long)((u64)start + place)) {
                        place = last + (u64)t;
                        break;
                    }
                mine[t] = (long long)((u64)start + place);
            }
        }
        for (long long t = 0; t < size; t++) drawn[ends[i] + t] = (long long)neighbours[mine[t]];
    }
}

// Where edges of the in-rows are in the out-rows; parallel edges are in the same order in both.
extern "C" __global__ void out_places(const offset_t* into, const index_t* in_neighbours, const offset_t* out,
                                      const index_t* out_neighbours, const long long* vertices, u64 number,
                                      const long long* ends, const long long* places, long long* edges) {
    for (u64 i = thread_in_grid(); i < number; i += threads_in_grid()) {
        const index_t v = (index_t)vertices[i];
        for (long long t = ends[i]; t < ends[i + 1]; t++) {
            const index_t u = in_neighbours[places[t]];
            const offset_t before = (offset_t)places[t] - first_neighbour(in_neighbours, into[v], into[v + 1], u);
            edges[t] = (long long)(first_neighbour(out_neighbours, out[u], out[u + 1], v) + before);
        }
    }
}
