#pragma once
// What is made of packed rows once, if there is room: the first neighbours of every row, because a search reads little
// else of most rows, and the directory of groups.
#include "neighbours.cuh"

extern "C" __global__ void first_neighbours(u64 n, const offset_t* offsets, const ids_t* neighbours, Firsts* firsts) {
    for (u64 v = thread_in_grid(); v < n; v += threads_in_grid()) {
        const offset_t begin = offsets[v], end = offsets[v + 1];
        Firsts found;
        RowBegin(neighbours, begin).take(found.ids, (index_t)v, begin, (u64)(end - begin));
        firsts[v] = found;
    }
}

extern "C" __global__ void make_directory(const ids_t* neighbours, ulonglong2* directory) {
    for (u64 group = thread_in_grid(); group < neighbours->groups; group += threads_in_grid()) {
        const OneRow begun(neighbours, (offset_t)(group * GROUP), true);
        directory[group] = ulonglong2{begun.place << 12 | begun.wide << 6 | begun.narrow, begun.mask};
    }
}
