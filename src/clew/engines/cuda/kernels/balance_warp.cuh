#pragma once
#include "frontier.cuh"
// A warp per row: loads are of neighbouring edges, and lanes idle where rows are short.

template <class F, class V>
__device__ __forceinline__ void expand_warp(const F& frontier, const Team& team, V& visitor) {
    for (count_t i = team.warp; i < frontier.count; i += team.warps) {
        const Row row = frontier.row(i);
        const auto value = visitor.value_at(true, row.vertex);
        for (offset_t k = 0; k < row.end - row.first; k += WARP) {
            const bool valid = k + lane() < row.end - row.first;
            const auto edge = visitor.fetch(valid, row.vertex, row.first + k + lane());
            visitor.visit(valid, row.vertex, value, edge, visitor.look(valid, edge));
        }
    }
}
