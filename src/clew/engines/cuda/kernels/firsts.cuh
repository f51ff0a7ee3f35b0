#pragma once
// The first neighbours of every packed row, unpacked once for all searches: a search reads little else of most rows.
#include "neighbours.cuh"

extern "C" __global__ void first_neighbours(u64 n, const offset_t* offsets, const ids_t* neighbours, Firsts* firsts) {
    for (u64 v = thread_in_grid(); v < n; v += threads_in_grid()) {
        const offset_t begin = offsets[v], end = offsets[v + 1];
        Firsts found;
        RowBegin(neighbours, begin).take(found.ids, (index_t)v, begin, (u64)(end - begin));
        firsts[v] = found;
    }
}
