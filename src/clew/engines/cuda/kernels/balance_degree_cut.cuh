#pragma once
#include "frontier.cuh"
// EtaGraph: a lane per piece of at most CUT edges, pieces of exactly CUT apart from the others. With PREFETCH, a lane
// loads all edges of its piece into shared memory, in an unrolled loop, before it follows any.
//
// Shared memory: CUT × threads of the visitor's edges.

#ifndef PREFETCH
#define PREFETCH 1
#endif

#if CUT
template <bool FULL, class F, class V>
__device__ __forceinline__ void expand_pieces(const F& frontier, const Team& team, V& visitor) {
    typedef decltype(visitor.fetch(true, 0, 0)) Edge;
    Edge* kept = dynamic_shared<Edge>() + threadIdx.x;
    (void)kept;
    for (count_t base = team.warp * WARP; base < frontier.count; base += team.warps * WARP) {
        const bool mine = base + lane() < frontier.count;
        const Row row = mine ? frontier.row(base + lane()) : Row{0, 0, 0, 0};
        const auto value = visitor.value_at(mine, row.vertex);
        const u32 length = FULL ? (mine ? CUT : 0) : (u32)(row.end - row.first);
        const u32 longest = FULL ? CUT : warp_max(length);
#if PREFETCH
#pragma unroll
        for (u32 k = 0; k < (FULL ? CUT : CUT - 1); ++k)
            kept[k * blockDim.x] = visitor.fetch(k < length, row.vertex, row.first + k);
#endif
        for (u32 k = 0; k < longest; ++k) {
            const bool valid = k < length;
#if PREFETCH
            const Edge edge = kept[k * blockDim.x];
#else
            const Edge edge = visitor.fetch(valid, row.vertex, row.first + k);
#endif
            visitor.visit(valid, row.vertex, value, edge, visitor.look(valid, edge));
        }
    }
}

template <class F, class V>
__device__ __forceinline__ void expand_degree_cut(const F& full, const F& rest, const Team& team, V& visitor) {
    expand_pieces<true>(full, team, visitor);
    expand_pieces<false>(rest, team, visitor);
}
#endif
