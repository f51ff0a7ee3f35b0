#pragma once
// Colours in priority order, in few cooperative launches. Every vertex takes the smallest colour that no neighbour of
// higher priority has, as soon as all of those have theirs (M. T. Jones, P. E. Plassmann, 1993). The colours are those
// of one thread that goes through the order alone.
#include "coloring_waves.cuh"
#include "random.cuh"

#define RUN_BITS 6      // of equal priority, 64 vertices in a row stay together, as on the CPU
#define WARP_WORDS 64   // of shared memory for the colours around a row of medium length
#define BLOCK_WORDS 1024
static_assert(SHORT_ROW < 64, "the colours around a short row are bits of one word");
static_assert(LONG_ROW <= 32 * WARP_WORDS, "the colours around a row of medium length are bits of its warp's words");

// How far it has come: every thread has a copy, and all compute the same.
struct Progress {
    u32 begun;           // whether there was a launch before
    u32 stop;            // what is before this in the queue has a colour, or is just getting one
    u32 queued, listed;  // from there on in the queue, and long rows of the step before
    u32 done;
};
struct Control {
    Progress progress;
    Coloring steps[3];
    u32 barrier[GRID_BARRIER_WORDS];
};

// Words whose ascending order is that of the priorities: larger degrees first where `degree_bits` is not 0, equals at
// random, then by id. `top` is the largest degree.
extern "C" __global__ void priorities(u64 n, const offset_t* offsets, const ids_t* neighbours, const offset_t* in_offsets,
                                      const ids_t* in_neighbours, u64 key, u64 top, u32 degree_bits, u32 id_bits,
                                      u64* word) {
    const Rows rows = {offsets, neighbours, in_offsets, in_neighbours};
    for (u64 v = thread_in_grid(); v < n; v += threads_in_grid()) {
        u64 own = (random_bits(key, v >> RUN_BITS) >> degree_bits >> id_bits << id_bits) | v;
        if (degree_bits > 0) own |= (top - rows.length((index_t)v)) << (64 - degree_bits);
        word[v] = own;
    }
}

// Where a bit is not set, the first; all of `words` set: 32 * words.
__device__ __forceinline__ u32 first_free(const u32* bits, u32 words, u32 first, u32 step) {
    for (u32 i = first; i < words; i += step)
        if (~bits[i]) return 32 * i + (u32)__ffs(~bits[i]) - 1;
    return 32 * words;
}

// What determines the smallest colour that is free at a vertex, for teams of all sizes.
struct Chooser {
    Rows rows;
    const u64* word;
    const int* color;
    u32* own_words;  // WARP_WORDS for each warp of the block
    u32* block_words;

    __device__ __forceinline__ int operator()(index_t v, const Alone& team) const {
        u64 taken = 0;
        rows.each(v, team, [&](index_t u) {
            if (word[u] < word[v] && color[u] < 64) taken |= 1ull << color[u];
        });
        return __ffsll((long long)~taken) - 1;
    }
    __device__ __forceinline__ int operator()(index_t v, const Together& team) const {
        u32* bits = own_words + warp_in_block() * WARP_WORDS;
        for (u32 i = lane(); i < WARP_WORDS; i += WARP) bits[i] = 0;
        __syncwarp(ALL_LANES);
        rows.each(v, team, [&](index_t u) {
            if (word[u] < word[v] && color[u] < 32 * WARP_WORDS) atomicOr(&bits[color[u] / 32], 1u << (color[u] % 32));
        });
        __syncwarp(ALL_LANES);
        u32 free = first_free(bits, WARP_WORDS, lane(), WARP);
        for (int step = WARP / 2; step > 0; step /= 2) {
            const u32 other = __shfl_xor_sync(ALL_LANES, free, step);
            free = other < free ? other : free;
        }
        __syncwarp(ALL_LANES);
        return (int)free;
    }
    __device__ __forceinline__ int operator()(index_t v, const WholeBlock& team) const {
        __shared__ u32 best;
        for (int low = 0;; low += 32 * BLOCK_WORDS) {  // colours from `low` on
            for (u32 i = threadIdx.x; i < BLOCK_WORDS; i += blockDim.x) block_words[i] = 0;
            if (threadIdx.x == 0) best = 32 * BLOCK_WORDS;
            __syncthreads();
            rows.each(v, team, [&](index_t u) {
                const int other = color[u] - low;
                if (word[u] < word[v] && other >= 0 && other < 32 * BLOCK_WORDS)
                    atomicOr(&block_words[other / 32], 1u << (other % 32));
            });
            __syncthreads();
            const u32 free = first_free(block_words, BLOCK_WORDS, threadIdx.x, blockDim.x);
            if (free < 32 * BLOCK_WORDS) atomicMin(&best, free);
            __syncthreads();
            const u32 found = best;
            __syncthreads();
            if (found < 32 * BLOCK_WORDS) return low + (int)found;
        }
    }
};

// Fills `color`, or does as much of it as is this launch's share. `waiting`, `queue` and `list` are room for n numbers
// and vertices; `control` is zeroed.
extern "C" __global__ void __launch_bounds__(512, 3)
    color_in_order(u64 n, const offset_t* offsets, const ids_t* neighbours, const offset_t* in_offsets,
                   const ids_t* in_neighbours, int work, const u64* word, int* color, u32* waiting, index_t* queue,
                   index_t* list, Control* control) {
    __shared__ u32 own_words[512 / WARP * WARP_WORDS];
    __shared__ u32 block_words[BLOCK_WORDS];
    const Rows rows = {offsets, neighbours, in_offsets, in_neighbours};
    const Chooser choose = {rows, word, color, own_words, block_words};
    Progress at = control->progress;
    Steps<Coloring> steps = {control->steps, control->barrier, 0};
    Share share = {work};
    Joining joining = {};
    // 1. For how many neighbours a vertex has to wait.
    const auto count = [&](index_t v, const auto& team) {
        u32 before = 0;
        rows.each(v, team, [&](index_t u) { before += word[u] < word[v]; });
        before = team.sum(before);
        if (team.first() != 0) return;
        waiting[v] = before;
        color[v] = -1;
        if (before == 0) joining.add(v);
    };
    if (!at.begun) at.queued = first_wave(n, rows, queue, list, steps, joining, count);
    // 2. Waves of those that need not wait any more: choose, and tell those that wait for it.
    const auto paint = [&](index_t v, const auto& team) {
        const int own = choose(v, team);
        if (team.first() == 0) color[v] = own;
        rows.each(v, team, [&](index_t u) {
            if (word[u] > word[v] && atomicSub(&waiting[u], 1u) == 1) joining.add(u);
        });
    };
    while ((at.queued > 0 || at.listed > 0) && share.is_left()) {
        if (at.listed > 0) {  // the long rows of the step before
            share.take_long(at.listed);
            joining.begin(steps, queue + at.stop + at.queued);
            long_rows(list, 0, at.listed, paint);
            at.queued += steps.end().queued;
        }
        const index_t* wave = queue + at.stop;
        const u32 size = at.queued;
        share.take(rows.about(size, n));
        at.stop += size;
        joining.begin(steps, queue + at.stop);
        by_size(size, rows, [=](u64 i) { return wave[i]; }, list, &steps.current().listed, paint);
        const Coloring found = steps.end();
        at.queued = found.queued;
        at.listed = found.listed;
    }
    at.begun = 1;
    at.done = at.queued == 0 && at.listed == 0;
    if (thread_in_grid() == 0) control->progress = at;  // all have read it: there was a step
}
