#pragma once
// `Neighbours` for packed rows with a directory. Each lane takes its own entries out of the words, without shared
// memory. One scan then adds up the differences of a warp's edges, over any mix of rows.
//
// `ask` and `settle` are two steps, so that a warp can request several edges before it waits for the first. Edges that
// follow each other go on with the sum of the one before, also from one call to the next.
#define NO_EDGE ((group_t)~(group_t)0)

struct Neighbours {
    const ids_t* packed;
    const offset_t* offsets;
    group_t edge_before;  // the last of this lane, and its neighbour
    entry_t id_before;

    __device__ __forceinline__ Neighbours(const ids_t* all, const offset_t* starts)
        : packed(all), offsets(starts), edge_before(NO_EDGE), id_before(0) {}

    __device__ __forceinline__ index_t at(bool valid, index_t vertex, offset_t edge) {
        return in_row(valid, valid ? (u64)__ldg(offsets + vertex) : 0, edge);
    }
    __device__ __forceinline__ index_t in_row(bool valid, u64 first, offset_t edge) {
        const bool valids[] = {valid}, begins[] = {first == (u64)edge};
        const offset_t edges[] = {edge};
        index_t found[1];
        ask(valids, edges, found);
        settle(valids, begins, first, edges, found);
        return found[0];
    }
    __device__ __forceinline__ index_t near(bool valid, index_t vertex, offset_t edge) { return at(valid, vertex, edge); }
    __device__ __forceinline__ void expect(offset_t edge) const { prefetch(directory() + (u64)edge / GROUP); }

    // What is stored of edges: the neighbour if an edge is the first of its row or group, else the difference to the
    // one before. An edge of a lane follows the one before it, or begins a row; only the last may be invalid.
    template <u32 COUNT>
    __device__ __forceinline__ void ask(const bool (&valid)[COUNT], const offset_t (&edge)[COUNT],
                                        index_t (&found)[COUNT]) const {
        const u32* const words = (const u32*)__ldg((const u64*)&packed->words);
        ulonglong2 group[COUNT];
        u32 at[COUNT], width[COUNT];
#pragma unroll
        for (u32 k = 0; k < COUNT; k++) {
            group[k] = k == 0 ? ulonglong2{0, 0} : group[k - (k > 0)];
            const bool same = k > 0 && (group_t)edge[k] / GROUP == (group_t)edge[k - (k > 0)] / GROUP;
            if (valid[k] && !same) group[k] = __ldg(directory() + (group_t)edge[k] / GROUP);
        }
#pragma unroll
        for (u32 k = 0; k < COUNT; k++) find(group[k], edge[k], at[k], width[k]);
#pragma unroll
        for (u32 k = 0; k < COUNT; k++) {
            const u32* const there = words + (group[k].x >> 17) + at[k] / 32;
            found[k] = valid[k] ? (index_t)take(InMemory{there}, at[k] % 32, width[k]) : (index_t)0;
        }
    }

    // From what is stored to neighbours. `begins` says which edges are the first of their rows; the row of this lane's
    // first edge begins at `row`. All lanes of a warp take part.
    template <u32 COUNT>
    __device__ __forceinline__ void settle(const bool (&valid)[COUNT], const bool (&begins)[COUNT], u64 row,
                                           const offset_t (&edge)[COUNT], index_t (&found)[COUNT]) {
        const group_t mine = valid[0] ? (group_t)edge[0] : NO_EDGE;
        const group_t end = valid[COUNT - 1] ? (group_t)edge[COUNT - 1] : NO_EDGE;
        const u32 below = (lane() + WARP - 1) % WARP;
        const group_t before = __shfl_sync(ALL_LANES, lane() == WARP - 1 ? edge_before : end, below);
        const entry_t last = __shfl_sync(ALL_LANES, id_before, WARP - 1);
        const bool first = !valid[0] || begins[0] || (u32)edge[0] % GROUP == 0;
        const bool follows = !first && (group_t)(mine - 1) == before;
        // A lane that goes along a row of its own, an edge at a time.
        const bool goes_on = COUNT == 1 && !first && !follows && (group_t)(mine - 1) == edge_before;
        entry_t value = (entry_t)found[0];
        if (goes_on) value += id_before;
        const u32 orphans = __ballot_sync(ALL_LANES, !first && !follows && !goes_on);
        if (orphans) value += before_orphans(orphans, row, edge[0]);
        if (lane() == 0 && follows) value += last;
        bool unbroken = follows, goes[COUNT];
        entry_t sum = value;
#pragma unroll
        for (u32 k = 1; k < COUNT; k++) {
            goes[k] = valid[k] && !begins[k] && (u32)edge[k] % GROUP != 0;
            unbroken = unbroken && goes[k];
            sum = goes[k] ? sum + (entry_t)found[k] : (entry_t)found[k];
        }
        const u32 starts = __ballot_sync(ALL_LANES, !unbroken) | 1;
        const entry_t up_to = warp_prefix(sum);
        const u32 start = 31 - __clz(starts & (2 * lanes_below() + 1));
        const entry_t total = up_to - __shfl_sync(ALL_LANES, (entry_t)(up_to - sum), start);
        if (COUNT == 1) {
            value = total;
        } else {
            const entry_t carried = __shfl_sync(ALL_LANES, total, below);
            if (lane() > 0 && follows) value += carried;
        }
        found[0] = (index_t)value;
#pragma unroll
        for (u32 k = 1; k < COUNT; k++) found[k] = goes[k] ? (index_t)(found[k - 1] + found[k]) : found[k];
        edge_before = end, id_before = (entry_t)found[COUNT - 1];
    }

    __device__ __forceinline__ const ulonglong2* directory() const {
        return reinterpret_cast<const ulonglong2*>(__ldg((const u64*)&packed->directory));
    }

    // The bit of an entry, from the word where its group begins, and its width.
    __device__ __forceinline__ void find(const ulonglong2& group, offset_t edge, u32& at, u32& width) const {
        const u32 entry = (u32)edge % GROUP, bit = entry % 32, bits = __ldg(&packed->bits);
        const u32 narrow = (u32)group.x & 63, wide = (u32)group.x >> 6 & 63;
        const u32 low = (u32)group.y, half = entry < 32 ? low : (u32)(group.y >> 32);
        const u32 wides = (u32)__popc(half & ((1u << bit) - 1)) + (entry < 32 ? 0 : (u32)__popc(low));
        width = entry == 0 ? bits : half >> bit & 1 ? wide : narrow;
        at = (u32)group.x >> 12 & 31;
        if (entry > 0) at += bits + (entry - 1) * narrow + wides * (wide - narrow);
    }

    // What is before the edges of these lanes, in their row and group.
    __device__ __forceinline__ entry_t before_orphans(u32 orphans, u64 row, offset_t edge) const {
        const u64 group = (u64)edge / GROUP * GROUP;
        const u32 begin = row > group ? (u32)(row - group) : 0, end = (u32)edge % GROUP;
        entry_t before = 0;
        for (; orphans; orphans &= orphans - 1) {
            const u32 whose = __ffs(orphans) - 1;
            const group_t of = __shfl_sync(ALL_LANES, (group_t)group, whose);
            const u32 from = __shfl_sync(ALL_LANES, begin, whose), until = __shfl_sync(ALL_LANES, end, whose);
            entry_t sum = 0;
            for (u32 k = from + lane(); k < until; k += WARP) {
                const bool valid[] = {true};
                const offset_t edges[] = {(offset_t)(of + k)};
                index_t found[1];
                ask(valid, edges, found);
                sum += (entry_t)found[0];
            }
            sum = warp_sum(sum);
            if (lane() == whose) before = sum;
        }
        return before;
    }
};
