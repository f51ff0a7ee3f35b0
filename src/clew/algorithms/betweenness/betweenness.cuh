#pragma once
#ifndef WEIGHTED
#define WEIGHTED 0
#endif
#include "level_queue.cuh"
// Brandes' algorithm in one launch, with one number per vertex to look up along an edge.
// Forward, paths[v] is UNSEEN, then 0 when v is found, then the number of shortest paths when its level is complete. In
// the row of a vertex on level d of an undirected graph, 0 means levels d and d + 1, a number of paths level d - 1. So
// one pass over the row counts paths and finds the next level. Backward, paths gets the share that a vertex hands to each
// path that leads to it, from the deepest level on. With DIRECTED 1, in-edges are summed up, out-edges find the next
// level, a bit per vertex marks known vertices, and 0 stands for UNSEEN.
// The order of every sum depends on the row length alone: 8 lanes up to SHORT_ROW edges, a warp up to BIG_ROW, else a
// block. There are no atomic sums, so results are bit-identical. A level with a count above `large`, a power of two, is
// divided by it. A count below 1 / large then makes the search fail.
// MANY 1: a block per source, with memory of its own. MANY 0: the whole grid for one source; one cluster, whose barrier
// is faster, takes narrow levels.
// EDGES 1, with MANY 0: every entry of the rows gets what passes over it away from the source, in place of the vertices.
// WEIGHTED 1, with MANY 0: a search for paths has left the distances, and in `seen` how many edges on shortest paths lead
// to each vertex. A vertex is on the level after the last of those before it: it is found by the edge that leaves none of
// them. Only edges on shortest paths count, so neither marks nor zeros are needed. A level has counts of many sizes, and
// they are not divided: one above `large` makes the search fail.

#define UNSEEN (-1.0)
#define UNSEEN_BITS 0xbff0000000000000ull
#ifndef SHORT_ROW
#define SHORT_ROW 64
#endif
#ifndef NARROW
#define NARROW (CLUSTER * 128)  // vertices of a level that one cluster processes
#endif
#ifndef EDGES
#define EDGES 0
#endif
#define GROUP 8      // lanes for a short row
#define FETCHED 4    // neighbours that a thread fetches at a time

#if WEIGHTED
// The same for edges on shortest paths: those that lead to v are summed up with BEFORE, else those that lead away, and
// with FIND the latter find the next level.
template <bool BEFORE, bool FIND, bool SCORE>
__device__ __forceinline__ double sum_tight(const Search& s, const offset_t* offsets, const index_t* neighbours,
                                            const weight_t* weights, index_t v, u32 me, u32 team, double passing) {
    const offset_t begin = __ldg(offsets + v), length = __ldg(offsets + v + 1) - begin;
    const key_t here = key_in(s.words[v]);
    double total = 0.0;
    for (offset_t j = me; j < length; j += FETCHED * team) {
        index_t w[FETCHED];
        key_t there[FETCHED];
        value_t more[FETCHED];
#pragma unroll
        for (u32 k = 0; k < FETCHED; k++) {
            const bool valid = length - j > (offset_t)k * team;
            w[k] = valid ? __ldg(neighbours + begin + j + k * team) : v;
            more[k] = valid ? value_of_weight(weights[begin + j + k * team]) : (value_t)0;
        }
#pragma unroll
        for (u32 k = 0; k < FETCHED; k++) there[k] = key_in(s.words[w[k]]);
#pragma unroll
        for (u32 k = 0; k < FETCHED; k++) {
            if (BEFORE && there[k] < here && key_of(extended(value_in(there[k]), more[k])) == here)
                total += s.paths[w[k]];
            if ((BEFORE && !FIND) || there[k] <= here || there[k] >= s.unreached) continue;
            if (key_of(extended(value_in(here), more[k])) != there[k]) continue;
            if (FIND) {
                if (atomicSub(s.seen + w[k], 1u) == 1) discovered(s, w[k]);
            } else {
                const double value = s.paths[w[k]];
                total += value;
                if (SCORE) s.sum[(u64)begin + j + (u64)k * team] += passing * value;
            }
        }
    }
    return total;
}
#else
// Sum up paths over a row, by one of `team` threads; with FIND, UNSEEN neighbours are found. With SCORE, what is summed up
// is added to the entries, times the number of paths that pass.
template <bool FIND, bool SCORE>
__device__ __forceinline__ double sum_over(const Search& s, const offset_t* offsets, const index_t* neighbours,
                                           index_t v, u32 me, u32 team, double passing) {
    const offset_t begin = __ldg(offsets + v), length = __ldg(offsets + v + 1) - begin;
    double total = 0.0;
    for (offset_t j = me; j < length; j += FETCHED * team) {
        index_t w[FETCHED];
        double value[FETCHED];
#pragma unroll
        for (u32 k = 0; k < FETCHED; k++)
            w[k] = length - j > (offset_t)k * team ? __ldg(neighbours + begin + j + k * team) : (index_t)-1;
#pragma unroll
        for (u32 k = 0; k < FETCHED; k++) value[k] = w[k] >= 0 ? s.paths[w[k]] : 0.0;
#pragma unroll
        for (u32 k = 0; k < FETCHED; k++) {
            if (!FIND || value[k] >= 0.0) {
                total += value[k];
                if (SCORE && value[k] > 0.0) s.sum[(u64)begin + j + (u64)k * team] += passing * value[k];
            } else if (atomicCAS((u64*)(s.paths + w[k]), UNSEEN_BITS, 0ull) == UNSEEN_BITS) {
                discovered(s, w[k]);
            }
        }
    }
    return total;
}

// Find what the out-edges of a vertex lead to, in a directed graph.
__device__ __forceinline__ void find_over(const Search& s, index_t v, u32 me, u32 team) {
    const offset_t begin = __ldg(s.out + v), length = __ldg(s.out + v + 1) - begin;
    for (offset_t j = me; j < length; j += team) {
        const index_t w = __ldg(s.out_neighbours + begin + j);
        const u32 bit = 1u << ((u64)w % 32);
        if ((s.seen[(u64)w / 32] & bit) == 0 && (atomicOr(s.seen + (u64)w / 32, bit) & bit) == 0) discovered(s, w);
    }
}
#endif

// What one of `team` threads adds to the sum of the vertex at place i of the queue.
template <bool FORWARD>
__device__ __forceinline__ double share_of(const Search& s, u64 i, index_t v, u32 me, u32 team) {
    constexpr bool score = EDGES && !FORWARD, find = FORWARD && !DIRECTED;
    const double passing = score ? s.along[i] * s.mine->unit : 0.0;
#if WEIGHTED
    if (FORWARD && DIRECTED) {
        sum_tight<false, true, false>(s, s.out, s.out_neighbours, s.weights, v, me, team, 0.0);
        return sum_tight<true, false, false>(s, s.into, s.in_neighbours, s.in_weights, v, me, team, 0.0);
    }
    return sum_tight<FORWARD, find, score>(s, s.out, s.out_neighbours, s.weights, v, me, team, passing);
#else
    if (FORWARD && DIRECTED) {
        find_over(s, v, me, team);
        return sum_over<false, false>(s, s.into, s.in_neighbours, v, me, team, 0.0);
    }
    return sum_over<find, score>(s, s.out, s.out_neighbours, v, me, team, passing);
#endif
}

// What becomes of the sum of the vertex at place i of the queue.
template <bool FORWARD>
__device__ __forceinline__ void settle(const Search& s, const Extent& extent, u64 i, index_t v, double total) {
    if (FORWARD) {
        const double number = i == 0 ? 1.0 : total;
        s.along[i] = number;
#if WEIGHTED
        if (number > s.large) s.control->failed = 1;
#else
        if (number > s.large) s.control->large_at = extent.level + 1;
#endif
    } else {
        const double paths = s.along[i], depends = paths * total * s.mine->unit;
        s.along[i] = WEIGHTED && paths == 0.0 ? 0.0 : (1.0 + depends) / paths;
#if MANY
        s.sum[v] = depends;
#elif !EDGES
        s.sum[v] += depends;
#endif
    }
}

// Sum up for all vertices of a level.
template <bool FORWARD>
__device__ __forceinline__ void sum_level(const Search& s, const Extent& extent) {
    for (u64 k = extent.big_start + s.block; k < extent.big_stop; k += s.blocks) {
        const u64 i = (u64)s.big_list[k];
        const index_t v = s.queue[i];
        const double part = warp_sum(share_of<FORWARD>(s, i, v, threadIdx.x, blockDim.x));
        if (lane() == 0) s.mine->sums[warp_in_block()] = part;
        __syncthreads();
        if (threadIdx.x == 0) {
            double total = 0.0;
            for (u32 warp = 0; warp < blockDim.x / WARP; warp++) total += s.mine->sums[warp];
            settle<FORWARD>(s, extent, i, v, total);
        }
        __syncthreads();
    }
    const u64 warps = threads_of(s) / WARP, at_once = WARP / GROUP;
    for (u64 base = extent.start + thread_of(s) / WARP * at_once; base < extent.stop; base += warps * at_once) {
        const u64 i = base + lane() / GROUP;
        const bool mine = i < extent.stop;
        const index_t v = mine ? s.queue[i] : (index_t)0;
        const u64 row = mine ? longest_row(s, v) : 0;
        const bool alone = mine && row <= SHORT_ROW;
        double total = alone ? share_of<FORWARD>(s, i, v, lane() % GROUP, GROUP) : 0.0;
        for (int step = GROUP / 2; step > 0; step /= 2) total += __shfl_xor_sync(ALL_LANES, total, step);
        if (alone && lane() % GROUP == 0) settle<FORWARD>(s, extent, i, v, total);
        u32 left = __ballot_sync(ALL_LANES, lane() % GROUP == 0 && mine && row > SHORT_ROW && row <= BIG_ROW);
        while (left) {
            const int who = __ffs(left) - 1;
            left &= left - 1;
            const index_t longer = __shfl_sync(ALL_LANES, v, who);
            const u64 place = base + (u32)who / GROUP;
            const double sum = warp_sum(share_of<FORWARD>(s, place, longer, lane(), WARP));
            if (lane() == (u32)who) settle<FORWARD>(s, extent, i, v, sum);
        }
    }
}

__device__ __forceinline__ void step_forward(const Search& s, Extent& extent) {
    sum_level<true>(s, extent);
    flush(s);
    meet(s, [&] {
        s.mine->tail = s.control->tail;
        s.mine->bigs = s.control->bigs;
        s.mine->large = s.control->large_at == extent.level + 1;
        s.mine->count = 0;
    });
    const bool divide = s.mine->large;
    for (u64 i = extent.start + thread_of(s); i < extent.stop; i += threads_of(s)) {
        double number = s.along[i];
        if (divide) {
            number /= s.large;
            s.along[i] = number;
            if (number < 1.0 / s.large) s.control->failed = 1;
        }
        s.paths[s.queue[i]] = number;
    }
    if (thread_of(s) == 0) {
        s.starts[extent.level + 1] = (index_t)extent.stop;
        s.big_starts[extent.level + 1] = (index_t)extent.big_stop;
        s.divided[extent.level] = divide;
    }
    extent = {extent.level + 1, extent.stop, s.mine->tail, extent.big_stop, s.mine->bigs};
    meet(s, [] {});
}

// The bounds of a level that is complete, for the block.
__device__ __forceinline__ void fetch(const Search& s, long long level, bool last) {
    s.mine->extent = {level, (u64)s.starts[level], (u64)s.starts[level + 1], (u64)s.big_starts[level],
                   (u64)s.big_starts[level + 1]};
    s.mine->unit = !last && s.divided[level + 1] ? 1.0 / s.large : 1.0;
}

__device__ __forceinline__ void step_backward(const Search& s, Extent& extent) {
    sum_level<false>(s, extent);
    meet(s, [] {});
    for (u64 i = extent.start + thread_of(s); i < extent.stop; i += threads_of(s)) s.paths[s.queue[i]] = s.along[i];
    meet(s, [&] {
        if (extent.level > 1) fetch(s, extent.level - 1, false);
    });
    if (extent.level > 1) {
        extent = s.mine->extent;
    } else {
        extent.level = 0;
    }
}

__device__ __forceinline__ bool is_narrow(const Extent& extent) {
    return !MANY && gridDim.x > CLUSTER && extent.big_start == extent.big_stop && extent.stop - extent.start <= NARROW;
}

template <bool FORWARD>
__device__ __forceinline__ bool goes_on(const Extent& extent) {
    return FORWARD ? extent.start < extent.stop : extent.level > 0;
}

template <bool FORWARD>
__device__ __forceinline__ void step(const Search& s, Extent& extent) {
    if (FORWARD) {
        step_forward(s, extent);
    } else {
        step_backward(s, extent);
    }
}

// All levels, one extent.
template <bool FORWARD>
__device__ __forceinline__ void walk(Search& s, Extent& extent) {
    while (goes_on<FORWARD>(extent)) {
        if (!is_narrow(extent)) {
            step<FORWARD>(s, extent);
            continue;
        }
        if (blockIdx.x < CLUSTER) {
            s.blocks = CLUSTER;
            while (goes_on<FORWARD>(extent) && is_narrow(extent)) step<FORWARD>(s, extent);
            s.blocks = gridDim.x;
            if (thread_of(s) == 0) s.control->extent = extent;
        }
        meet(s, [&] {
            s.mine->extent = s.control->extent;
            const long long level = s.mine->extent.level;
            if (!FORWARD && level > 0) fetch(s, level, false);
        });
        extent = s.mine->extent;
    }
}

// The dependencies of one source on all vertices; false where counts are too far apart.
__device__ __forceinline__ bool depend(Search& s, u64 n, index_t source) {
    for (u64 v = thread_of(s); !WEIGHTED && v < n; v += threads_of(s)) {
        s.paths[v] = DIRECTED ? 0.0 : v == (u64)source ? 0.0 : UNSEEN;
        if (MANY) s.sum[v] = 0.0;
    }
    for (u64 word = thread_of(s); DIRECTED && !WEIGHTED && word < (n + 31) / 32; word += threads_of(s))
        s.seen[word] = word == (u64)source / 32 ? 1u << ((u64)source % 32) : 0u;
    if (thread_of(s) == 0) {
        s.control->tail = 1, s.control->bigs = 0;
        s.control->large_at = s.control->failed = 0;
        s.starts[0] = s.big_starts[0] = 0;
        enter(s, 0, source);
    }
    if (threadIdx.x == 0) s.mine->count = 0;
    meet(s, [] {});
    Extent extent = {0, 0, 1, 0, longest_row(s, source) > BIG_ROW ? 1ull : 0ull};  // a fast cluster may be counting on
#if WEIGHTED
    // Rounding may swallow the lengths of all edges to a vertex. No path to it counts, but edges lead on from it.
    for (u64 v = thread_of(s); v < n; v += threads_of(s))
        if (v != (u64)source && s.seen[v] == 0 && key_in(s.words[v]) < s.unreached) discovered(s, (index_t)v);
    flush(s);
    meet(s, [&] { s.mine->tail = s.control->tail, s.mine->bigs = s.control->bigs, s.mine->count = 0; });
    extent.stop = s.mine->tail, extent.big_stop = s.mine->bigs;
    meet(s, [] {});
#endif
    walk<true>(s, extent);
    meet(s, [&] {
        s.mine->large = s.control->failed != 0;
        if (extent.level > 1) fetch(s, extent.level - 1, true);
    });
    if (s.mine->large) return false;
    for (u64 i = thread_of(s); !WEIGHTED && i < extent.start; i += threads_of(s)) s.paths[s.queue[i]] = 0.0;
    const long long levels = extent.level;
    meet(s, [] {});
    if (levels > 1) {
        extent = s.mine->extent;
        walk<false>(s, extent);
#if EDGES
        meet(s, [&] { fetch(s, 0, false); });  // the entries of the source
        sum_level<false>(s, s.mine->extent);
#endif
    }
    return true;
}

extern "C" __global__ void __launch_bounds__(512, 2)
betweenness(index_t n, const offset_t* out, const index_t* out_neighbours, const offset_t* into,
            const index_t* in_neighbours, const long long* sources, u64 number, double large, u64 most_big,
            double* paths, double* along, index_t* queue, index_t* starts, index_t* big_list, index_t* big_starts,
            u8* divided, u32* seen, double* sum, u8* failed, u32* taken, Control* controls
#if WEIGHTED
            , const word_t* words, const weight_t* weights, const weight_t* in_weights, value_t unreached
#endif
            ) {
    __shared__ Block mine;
    const u64 size = (u64)n, team = MANY ? blockIdx.x : 0, levels = size + 2;
    Search s = {out, out_neighbours, into, in_neighbours, large, paths + team * size, along + team * size,
                queue + team * size, starts + team * levels, big_list + team * most_big, big_starts + team * levels,
                divided + team * levels, seen + team * ((size + 31) / 32), sum, controls + team, &mine,
                MANY ? 0 : blockIdx.x, MANY ? 1 : gridDim.x
#if WEIGHTED
                , words, weights, in_weights, key_of(unreached)
#endif
    };
#if MANY
    __shared__ u32 next;
    for (;;) {
        if (threadIdx.x == 0) next = atomicAdd(taken, 1u);
        __syncthreads();
        const u64 k = next;
        __syncthreads();
        if (k >= number) break;
        s.sum = sum + k * size;
        const bool good = depend(s, size, (index_t)sources[k]);
        if (threadIdx.x == 0) failed[k] = !good;
    }
#else
    (void)taken;
    for (u64 k = 0; k < number; k++) {
        const bool good = depend(s, size, (index_t)sources[k]);
        if (thread_in_grid() == 0) failed[k] = !good;
        grid_sync(s.control->barrier);
    }
#endif
}

// Add rows of dependencies, in their order and but for those that failed, to the sum.
extern "C" __global__ void add_dependencies(index_t n, u64 number, const double* rows, const u8* failed, double* sum) {
    for (u64 v = thread_in_grid(); v < (u64)n; v += threads_in_grid()) {
        double total = sum[v];
        for (u64 k = 0; k < number; k++)
            if (!failed[k]) total += rows[k * (u64)n + v];
        sum[v] = total;
    }
}

// Whether a row names a neighbour twice.
extern "C" __global__ void find_duplicates(index_t n, const offset_t* offsets, const index_t* neighbours, u32* found) {
    for (u64 v = warp_in_grid(); v < (u64)n; v += warps_in_grid()) {
        const offset_t end = offsets[v + 1];
        for (offset_t j = offsets[v] + 1 + lane(); j < end; j += WARP)
            if (neighbours[j - 1] == neighbours[j]) *found = 1;
    }
}
