#pragma once
// Core numbers by peeling, in one cooperative launch: level after level, vertices with no more neighbours left than the
// level are taken away, and what their removal sets free follows in waves. A thread that sets a vertex with a short row
// free goes on with it at once, so that chains, of which roads are full, need no wave for every link.
#include "common.cuh"
#include "rows_by_size.cuh"
#include "steps.cuh"

struct Peeling {
    u32 queued;  // vertices set free
    u32 listed;  // long rows
    u32 kept;    // vertices left for the next level
    u32 above;   // how far the smallest number of neighbours left is below the largest there can be; 0: none is left
};
struct Cores {
    Peeling steps[3];
    u32 barrier[GRID_BARRIER_WORDS];
};

__device__ __forceinline__ int add_to(int* place, int number) { return atomicAdd(place, number); }
__device__ __forceinline__ long long add_to(long long* place, long long number) {
    return (long long)atomicAdd(reinterpret_cast<u64*>(place), (u64)number);
}

// Neighbours are in order: an entry that is the vertex itself, or the same as the one before, does not count.
__device__ __forceinline__ bool counts(const index_t* entries, offset_t begin, offset_t j, index_t v) {
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
        while (v >= 0) {
            index_t next = -1;
            rows.find(v, team, [&](const index_t* entries, offset_t begin, offset_t j) {
                const index_t w = entries[j];
                if (core[w] <= level || !counts(entries, begin, j, v)) return false;
                const core_t before = add_to(&core[w], -1);
                if (before <= level) add_to(&core[w], 1);  // others have taken it to the level meanwhile
                if (before != level + 1) return false;
                if (team.step() == 1 && next < 0 && rows.length(w) <= SHORT_ROW) {
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

// Fills `core`. `queue`, `list` and the two of `left` are room for n vertices each. `most` is at least the largest degree.
extern "C" __global__ void __launch_bounds__(512, 3)
    cores(u64 n, const offset_t* offsets, const index_t* neighbours, const offset_t* in_offsets, const index_t* in_neighbours,
          u32 most, core_t* core, index_t* queue, index_t* list, index_t* left, index_t* other_left, Cores* control) {
    const Rows rows = {offsets, neighbours, in_offsets, in_neighbours};
    Steps<Peeling> steps = {control->steps, control->barrier, 0};
    // 1. Degrees: the lengths of the rows, less what does not count.
    steps.begin();
    for (u64 v = thread_in_grid(); v < n; v += threads_in_grid()) core[v] = (core_t)rows.length((index_t)v);
    steps.end();
    const auto discount = [=](index_t v, const auto& team) {
        u32 wrong = 0;
        rows.find(v, team, [&](const index_t* entries, offset_t begin, offset_t j) {
            wrong += !counts(entries, begin, j, v);
            return false;
        });
        if (wrong > 0) add_to(&core[v], -(core_t)wrong);
    };
    steps.begin();
    by_size(n, rows, [](u64 i) { return (index_t)i; }, list, &steps.current().listed, discount);
    Peeling found = steps.end();
    steps.begin();
    long_rows(list, 0, found.listed, discount);
    steps.end();

    u64 kept = n;
    u32 stop = 0;  // what is before this in the queue has been dealt with, or is just being
    core_t level = 0;
    for (u32 turn = 0;; turn++) {
        // 2. A level begins.
        steps.begin();
        sort_out(kept, turn == 0 ? nullptr : turn % 2 ? other_left : left, turn % 2 ? left : other_left, most, level, core,
                 queue + stop, steps.current());
        found = steps.end();
        kept = found.kept;
        if (found.queued == 0) {
            if (kept == 0) break;
            level = (core_t)(most + 1 - found.above);
            continue;
        }
        // 3. Waves, until one sets nobody free.
        while (found.queued > 0) {
            const index_t* wave = queue + stop;
            const u32 size = found.queued;
            stop += size;
            steps.begin();
            Peel peel = {rows, core, level, queue + stop, &steps.current().queued};
            by_size(size, rows, [=](u64 i) { return wave[i]; }, list, &steps.current().listed, peel);
            found = steps.end();
            if (found.listed > 0) {
                const u32 before = found.queued;
                steps.begin();
                peel.queue += before;
                peel.queued = &steps.current().queued;
                long_rows(list, 0, found.listed, peel);
                found = steps.end();
                found.queued += before;
            }
        }
        level++;
    }
}
