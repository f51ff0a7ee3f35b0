#pragma once
// Core numbers by peeling, in few cooperative launches. Level by level, vertices with no more remaining neighbours than
// the level are removed. The vertices that fall to the level by that follow in waves. A thread that frees a vertex with
// a short row processes it at once. So chains, as in road networks, need no wave per vertex.
#include "common.cuh"
#include "rows_by_size.cuh"
#include "steps.cuh"

#ifndef CHAIN
#define CHAIN 1024  // links that a thread follows at a time: the last one alone would keep all others waiting
#endif

struct Peeling {
    u32 queued;  // vertices set free
    u32 listed;  // long rows
    u32 kept;    // vertices left for the next level
    u32 above;   // how far the smallest number of neighbours left is below the largest there can be; 0: none is left
};
// How far the peeling has come: every thread has a copy, and all compute the same.
struct Progress {
    u32 begun;       // whether there was a launch before
    u32 turn;        // how many levels have begun
    u32 level;
    u32 kept;        // vertices left, as of the last level's beginning
    u32 stop;        // what is before this in the queue has been dealt with
    u32 waiting;     // vertices in the queue from there on; 0: a level is to begin
    u32 done;
};
struct Cores {
    Progress progress;
    Peeling steps[3];
    u32 barrier[GRID_BARRIER_WORDS];
};

__device__ __forceinline__ int add_to(int* place, int number) { return atomicAdd(place, number); }
__device__ __forceinline__ long long add_to(long long* place, long long number) {
    return (long long)atomicAdd(reinterpret_cast<u64*>(place), (u64)number);
}

// Neighbours are in order: an entry that is the vertex itself, or the same as the one before, does not count.
template <class Entries>
__device__ __forceinline__ bool counts(const Entries& entries, offset_t begin, offset_t j, index_t v) {
    return entries[j] != v && (j == begin || entries[j - 1] != entries[j]);
}

// Take v from its neighbours; those that fall to the level with it go to the queue.
struct Peel {
    Rows rows;
    core_t* core;
    core_t level;
    index_t* queue;
    u32* queued;

    template <class Team>
    __device__ __forceinline__ void operator()(index_t v, const Team& team) const {
        for (u32 links = 0; v >= 0; links++) {
            index_t next = -1;
            rows.find<true>(v, team, [&](const auto& entries, offset_t begin, offset_t j) {
                const index_t w = entries[j];
                if (core[w] <= level || !counts(entries, begin, j, v)) return false;
                const core_t before = add_to(&core[w], -1);
                if (before <= level) add_to(&core[w], 1);  // others have taken it to the level meanwhile
                if (before != level + 1) return false;
                if (team.step() == 1 && next < 0 && links < CHAIN && rows.length(w) <= SHORT_ROW) {
                    next = w;
                } else {
                    queue[atomicAdd(queued, 1u)] = w;
                }
                return false;
            });
            v = next;
        }
    }
};

// Which of the vertices left are of the level, and which stay: those go to `target`. `source` is null at first: all.
__device__ __forceinline__ void sort_out(u64 kept, const index_t* source, index_t* target, u32 most, core_t level,
                                         const core_t* core, index_t* queue, Peeling& now) {
    u32 near = 0;
    for (u64 base = warp_in_grid() * WARP; base < kept; base += warps_in_grid() * WARP) {
        const u64 i = base + lane();
        index_t v = 0;
        core_t degree = -1;
        if (i < kept) {
            v = source ? source[i] : (index_t)i;
            degree = core[v];
        }
        const u32 place = take_room(&now.kept, degree > level);
        if (degree > level) target[place] = v;
        if (degree > level && most - (u32)degree + 1 > near) near = most - (u32)degree + 1;
        const u32 position = take_room(&now.queued, degree == level);
        if (degree == level) queue[position] = v;
    }
    near = warp_max(near);
    if (lane() == 0 && near > 0) atomicMax(&now.above, near);
}

// Fills `core`, or does as much of it as is this launch's share. `queue`, `list` and the two of `left` are room for n
// vertices each. `most` is at least the largest degree; `control` is zeroed.
extern "C" __global__ void __launch_bounds__(512, 3)
    cores(u64 n, const offset_t* offsets, const ids_t* neighbours, const offset_t* in_offsets, const ids_t* in_neighbours,
          int work, u32 most, core_t* core, index_t* queue, index_t* list, index_t* left, index_t* other_left,
          Cores* control) {
    const Rows rows = {offsets, neighbours, in_offsets, in_neighbours};
    Progress at = control->progress;
    Steps<Peeling> steps = {control->steps, control->barrier, 0};
    Share share = {work};
    Peeling found;
    // 1. Degrees: the lengths of the rows, less what does not count.
    if (!at.begun) {
        steps.begin();
        for (u64 v = thread_in_grid(); v < n; v += threads_in_grid()) core[v] = (core_t)rows.length((index_t)v);
        steps.end();
        const auto discount = [=](index_t v, const auto& team) {
            u32 wrong = 0;
            rows.find<true>(v, team, [&](const auto& entries, offset_t begin, offset_t j) {
                wrong += !counts(entries, begin, j, v);
                return false;
            });
            if (wrong > 0) add_to(&core[v], -(core_t)wrong);
        };
        steps.begin();
        by_size(n, rows, [](u64 i) { return (index_t)i; }, list, &steps.current().listed, discount);
        found = steps.end();
        steps.begin();
        long_rows(list, 0, found.listed, discount);
        steps.end();
        at.kept = (u32)n;
    }
    while ((at.waiting > 0 || at.kept > 0) && share.is_left()) {
        if (at.waiting == 0) {  // 2. A level begins.
            const index_t* before = at.turn == 0 ? nullptr : at.turn % 2 ? other_left : left;
            share.take(at.kept);
            steps.begin();
            sort_out(at.kept, before, at.turn % 2 ? left : other_left, most, (core_t)at.level, core, queue + at.stop,
                     steps.current());
            found = steps.end();
            at.turn++;
            at.kept = found.kept;
            at.waiting = found.queued;
            if (found.queued == 0) at.level = most + 1 - found.above;
            continue;
        }
        // 3. A wave; when one frees no vertex, the level is finished.
        const u32 size = at.waiting;
        // Over all levels, the vertices have no more edges than this adds up to.
        share.take(size * (2 * (u64)at.level + 1));
        const Peel peel = {rows, core, (core_t)at.level, nullptr, nullptr};
        at.waiting = process_wave(queue + at.stop, size, rows, list, steps, share, peel);
        at.stop += size;
        if (at.waiting == 0) at.level++;
    }
    at.begun = 1;
    at.done = at.waiting == 0 && at.kept == 0;
    if (thread_in_grid() == 0) control->progress = at;  // all have read it: there was a step
}
