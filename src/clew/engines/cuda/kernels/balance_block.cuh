#pragma once
#include "frontier.cuh"
// A block per row: for frontiers of a few vertices with very many edges.

template <class F, class V>
__device__ __forceinline__ void expand_block(const F& frontier, const Team& team, V& visitor) {
    for (count_t i = team.block; i < frontier.count; i += team.blocks) {
        const Row row = frontier.row(i);
        const auto value = visitor.value_at(true, row.vertex);
        const u64 length = row.end - row.first;
        for (u64 k = warp_in_block() * WARP; k < length; k += blockDim.x) {
            const bool valid = k + lane() < length;
            const auto edge = visitor.fetch(valid, row.vertex, row.first + (offset_t)(k + lane()));
            visitor.visit(valid, row.vertex, value, edge, visitor.look(valid, edge));
        }
    }
}
