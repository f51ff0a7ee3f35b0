#pragma once
#include "common.cuh"
// Triangles of an undirected graph with short rows. One thread per vertex merges sorted rows, and finds the triangles
// of which it is the largest vertex. Self-loops and duplicates do not count.

extern "C" __global__ void triangles_by_merging(index_t n, const offset_t* offsets, const index_t* neighbours,
                                                u64* counts, u64* total) {
    u64 found = 0;
    for (u64 u = thread_in_grid(); u < (u64)n; u += threads_in_grid()) {
        const offset_t first = __ldg(offsets + u), last = __ldg(offsets + u + 1);
        u64 at_u = 0;
        for (offset_t p = first; p < last; p++) {
            const index_t v = __ldg(neighbours + p);
            if ((u64)v >= u) break;
            if (p == first || v == __ldg(neighbours + p - 1)) continue;  // the first has no smaller one
            offset_t i = first;
            index_t mine = __ldg(neighbours + i);
            const offset_t end = __ldg(offsets + v + 1);
            u64 at_v = 0;
            index_t before = -1;
            for (offset_t j = __ldg(offsets + v); j < end; j++) {
                const index_t w = __ldg(neighbours + j);
                if (w >= v) break;
                if (w == before) continue;
                before = w;
                while (mine < w) mine = __ldg(neighbours + ++i);  // ends at v
                if (mine == w) {
                    at_v += 1;
#if COUNTED
                    atomicAdd(counts + w, 1ull);
#endif
                }
            }
#if COUNTED
            if (at_v) atomicAdd(counts + v, at_v);
#endif
            at_u += at_v;
        }
#if COUNTED
        if (at_u) atomicAdd(counts + u, at_u);
#endif
        found += at_u;
    }
#if !COUNTED
    (void)counts;
    found = warp_sum(found);
    if (lane() == 0 && found) atomicAdd(total, found);
#else
    (void)total;
#endif
}
