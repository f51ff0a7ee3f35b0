#pragma once
// Breadth-first searches from up to 64 sources at once: a bit of a vertex's word says that a source has reached it. In
// every level, vertices that some source has not reached read what their in-neighbours learned in the level before.
//
// After M. Then et al.: "The more the merrier: efficient multi-source graph traversal", VLDB 2014.
#include "common.cuh"
#include "rows_by_size.cuh"
#include "steps.cuh"

struct Level {
    u32 listed;  // long rows
    u32 heard;   // whether a source has reached another vertex
};
// How far it has come: every thread has a copy, and all compute the same.
struct Progress {
    u32 level;
    u32 done;
};
struct Searches {
    Progress progress;
    Level steps[3];
    u32 barrier[GRID_BARRIER_WORDS];
};

// Fills the columns from `first` on of `depth`, which has `columns`, or does as much of it as is this launch's share.
// `all` has a bit for every source. `seen` has the sources, and so has `fresh` in level 0; `heard` is 0. These two
// alternate. `list` is room for n vertices.
extern "C" __global__ void __launch_bounds__(512, 3)
    many_searches(u64 n, u64 num_arcs, const offset_t* in_offsets, const ids_t* in_neighbours, int work, u64 all,
                  u64* seen, u64* fresh, u64* heard, index_t* list, int* depth, u64 columns, u64 first,
                  Searches* control) {
    const Rows rows = {in_offsets, in_neighbours, nullptr, nullptr};
    Progress at = control->progress;
    Steps<Level> steps = {control->steps, control->barrier, 0};
    Share share = {work};
    while (!at.done && share.is_left()) {
        share.take(num_arcs + n);
        u64* from = at.level % 2 ? heard : fresh;
        u64* to = at.level % 2 ? fresh : heard;
        const auto listen = [=](index_t v, const auto& team) {
            const u64 missing = all & ~seen[v];
            u64 mine = 0;
            rows.find(v, team, [&](const auto& entries, offset_t, offset_t j) {
                mine |= from[entries[j]];
                return (mine & missing) == missing;
            });
            if (mine & missing) atomicOr(&to[v], mine & missing);
        };
        // 1. What vertices hear.
        steps.begin();
        const auto waits = [=](u64 v) { return seen[v] != all ? (index_t)v : (index_t)-1; };
        by_size(n, rows, waits, list, &steps.current().listed, listen);
        const u32 listed = steps.end().listed;
        if (listed > 0) {
            share.take_long(listed);
            steps.begin();
            long_rows(list, 0, listed, listen);
            steps.end();
        }
        // 2. What they know from now on, and when they learned it.
        at.level++;
        steps.begin();
        bool any = false;
        for (u64 v = thread_in_grid(); v < n; v += threads_in_grid()) {
            from[v] = 0;
            u64 bits = to[v];
            if (bits == 0) continue;
            any = true;
            seen[v] |= bits;
            int* row = depth + v * columns + first;
            for (; bits; bits &= bits - 1) row[__ffsll((long long)bits) - 1] = (int)at.level;
        }
        if (__any_sync(ALL_LANES, any) && lane() == 0) atomicOr(&steps.current().heard, 1u);
        at.done = !steps.end().heard;
    }
    if (thread_in_grid() == 0) control->progress = at;  // all have read it: there was a step
}
