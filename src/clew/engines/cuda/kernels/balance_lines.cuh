#pragma once
#include "balance_merge_path.cuh"
// For edges that are read over the link, with a sorted frontier. A warp reads a whole aligned line of host memory at a
// time, and every line once, for any number of rows in it. Host memory is not cached, so a line that two loads share
// comes twice; and requests are what the link has a limit of. If an edge is a pair of 8 bytes, a line here is two lines
// of memory. Only those with an edge of the frontier are read.
//
// Warps take stretches of edges alternately from both ends, so that all are at about the same two places.

#define STRETCH (16 * WARP)  // edges
#define NO_PLACE (1ull << 62)

// Where a row is cut whose edge of rank `at` begins another warp's stretch: where a line begins.
__device__ __forceinline__ offset_t cut_at(const Row& row, u64 at, u32 skew) {
    const u64 rank = (u64)row.rank, length = (u64)(row.end - row.first);
    if (at <= rank) return row.first;
    if (at >= rank + length) return row.end;
    const u64 place = (u64)row.first + (at - rank), line = (place + skew) / WARP * WARP;
    return line > (u64)row.first + skew ? (offset_t)(line - skew) : row.first;
}

// Visit the edges from `begin` to `end` of the row that each lane holds; edges ascend from lane to lane.
template <class V, class T>
__device__ __forceinline__ void visit_lines(index_t vertex, T value, u64 begin, u64 end, u32 skew, V& visitor) {
    const bool some = begin < end;
    begin += skew, end += skew;
    // A line is the first row's that has a part of it.
    const u64 last = some ? (end - 1) / WARP : 0, other = __shfl_up_sync(ALL_LANES, last, 1);
    u64 line = begin / WARP;
    if (some && lane() > 0 && line == other) ++line;
    const u64 lines = some && line <= last ? last - line + 1 : 0;
    const u64 up_to = warp_prefix(lines), before = up_to - lines;
    const u64 total = __shfl_sync(ALL_LANES, up_to, WARP - 1);
    for (u64 base = 0; base < total; base += UNROLL) {
        u32 owner[UNROLL];
        index_t source[UNROLL];
        bool valid[UNROLL];
        decltype(visitor.fetch(true, 0, 0)) edge[UNROLL];
        decltype(visitor.look(true, edge[0])) seen[UNROLL];
#pragma unroll
        for (u32 k = 0; k < UNROLL; ++k) {
            const u64 edge_rank = base + k < total ? base + k : total - 1;
            const u32 whose = lane_holding(before, edge_rank);
            const u64 here = __shfl_sync(ALL_LANES, line, whose) + (edge_rank - __shfl_sync(ALL_LANES, before, whose));
            const u64 place = here * WARP + lane();
            owner[k] = lane_holding(begin, place);
            const u64 from = __shfl_sync(ALL_LANES, begin, owner[k]), until = __shfl_sync(ALL_LANES, end, owner[k]);
            valid[k] = base + k < total && place >= from && place < until;
            source[k] = __shfl_sync(ALL_LANES, vertex, owner[k]);
            edge[k] = visitor.fetch(valid[k], source[k], (offset_t)(place - skew));
        }
#pragma unroll
        for (u32 k = 0; k < UNROLL; ++k) seen[k] = visitor.look(valid[k], edge[k]);
#pragma unroll
        for (u32 k = 0; k < UNROLL; ++k) {
            const T there = __shfl_sync(ALL_LANES, value, owner[k]);
            visitor.visit(valid[k], source[k], there, edge[k], seen[k]);
        }
    }
}

// `skew` is how many edges the beginning of the array is after that of a line.
template <class F, class V>
__device__ __forceinline__ void expand_lines(const F& frontier, u32 skew, const Team& team, V& visitor) {
    const u64 stretches = ((u64)frontier.edges + STRETCH - 1) / STRETCH;
    for (u64 turn = team.warp; turn < stretches; turn += team.warps) {
        const u64 from = from_both_ends(turn, stretches) * STRETCH, until = from + STRETCH;
        bool more = true;
        for (count_t i = row_holding(frontier, (offset_t)from); more; i += WARP) {
            const bool there = i + lane() < frontier.count;
            const Row row = there ? frontier.row(i + lane()) : Row{0, 0, 0, NO_RANK};
            const bool mine = there && (u64)row.rank < until;
            // A lane without a row comes after all others.
            const u64 begin = mine ? (u64)cut_at(row, from, skew) : NO_PLACE;
            const u64 end = mine ? (u64)cut_at(row, until, skew) : NO_PLACE;
            const auto value = visitor.value_at(mine, row.vertex);
            visit_lines(row.vertex, value, begin, end, skew, visitor);
            more = __all_sync(ALL_LANES, mine);
        }
    }
}
