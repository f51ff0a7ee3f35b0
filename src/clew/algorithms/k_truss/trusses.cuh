#pragma once
// Truss numbers by peeling, over rows of distinct neighbours in which every arc has the number of its edge. Level by
// level, edges in no more triangles than the level are removed. The edges that fall to the level by that follow in
// waves. mark[e] is the wave in which edge e falls, ALIVE until that is known.
//
// After H. Kabir, K. Madduri: "Parallel k-truss decomposition on multicore systems", HPEC 2017.
#include "common.cuh"
#include "edge_numbers.cuh"
#include "rows_by_size.cuh"
#include "steps.cuh"

#define ALIVE 0xffffffffu
#define EDGE_COSTS 64  // edges of rows that an edge of a wave counts as, for the length of a launch
#ifndef FEW_EDGES
#define FEW_EDGES 4  // edges of a wave for each block, up to which a block takes an edge, not a warp
#endif

struct Ends {
    index_t one, other;
};

struct Peeling {
    u32 queued;  // edges that fall in the next wave
    u32 kept;    // edges left for the next level
    u32 above;   // how far the smallest number of triangles left is below the largest there can be; 0: none is left
    u32 taken;   // edges of the wave that warps have taken
};
// How far the peeling has come: every thread has a copy, and all compute the same.
struct Progress {
    u32 turn;     // how many levels have begun
    u32 level;
    u32 kept;     // edges left, as of the last level's beginning
    u32 wave;     // the number of the wave
    u32 stop;     // what is before this in the queue has been dealt with
    u32 waiting;  // edges in the queue from there on; 0: a level is to begin
    u32 thin;     // whether to make rows of the edges left
    u32 done;
};
struct Trusses {
    Progress progress;
    Peeling steps[3];
    u32 barrier[GRID_BARRIER_WORDS];
};

struct Links {
    const offset_t* offsets;
    const index_t* neighbours;
    const u32* numbers;

    // see(one, other) for the numbers of the two edges to every neighbour that the ends share; those that `passes`
    // refuses as the first are skipped.
    template <class Team, class Passes, class See>
    __device__ __forceinline__ void triangles(const Ends& ends, const Team& team, Passes passes, See see) const {
        index_t u = ends.one, v = ends.other;
        if (offsets[u + 1] - offsets[u] > offsets[v + 1] - offsets[v]) {
            u = ends.other;
            v = ends.one;
        }
        const offset_t begin = offsets[u], length = offsets[u + 1] - begin, low = offsets[v], high = offsets[v + 1];
        for (offset_t k = team.first(); k < length; k += team.step()) {
            const u32 one = numbers[begin + k];
            if (!passes(one)) continue;
            const index_t w = neighbours[begin + k];
            const offset_t place = first_neighbour(neighbours, low, high, w);
            if (place < high && neighbours[place] == w) see(one, numbers[place]);
        }
    }
};

// The number of the edge of every arc, and the ends of every edge. All arcs are there in both directions.
extern "C" __global__ void number_arcs(u64 n, u64 num_arcs, const offset_t* offsets, const index_t* neighbours,
                                       const offset_t* first, u32* numbers, Ends* ends) {
    each_edge(n, num_arcs, offsets, offsets, [=](bool valid, u64, index_t u, u64 arc) {
        if (!valid) return;
        const index_t v = neighbours[arc];
        const bool own = u < v;
        const u64 row = own ? (u64)u : (u64)v, end = offsets[row + 1];
        const u64 there = own ? arc : (u64)first_neighbour(neighbours, offsets[row], (offset_t)end, u);
        const u32 number = (u32)((u64)first[row + 1] - (end - there));
        numbers[arc] = number;
        if (own) ends[number] = {u, v};
    });
}

// Whether an arc leads to a vertex that is later by degree, then by id.
extern "C" __global__ void later_ends(u64 n, u64 num_arcs, const offset_t* offsets, const index_t* neighbours, u8* later) {
    each_edge(n, num_arcs, offsets, offsets, [=](bool valid, u64, index_t u, u64 arc) {
        if (!valid) return;
        const index_t v = neighbours[arc];
        const offset_t own = offsets[u + 1] - offsets[u], other = offsets[v + 1] - offsets[v];
        later[arc] = other > own || (other == own && v > u);
    });
}

// support[e] += the triangles that edge e is in; rows have later ends only. Zeroed before.
extern "C" __global__ void supports(u64 begin, u64 end, const offset_t* offsets, const index_t* neighbours,
                                    const u32* numbers, const Ends* ends, int* support) {
    const Links links = {offsets, neighbours, numbers};
    for (u64 e = begin + warp_in_grid(); e < end; e += warps_in_grid()) {
        u32 found = 0;
        links.triangles(ends[e], Together{}, [](u32) { return true; }, [&](u32 one, u32 other) {
            found++;
            atomicAdd(support + one, 1);
            atomicAdd(support + other, 1);
        });
        found = warp_sum(found);
        if (lane() == 0 && found > 0) atomicAdd(support + e, (int)found);
    }
}

// Take the triangles of edge e from the other edges in them; those that fall to the level with it go to the queue. Of
// two edges of a triangle that fall in the same wave, the one with the smaller number takes it from the third.
struct Peel {
    Links links;
    const Ends* ends;
    int* support;
    u32* mark;
    int level;
    u32 wave;
    u32* queue;
    u32* queued;

    __device__ __forceinline__ void lose(u32 e) const {
        if (support[e] <= level) return;
        const int before = atomicSub(support + e, 1);
        if (before <= level) atomicAdd(support + e, 1);  // others have taken it to the level meanwhile
        if (before != level + 1) return;
        mark[e] = wave + 1;
        queue[atomicAdd(queued, 1u)] = e;
    }

    template <class Team>
    __device__ __forceinline__ void operator()(u32 e, const Team& team) const {
        links.triangles(ends[e], team, [=](u32 one) { return mark[one] >= wave; }, [=](u32 one, u32 other) {
            const u32 of_one = mark[one], of_other = mark[other];
            if (of_other < wave) return;
            if (of_one > wave && (of_other > wave || e < other)) lose(one);
            if (of_other > wave && (of_one > wave || e < one)) lose(other);
        });
    }
};

// Which of the edges left are of the level, and which stay: those go to `target`. `source` is null at first: all.
__device__ __forceinline__ void sort_out(u64 kept, const u32* source, u32* target, u32 most, u32 level, u32 wave,
                                         const int* support, u32* mark, u32* queue, Peeling& now) {
    u32 near = 0;
    for (u64 base = warp_in_grid() * WARP; base < kept; base += warps_in_grid() * WARP) {
        const u64 i = base + lane();
        const u32 e = i < kept ? (source ? source[i] : (u32)i) : 0;
        const bool left = i < kept && mark[e] == ALIVE;
        const u32 number = left ? (u32)support[e] : 0;
        const bool stays = left && number > level, falls = left && number <= level;
        const u32 place = take_room(&now.kept, stays);
        if (stays) target[place] = e;
        if (stays && most - number + 1 > near) near = most - number + 1;
        const u32 position = take_room(&now.queued, falls);
        if (falls) {
            queue[position] = e;
            mark[e] = wave;
        }
    }
    near = warp_max(near);
    if (lane() == 0 && near > 0) atomicMax(&now.above, near);
}

// All edges of a wave: a warp to each, or a block where they are few.
__device__ __forceinline__ void remove_wave(const u32* wave, u32 size, const Peel& peel, u32* taken) {
    if (size <= FEW_EDGES * gridDim.x) {
        for (u32 i = blockIdx.x; i < size; i += gridDim.x) peel(wave[i], WholeBlock{nullptr});
        return;
    }
    const u32 at_once = 1 + (u32)(size / (8 * warps_in_grid()));
    for (;;) {
        u32 begin = 0;
        if (lane() == 0) begin = atomicAdd(taken, at_once);
        begin = __shfl_sync(ALL_LANES, begin, 0);
        if (begin >= size) return;
        for (u32 i = begin; i < size && i < begin + at_once; i++) peel(wave[i], Together{});
    }
}

// Counts supports down to the level at which their edges fall, or does as much of it as is this launch's share. It ends
// early when fewer than half of the edges in rows, num_edges, are left. `queue` and the two of `left` are room for all
// edges, and `most` is at least the largest support. The progress has `kept` at first; the rest of control is zeroed.
extern "C" __global__ void __launch_bounds__(512, 3)
    peel_edges(const offset_t* offsets, const index_t* neighbours, const u32* numbers, u32 num_edges, int work, u32 most,
               const Ends* ends, int* support, u32* mark, u32* queue, u32* left, u32* other_left, Trusses* control) {
    Progress at = control->progress;
    Steps<Peeling> steps = {control->steps, control->barrier, 0};
    Share share = {work};
    at.thin = 0;
    while ((at.waiting > 0 || at.kept > 0) && share.is_left() && !at.thin) {
        steps.begin();
        if (at.waiting == 0) {  // 1. A level begins.
            const u32* before = at.turn == 0 ? nullptr : at.turn % 2 ? other_left : left;
            share.take(at.kept);
            sort_out(at.kept, before, at.turn % 2 ? left : other_left, most, at.level, at.wave, support, mark,
                     queue + at.stop, steps.current());
            const Peeling found = steps.end();
            at.turn++;
            at.kept = found.kept;
            at.waiting = found.queued;
            if (found.queued == 0) at.level = most + 1 - found.above;
            at.thin = (u64)(found.kept + found.queued) * 2 < num_edges;
            continue;
        }
        // 2. A wave; when no edge falls with it, the level is finished.
        const u32 size = at.waiting;
        share.take((u64)size * EDGE_COSTS);
        const u32* wave = queue + at.stop;
        at.stop += size;
        Peel peel = {{offsets, neighbours, numbers}, ends, support, mark, (int)at.level, at.wave,
                     queue + at.stop, &steps.current().queued};
        remove_wave(wave, size, peel, &steps.current().taken);
        at.waiting = steps.end().queued;
        at.wave++;
        if (at.waiting == 0) at.level++;
    }
    at.done = at.waiting == 0 && at.kept == 0;
    if (thread_in_grid() == 0) control->progress = at;  // all have read it: there was a step
}
