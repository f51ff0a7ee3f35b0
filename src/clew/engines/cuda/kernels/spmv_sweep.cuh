#pragma once
// y[i] = ⊕ over row i of w ⊗ x[j], column by column: every warp keeps the sums of some rows in shared memory. It reads
// all their edges in column order.
//
// So the 32 gathers of a step are close together. They read a few cache lines instead of 32, which limit a product over
// skewed rows. All warps sweep over x at about the same pace and find in L1 what others have just read. Within a step,
// edges to the same row take turns, known beforehand; the order of additions follows from the layout alone.
//
// A warp processes one tile at a time: at most TILE_ROWS rows, or parts of long ones. Tiles have similar numbers of
// edges. Its steps come in batches of BATCH: while one is summed, the words of the next are on their way.

#include "semiring.cuh"
#include "sweep_word.cuh"

struct Batch {
    u32 words[BATCH];
    weight_t weights[BATCH];
    u32 steps[BATCH];
};

__device__ __forceinline__ void load_batch(const u32* words, const weight_t* weights, const u32* steps, u64 step,
                                           Batch& batch) {
#pragma unroll
    for (u32 i = 0; i < BATCH; i++) {
        const u64 mine = (step + i) * WARP + lane();
        batch.words[i] = load_once(words + mine);
#if WEIGHTED
        batch.weights[i] = load_once(weights + mine);
#else
        batch.weights[i] = (weight_t)1;
        (void)weights;
#endif
        batch.steps[i] = __ldg(steps + step + i);
    }
}

// Edges of one step into the sums: those of the first turn, then of the second, until all have had theirs.
__device__ __forceinline__ void add_step(u32 word, u32 last_turn, sum_t product, sum_t* sums) {
    sum_t* sum = sums + row_of(word);
    const u32 turn = turn_of(word);
    for (u32 now = 0; now <= last_turn; now++) {
        if (turn == now) *sum = clew_add(*sum, product);
        __syncwarp(ALL_LANES);
    }
}

__device__ __forceinline__ void add_batch(const Batch& batch, const Source& source, sum_t* sums) {
    value_t values[BATCH];
#pragma unroll
    for (u32 i = 0; i < BATCH; i++)
        values[i] = __ldg(source.x + (batch.steps[i] << COLUMN_BITS | column_of(batch.words[i])));
#pragma unroll
    for (u32 i = 0; i < BATCH; i++) {
        const sum_t product = product_of(source, batch.weights[i], values[i]);
        add_step(batch.words[i], batch.steps[i] >> COLUMN_BITS, product, sums);
    }
}

// What a tile has found goes to its rows. Of a row in several parts, each goes to a place of its own, for `join_parts`.
__device__ __forceinline__ void put_sums(const sum_t* sums, const int* targets, const u8* mask, sum_t* out, sum_t* parts) {
    for (u32 k = lane(); k < TILE_ROWS; k += WARP) {
        const int target = targets[k];
        if (target == NO_TARGET) continue;
        if (target < 0) parts[-1 - target] = sums[k];
        else if (mask == nullptr || mask[target]) out[target] = sums[k];
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
    spmv_sweep(const u32* words, const weight_t* weights, const u32* steps, const u64* tile_steps, u64 num_tiles,
               const int* targets, const value_t* x, const u8* mask, sum_t* out, sum_t* parts, sum_t identity,
               value_t nothing) {
    sum_t* sums = dynamic_shared<sum_t>() + warp_in_block() * TILE_ROWS;
    const Source source = {nullptr, nullptr, x, identity, nothing};
    for (u64 tile = warp_in_grid(); tile < num_tiles; tile += warps_in_grid()) {
        for (u32 k = lane(); k < TILE_ROWS; k += WARP) sums[k] = identity;
        __syncwarp(ALL_LANES);
        const u64 end = tile_steps[tile + 1];
        u64 step = tile_steps[tile];
        Batch now;
        if (step < end) load_batch(words, weights, steps, step, now);
        while (step < end) {
            step += BATCH;
            Batch next = now;
            if (step < end) load_batch(words, weights, steps, step, next);
            add_batch(now, source, sums);
            now = next;
        }
        put_sums(sums, targets + tile * TILE_ROWS, mask, out, parts);
        __syncwarp(ALL_LANES);
    }
}

// Rows in several parts: a warp adds them up.
extern "C" __global__ void join_parts(const int* rows, u64 num_rows, const u64* first_parts, const sum_t* parts,
                                      const u8* mask, sum_t* out) {
    for (u64 k = warp_in_grid(); k < num_rows; k += warps_in_grid()) {
        const int row = rows[k];
        const u64 first = first_parts[row], count = first_parts[row + 1] - first;
        sum_t sum = parts[first];
        if (lane() < count) sum = parts[first + lane()];
        for (u64 i = lane() + WARP; i < count; i += WARP) sum = clew_add(sum, parts[first + i]);
        sum = sum_of_lanes<WARP>(sum, lane(), count < WARP ? (u32)count : WARP);
        if (lane() == 0 && (mask == nullptr || mask[row])) out[row] = sum;
    }
}

// x in the order of the sweep, and the identity where no edge may come: one kernel, since both are short.
extern "C" __global__ void begin_sweep(const value_t* x, const int* order, value_t* moved, const u8* mask, sum_t* out,
                                       sum_t identity, u64 count) {
    for (u64 k = thread_in_grid(); k < count; k += threads_in_grid()) {
        if (order != nullptr) moved[k] = __ldg(x + order[k]);
        if (mask == nullptr || mask[k]) out[k] = identity;
    }
}
