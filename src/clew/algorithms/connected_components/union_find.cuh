#pragma once
// Trees that grow together: every vertex points at a smaller one of its tree, the root (the smallest) at itself.
// Threads join trees at the same time. A pointer only ever moves to a smaller vertex of the same tree, so a stale one
// still leads to the root. A thread whose root has just been joined to another continues from there.

#include "rows_by_size.cuh"

__device__ __forceinline__ int replace_if(int* place, int old, int desired) { return atomicCAS(place, old, desired); }
__device__ __forceinline__ u32 replace_if(u32* place, u32 old, u32 desired) { return atomicCAS(place, old, desired); }
__device__ __forceinline__ long long replace_if(long long* place, long long old, long long desired) {
    return (long long)atomicCAS(reinterpret_cast<u64*>(place), (u64)old, (u64)desired);
}

// The root of v's tree; on the way, every vertex is pointed at its grandparent.
template <class T>
__device__ __forceinline__ T root_of(T* parent, T v) {
    T at = parent[v];
    if (at == v) return at;
    T before = v, next;
    while ((next = parent[at]) < at) {
        parent[before] = next;
        before = at;
        at = next;
    }
    return at;
}

// Make one tree of those that a and b are in; whether this thread did it. They are one tree afterwards in any case.
template <class T>
__device__ __forceinline__ bool join(T* parent, T a, T b) {
    T one = parent[a], other = parent[b];
    if (one == other) return false;
    one = root_of(parent, one);
    other = root_of(parent, other);
    while (one != other) {
        const T high = one > other ? one : other, low = one > other ? other : one;
        const T seen = replace_if(&parent[high], high, low);
        if (seen == high) return true;
        one = root_of(parent, seen);  // below high: the larger of the two falls with every attempt
        other = root_of(parent, low);
    }
    return false;
}

template <class T>
__device__ __forceinline__ void point_to_self(u64 n, T* parent) {
    for (u64 v = thread_in_grid(); v < n; v += threads_in_grid()) parent[v] = (T)v;
}

// The first step of many: a vertex points at its first neighbour where that is smaller, else at itself.
template <class T>
__device__ __forceinline__ void point_to_first(u64 n, const offset_t* offsets, const ids_t* neighbours, T* parent) {
    for (u64 v = thread_in_grid(); v < n; v += threads_in_grid()) {
        const offset_t begin = offsets[v], end = offsets[v + 1];
        T first[1];
        RowBegin(neighbours, begin).take(first, (T)v, begin, (u64)(end - begin));
        parent[v] = first[0] >= 0 && first[0] < (T)v ? first[0] : (T)v;
    }
}

// Point every vertex at its root. No thread shortens another vertex's path here: its own thread may have written the
// root already, and a stale grandparent would overwrite it.
template <class T>
__device__ __forceinline__ void flatten(u64 n, T* parent) {
    for (u64 v = thread_in_grid(); v < n; v += threads_in_grid()) {
        const T first = parent[v];
        T root = first, next;
        while ((next = parent[root]) < root) root = next;
        if (root != first) parent[v] = root;
    }
}

// Joins over the rows that are not short, after the short ones.
// listed: how many long rows are in `list`, zeroed. All threads of the grid take part; trees are not flat afterwards.
__device__ __forceinline__ void join_others(u64 n, const offset_t* offsets, const ids_t* neighbours, index_t* parent,
                                            index_t* list, u32* listed, u32* barrier) {
    const Rows rows = {offsets, neighbours, nullptr, nullptr};
    const auto others = [=](u64 v) { return offsets[v + 1] - offsets[v] > SHORT_ROW ? (index_t)v : (index_t)-1; };
    const auto join_row = [=](index_t v, const auto& team) { rows.each(v, team, [&](index_t u) { join(parent, v, u); }); };
    by_size(n, rows, others, list, listed, join_row);
    grid_sync(barrier);
    long_rows(list, 0, *listed, join_row);
    grid_sync(barrier);
}
