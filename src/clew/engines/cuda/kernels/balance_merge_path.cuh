#pragma once
#include "frontier.cuh"
// The same number of edges for every warp, for any rows. A warp finds the row of its first edge by a search over ranks,
// then continues 32 rows at a time, with a lane per edge.

#ifndef UNROLL
#define UNROLL 2  // edges of a lane that are on their way at once
#endif

// Visit the `left` edges from rank `from` on, all of them in the rows that the lanes hold; a lane without one has
// NO_RANK.
template <class V, class T>
__device__ __forceinline__ void visit_ranks(const Row& row, T value, offset_t from, count_t left, V& visitor) {
    const offset_t shift = row.first - row.rank;  // from ranks to edges
#if DIRECTORY
    // A lane's edges follow each other: one sum then goes on to the next, and most words and rows are the same.
    while (left > 0) {
        index_t source[UNROLL], target[UNROLL];
        T here[UNROLL], worth = value;
        offset_t place[UNROLL], begin = 0, next = 0, moved = 0, first = 0;
        index_t vertex = 0;  // of the row that this edge is in
        bool valid[UNROLL], begins[UNROLL];
        decltype(visitor.fetch(true, 0, 0)) edge[UNROLL];
        decltype(visitor.look(true, edge[0])) seen[UNROLL];
#pragma unroll
        for (u32 k = 0; k < UNROLL; ++k) {
            const offset_t rank = from + (offset_t)(UNROLL * lane() + k);
            valid[k] = UNROLL * lane() + k < left;
            if (k == 0 || __any_sync(ALL_LANES, next <= rank)) {
                const u32 owner = lane_holding(row.rank, rank);
                begin = __shfl_sync(ALL_LANES, row.rank, owner);
                next = __shfl_sync(ALL_LANES, row.rank, (owner + 1) % WARP);
                if (owner == WARP - 1) next = NO_RANK;
                vertex = __shfl_sync(ALL_LANES, row.vertex, owner);
                worth = __shfl_sync(ALL_LANES, value, owner);
                moved = __shfl_sync(ALL_LANES, shift, owner);
            }
            source[k] = vertex, here[k] = worth;
            place[k] = rank + moved;
            if (k == 0) first = begin + moved;
            begins[k] = rank == begin;
            edge[k].weight = visitor.weigh(valid[k], place[k]);
        }
        visitor.neighbours().ask(valid, place, target);
        visitor.neighbours().settle(valid, begins, (u64)first, place, target);
#pragma unroll
        for (u32 k = 0; k < UNROLL; ++k) {
            edge[k].target = target[k];
            seen[k] = visitor.look(valid[k], edge[k]);
        }
#pragma unroll
        for (u32 k = 0; k < UNROLL; ++k) visitor.visit(valid[k], source[k], here[k], edge[k], seen[k]);
        from += UNROLL * WARP;
        left -= left < UNROLL * WARP ? left : UNROLL * WARP;
    }
#else
    while (left > 0) {
        index_t source[UNROLL];
        T here[UNROLL];
        decltype(visitor.fetch(true, 0, 0)) edge[UNROLL];
        decltype(visitor.look(true, edge[0])) seen[UNROLL];
#pragma unroll
        for (u32 k = 0; k < UNROLL; ++k) {
            const offset_t edge_rank = from + (offset_t)(k * WARP + lane());
            const u32 owner = lane_holding(row.rank, edge_rank);
            source[k] = __shfl_sync(ALL_LANES, row.vertex, owner);
            here[k] = __shfl_sync(ALL_LANES, value, owner);
            const offset_t place = edge_rank + __shfl_sync(ALL_LANES, shift, owner);
            edge[k] = visitor.fetch(k * WARP + lane() < left, source[k], place);
        }
#pragma unroll
        for (u32 k = 0; k < UNROLL; ++k) seen[k] = visitor.look(k * WARP + lane() < left, edge[k]);
#pragma unroll
        for (u32 k = 0; k < UNROLL; ++k)
            visitor.visit(k * WARP + lane() < left, source[k], here[k], edge[k], seen[k]);
        from += UNROLL * WARP;
        left -= left < UNROLL * WARP ? left : UNROLL * WARP;
    }
#endif
}

// Visit the `left` edges from rank `from` on, the first of which is in row `i`.
template <class F, class V>
__device__ __forceinline__ void walk(const F& frontier, count_t i, offset_t from, count_t left, V& visitor) {
    while (left > 0) {
        const bool mine = i + lane() < frontier.count;
        const Row row = mine ? frontier.row(i + lane()) : Row{0, 0, 0, NO_RANK};
        const auto value = visitor.value_at(mine, row.vertex);
        const u32 last = frontier.count - i >= WARP ? WARP - 1 : (u32)(frontier.count - i) - 1;
        const count_t covered = __shfl_sync(ALL_LANES, row.rank + (row.end - row.first), last) - from;
        const count_t now = covered < left ? covered : left;
        visit_ranks(row, value, from, now, visitor);
        from += now;
        left -= now;
        i += WARP;
    }
}

// The last row whose rank is no more than `edge_rank`, by all lanes: five bits of the answer at a time.
template <class F>
__device__ __forceinline__ count_t row_holding(const F& frontier, offset_t edge_rank) {
    count_t low = 0, span = frontier.count;
    while (span > 1) {
        const count_t step = (span + WARP - 1) / WARP, probe = low + lane() * step;
        const bool before = probe < low + span && frontier.row(probe).rank <= edge_rank;
        const u32 found = __popc(__ballot_sync(ALL_LANES, before)) - 1;  // row `low` is before, so at least one is
        const count_t end = low + span;
        low += found * step;
        span = end - low < step ? end - low : step;
    }
    return low;
}

template <class F, class V>
__device__ __forceinline__ void expand_merge_path(const F& frontier, const Team& team, V& visitor) {
    const u64 each = (frontier.edges / team.warps + WARP) / WARP * WARP, from = team.warp * each;
    if (from >= frontier.edges) return;
    const u64 rest = frontier.edges - from;
    const count_t left = (count_t)(rest < each ? rest : each);
    walk(frontier, row_holding(frontier, (offset_t)from), (offset_t)from, left, visitor);
}
