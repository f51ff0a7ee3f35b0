#pragma once
#include "frontier.cuh"
// A lane per row, one edge after the other: nothing to compute, and as slow as the longest row of the warp.

template <class F, class V>
__device__ __forceinline__ void expand_thread(const F& frontier, const Team& team, V& visitor) {
    for (count_t base = team.warp * WARP; base < frontier.count; base += team.warps * WARP) {
        const bool mine = base + lane() < frontier.count;
        const Row row = mine ? frontier.row(base + lane()) : Row{0, 0, 0, 0};
        const auto value = visitor.value_at(mine, row.vertex);
        const offset_t length = row.end - row.first, longest = warp_max(length);
        for (offset_t k = 0; k < longest; ++k) {
            const bool valid = k < length;
            const auto edge = visitor.fetch(valid, row.vertex, row.first + k);
            visitor.visit(valid, row.vertex, value, edge, visitor.look(valid, edge));
        }
    }
}
