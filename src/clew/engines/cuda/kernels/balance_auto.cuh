#pragma once
#include "balance_merge_path.cuh"
// Short rows need no search: a warp takes neighbouring rows, few enough that all warps get some, and a lane for each of
// their edges. Only where a row is long are the edges divided evenly.

#ifndef LONG_ROW
#define LONG_ROW 64
#endif

template <class F, class V>
__device__ __forceinline__ void expand_auto(const F& frontier, u64 longest, const Team& team, V& visitor) {
    if (longest > LONG_ROW) {
        expand_merge_path(frontier, team, visitor);
        return;
    }
    count_t share = (frontier.count + team.warps - 1) / team.warps;
    share = share < WARP ? share : WARP;
    for (count_t i = team.warp * share; i < frontier.count; i += team.warps * share) {
        const u32 count = (u32)(frontier.count - i < share ? frontier.count - i : share);
        const bool mine = lane() < count;
        const Row row = mine ? frontier.row(i + lane()) : Row{0, 0, 0, NO_RANK};
        const auto value = visitor.value_at(mine, row.vertex);
        const offset_t from = __shfl_sync(ALL_LANES, row.rank, 0);
        const offset_t end = __shfl_sync(ALL_LANES, row.rank + (row.end - row.first), count - 1);
        visit_ranks(row, value, from, end - from, visitor);
    }
}
