#pragma once
// The pulling half of bfs.cuh, which has what it works on.

#define ALONE 4     // times that a pulling thread looks by itself,
#define TOGETHER 4  // after this many neighbours

__device__ __forceinline__ bool is_on(const u32* map, u64 v) { return (map[v / 32] >> (v % 32)) & 1u; }

// Pull: every vertex without a depth looks for an in-neighbour on the frontier. A warp owns 32 vertices, so that the
// new frontier is written a word at a time.
__device__ __forceinline__ void pull(Search& to, index_t n, int depth_found, const offset_t* in_offsets,
                                     const ids_t* in_neighbours, const u32* front, u32* behind) {
    Neighbours into(in_neighbours, in_offsets);
    const u64 words = ((u64)n + WARP - 1) / WARP;
    u64 looked = 0;  // by this lane
    for (u64 word = warp_in_grid(); word < words; word += warps_in_grid()) {
        const u64 v = word * WARP + lane();
        const bool open = v < (u64)n && to.depth[v < (u64)n ? v : 0] < 0;
        offset_t at = 0, end = 0;
        if (open) {
            at = __ldg(in_offsets + v);
            end = __ldg(in_offsets + v + 1);
        }
        bool hit = false;
        index_t from = 0;
        // Alone for some edges, TOGETHER at a time: most find a neighbour on the frontier at once.
        RowBegin row(in_neighbours, at);
        for (u32 turn = 0; turn < ALONE && at < end && !hit; turn++) {
            index_t u[TOGETHER];
            bool on[TOGETHER];
            row.take(u, (index_t)v, at, (u64)(end - at));
#pragma unroll
            for (u32 k = 0; k < TOGETHER; k++) on[k] = u[k] >= 0 && is_on(front, (u64)u[k]);
#pragma unroll
            for (u32 k = TOGETHER; k-- > 0;) {
                if (on[k]) {
                    hit = true;
                    from = u[k];
                }
            }
            const u32 taken = end - at > TOGETHER ? (u32)TOGETHER : (u32)(end - at);
            at += taken;
            looked += taken;
        }
        // Then all lanes together for each that is left.
        u32 left = __ballot_sync(ALL_LANES, open && !hit && at < end);
        while (left) {
            const u32 owner = (u32)__ffs(left) - 1;
            left &= left - 1;
            const offset_t last = __shfl_sync(ALL_LANES, end, owner);
            offset_t first = __shfl_sync(ALL_LANES, at, owner);
            const index_t whose = (index_t)(word * WARP + owner);
            for (; first < last; first += WARP) {
                const bool mine = lane() < (u64)(last - first);
                looked += mine;
                const index_t u = into.at(mine, whose, first + (offset_t)lane());
                const bool on = mine && is_on(front, (u64)u);
                const u32 hits = __ballot_sync(ALL_LANES, on);
                if (hits) {
                    const index_t parent_found = __shfl_sync(ALL_LANES, u, __ffs(hits) - 1);
                    if (lane() == owner) {
                        hit = true;
                        from = parent_found;
                    }
                    break;
                }
            }
        }
        if (hit) {
            to.depth[v] = depth_found;
            to.parent[v] = from;
        }
        const u32 bits = count(to, hit, hit ? (u32)(__ldg(to.offsets + v + 1) - __ldg(to.offsets + v)) : 0);
        if (lane() == 0) behind[word] = bits;
    }
    looked = warp_sum(looked);
    if (lane() == 0 && looked) atomicAdd(&to.mine->tallies[to.turn].looked, looked);
}

// Of all possible parents the smallest: rows are sorted, so it is the first in-neighbour that is one level up.
extern "C" __global__ void smallest_parents(index_t n, const offset_t* in_offsets, const ids_t* in_neighbours,
                                            const int* depth, index_t* parent) {
    Neighbours into(in_neighbours, in_offsets);
    for (u64 v = warp_in_grid(); v < (u64)n; v += warps_in_grid()) {
        const int above = depth[v] - 1;
        if (above < 0) continue;
        const offset_t end = in_offsets[v + 1];
        for (offset_t first = in_offsets[v]; first < end; first += WARP) {
            const bool mine = lane() < (u64)(end - first);
            const index_t u = into.at(mine, (index_t)v, first + (offset_t)lane());
            const u32 hits = __ballot_sync(ALL_LANES, mine && depth[u] == above);
            if (hits) {
                const index_t smallest = __shfl_sync(ALL_LANES, u, __ffs(hits) - 1);
                if (lane() == 0) parent[v] = smallest;
                break;
            }
        }
    }
}
