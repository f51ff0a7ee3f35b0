#pragma once
// y[i] = ⊕ over edges i → j of w ⊗ x[j], for a list of edges sorted by row.
//
// Every warp takes CHUNK neighbouring edges, 32 at a time, and adds up the runs of one row. Runs inside a chunk are whole;
// the first and the last one of every chunk may go on in others and are joined by `join_chunks`. Rows without edges are
// not touched.

#include "semiring.cuh"

#define CHUNK (WARP * EACH)

extern "C" __global__ void spmv_coo(const index_t* rows, const index_t* neighbours, const weight_t* weights,
                                    const x_word_t* x, const u8* mask, sum_t* out, u64 num_edges, u64 num_chunks,
                                    sum_t* heads, sum_t* tails, sum_t identity, value_t nothing) {
    const Source source = {neighbours, weights, x, identity, nothing};
    for (u64 chunk = warp_in_grid(); chunk < num_chunks; chunk += warps_in_grid()) {
        const u64 begin = chunk * CHUNK;
        const u64 end = begin + CHUNK < num_edges ? begin + CHUNK : num_edges;
        const index_t head_row = rows[begin], tail_row = rows[end - 1];
        bool has_open = false;  // of the run that the edges before end with; the same in all lanes
        sum_t open = identity;
        for (u64 first = begin; first < end; first += WARP) {
            const u64 k = first + lane();
            const bool here = k < end;
            const index_t row = here ? load_once(rows + k) : (index_t)-1;
            sum_t sum = here ? product_at(source, (offset_t)k) : identity;
            // From 32 edges before, if the first run goes on.
            const index_t previous = __shfl_up_sync(ALL_LANES, row, 1);
            const bool starts = here && (lane() == 0 ? !has_open : previous != row);
            if (lane() == 0 && has_open && here) sum = clew_add(open, sum);
            bool cut = starts;
#pragma unroll
            for (u32 step = 1; step < WARP; step *= 2) {
                const sum_t below = from_lane_below(sum, step);
                const u32 below_cut = __shfl_up_sync(ALL_LANES, (u32)cut, step);
                if (lane() >= step && !cut) {
                    sum = clew_add(below, sum);
                    cut = below_cut;
                }
            }
            const bool ends = here && (k + 1 == end || rows[k + 1] != row);
            if (ends) {
                if (row == head_row) heads[chunk] = sum;
                if (row == tail_row) tails[chunk] = sum;
                if (row != head_row && row != tail_row && (mask == nullptr || mask[row])) out[row] = sum;
            }
            has_open = first + WARP < end && !__shfl_sync(ALL_LANES, (u32)ends, WARP - 1);
            if constexpr (sizeof(sum_t) < 4) open = (sum_t)__shfl_sync(ALL_LANES, (int)sum, WARP - 1);
            else open = __shfl_sync(ALL_LANES, sum, WARP - 1);
        }
    }
}

// A warp for every chunk: the run that begins in it and goes on past its end, and the first run if it begins there.
extern "C" __global__ void join_chunks(const index_t* rows, const u8* mask, sum_t* out, u64 num_edges,
                                       u64 num_chunks, const sum_t* heads, const sum_t* tails) {
    for (u64 chunk = warp_in_grid(); chunk < num_chunks; chunk += warps_in_grid()) {
        const u64 begin = chunk * CHUNK;
        const u64 end = begin + CHUNK < num_edges ? begin + CHUNK : num_edges;
        const index_t head_row = rows[begin], tail_row = rows[end - 1];
        const bool head_is_new = begin == 0 || rows[begin - 1] != head_row;
        if (head_row != tail_row && head_is_new && lane() == 0 && (mask == nullptr || mask[head_row]))
            out[head_row] = heads[chunk];
        if (head_row == tail_row && !head_is_new) continue;
        // The chunks after this one that begin with the same row.
        sum_t sum = tails[chunk];
        bool has = lane() == 0;
        for (u64 next = chunk + 1;; next += WARP) {
            const u64 mine = next + lane();
            const bool same = mine < num_chunks && rows[mine * CHUNK] == tail_row;
            if (same) {
                sum = has ? clew_add(sum, heads[mine]) : heads[mine];
                has = true;
            }
            if (!__all_sync(ALL_LANES, same)) break;
        }
        const u32 lanes = (u32)__popc(__ballot_sync(ALL_LANES, has));
        sum = sum_of_lanes<WARP>(sum, lane(), lanes);
        if (lane() == 0 && (mask == nullptr || mask[tail_row])) out[tail_row] = sum;
    }
}
