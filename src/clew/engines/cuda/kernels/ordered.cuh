#pragma once
#include "frontier.cuh"
// Sort a frontier by vertex, so that rows in host memory are read in address order. The link delivers scattered rows at
// full rate only within some hundred megabytes.
//
// Every vertex of the queue with edges sets a bit. Others leave the queue: an empty row would separate two that share a
// line. The bits are counted, a stretch per warp, and the queue is rewritten in their order. Rows follow from their
// vertices, so that nothing of the old queue is needed by then.

// Calls put(place, row) for every vertex of a stretch of words whose bit is set. `before` is the size of the queue
// before; returns the size after. Called by all lanes of a warp, each of which reads a word.
template <class Put>
__device__ __forceinline__ u64 each_marked(const offset_t* offsets, const u32* bits, u64 begin, u64 end, u64 before,
                                           Put put) {
    for (u64 word = begin; word < end; word += WARP) {
        const u32 mine = word + lane() < end ? bits[word + lane()] : 0;
        u32 left = __ballot_sync(ALL_LANES, mine != 0);
        while (left) {
            const u32 owner = __ffs(left) - 1, marked = __shfl_sync(ALL_LANES, mine, owner);
            left &= left - 1;
            const bool here = marked >> lane() & 1;
            const u64 vertex = (word + owner) * WARP + lane();
            const offset_t first = here ? offsets[vertex] : 0, last = here ? offsets[vertex + 1] : 0;
            const offset_t edges = last - first, up_to = warp_prefix(edges);
            if (here) {
                const u64 place = count_in(before) + __popc(marked & lanes_below());
                put(place, Row{(index_t)vertex, first, last, (offset_t)(edges_in(before) + (up_to - edges))});
            }
            before += ((u64)__shfl_sync(ALL_LANES, up_to, WARP - 1) << COUNT_BITS) + __popc(marked);
        }
    }
    return before;
}

// Puts the queue in order and returns its size. `bits` has a bit for each of n vertices and is zero before and after.
// `totals` has room for a number per warp and per block. By the whole grid.
__device__ __forceinline__ u64 put_in_order(const offset_t* offsets, u64 n, Row* rows, u64 count, u32* bits, u64* totals,
                                            u32* barrier) {
    for (u64 i = thread_in_grid(); i < count; i += threads_in_grid()) {
        const Row row = rows[i];
        const u64 vertex = (u64)row.vertex;
        if (row.first < row.end) atomicOr(bits + vertex / WARP, 1u << (vertex % WARP));
    }
    grid_sync(barrier);
    // A block's warps have stretches that lie together, so that blocks can be added up before warps.
    const u32 warps = blockDim.x / WARP, teams = gridDim.x * warps, mine = blockIdx.x * warps + warp_in_block();
    const u64 words = (n + WARP - 1) / WARP, each = ((u32)(words / WARP) / teams + 1) * WARP;
    const u64 begin = mine * each < words ? mine * each : words, end = begin + each < words ? begin + each : words;
    const u64 here = each_marked(offsets, bits, begin, end, 0, [](u64, const Row&) {});
    u64* of_blocks = totals + teams;
    if (lane() == 0) totals[mine] = here;
    __syncthreads();
    if (threadIdx.x < WARP) {
        u64 sum = 0;
        for (u64 i = lane(); i < warps; i += WARP) sum += totals[blockIdx.x * warps + i];
        sum = warp_sum(sum);
        if (lane() == 0) of_blocks[blockIdx.x] = sum;
    }
    grid_sync(barrier);
    u64 before = 0, all = 0;
    for (u64 i = lane(); i < gridDim.x; i += WARP) {
        const u64 there = of_blocks[i];
        all += there;
        if (i < blockIdx.x) before += there;
    }
    for (u64 i = lane(); i < warp_in_block(); i += WARP) before += totals[blockIdx.x * warps + i];
    before = warp_sum(before);
    all = warp_sum(all);
    each_marked(offsets, bits, begin, end, before, [=](u64 place, const Row& row) { rows[place] = row; });
    for (u64 word = begin + lane(); word < end; word += WARP) bits[word] = 0;
    grid_sync(barrier);
    return all;
}
