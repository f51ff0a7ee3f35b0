#pragma once
// Label propagation, many rounds in one cooperative launch: all vertices at once take the label that most of their
// neighbours have. Once few labels change, only vertices with a changed neighbour are processed; the others keep their
// label.
#include "common.cuh"
#ifndef SLOTS
#define SLOTS 4096  // of the table of a block, a power of two; its warps share them
#endif
#include "label_table.cuh"
#include "rows_by_size.cuh"
#include "steps.cuh"

// Which label most neighbours of a vertex have, the smallest of several. A thread compares the labels of a short row
// with each other. A team counts those of a longer row in a hash table, in shared memory if it fits, else in global
// memory.

struct Vote {
    u32 number;
    index_t label;
    __device__ __forceinline__ void consider(u32 votes, index_t other) {
        if (votes > number || (votes == number && other < label)) {
            number = votes;
            label = other;
        }
    }
};

__device__ __forceinline__ Vote best_of_warp(Vote vote) {
    for (int step = WARP / 2; step > 0; step /= 2) {
        const u32 number = __shfl_xor_sync(ALL_LANES, vote.number, step);
        const index_t label = __shfl_xor_sync(ALL_LANES, vote.label, step);
        vote.consider(number, label);
    }
    return vote;
}

// What each of a warp's or block's threads has seen last of every label it voted for includes the final counts.
template <class Team>
__device__ __forceinline__ Vote count_votes(const Rows& rows, index_t v, const Team& team, const index_t* labels,
                                            const Table<u32>& table) {
    Vote vote = {0, labels[v]};
    rows.each(v, team, [&](index_t u) {
        const index_t label = labels[u];
        vote.consider(table.add(label, 1u), label);
    });
    return best_of_warp(vote);
}

// The label that wins at v, known to the first of the team.
struct Election {
    Rows rows;
    const index_t* labels;
    index_t* shared_labels;  // SLOTS of each in shared memory
    u32* shared_votes;
    index_t* global_labels;  // this block's in global memory, for the longest row; null: it takes no such rows
    u32* global_votes;

    __device__ __forceinline__ index_t operator()(index_t v, const Alone& team) const {
        Vote vote = {0, labels[v]};
        rows.each(v, team, [&](index_t u) {
            const index_t label = labels[u];
            u32 number = 0;
            rows.each(v, team, [&](index_t w) { number += labels[w] == label; });
            vote.consider(number, label);
        });
        return vote.label;
    }
    __device__ __forceinline__ index_t operator()(index_t v, const Together& team) const {
        const u32 start = warp_in_block() * WARP_SLOTS;
        const Table<u32> table = {shared_labels + start, shared_votes + start, mask_for(rows.length(v))};
        table.clear(lane(), WARP);
        __syncwarp(ALL_LANES);
        const Vote vote = count_votes(rows, v, team, labels, table);
        __syncwarp(ALL_LANES);
        return vote.label;
    }
    __device__ __forceinline__ index_t operator()(index_t v, const WholeBlock& team) const {
        __shared__ Vote best[MOST_WARPS];
        const u32 mask = mask_for(rows.length(v));
        const bool fits = mask < SLOTS;
        const Table<u32> table = {fits ? shared_labels : global_labels, fits ? shared_votes : global_votes, mask};
        table.clear(threadIdx.x, blockDim.x);
        __syncthreads();
        const Vote vote = count_votes(rows, v, team, labels, table);
        if (lane() == 0) best[warp_in_block()] = vote;
        __syncthreads();
        Vote winner = best[0];
        for (u32 i = 1; i < blockDim.x / WARP; i++) winner.consider(best[i].number, best[i].label);
        __syncthreads();
        return winner.label;
    }
};

#define FEW 4  // wake neighbours of changed vertices only, where less than 1/FEW of the labels changed

struct Round {
    u32 changed, listed, huge;
};
struct Control {
    Round steps[3];
    u32 rounds;    // so far,
    u32 changed;   // labels, by the last
    u32 selected;  // whether the next round processes only awake vertices
    u32 barrier[GRID_BARRIER_WORDS];
};

// Up to `most` rounds more, fewer where one changes nothing. After an even number of rounds in all, the labels are in
// `even`, else in `odd`. `awake` has a byte per vertex, `list` room for 2n vertices, `trace` for `traced` numbers. Rows too
// long for shared memory are left to the first `tables` blocks, each of which has `places` places in `table_labels` and
// `table_votes`.
extern "C" __global__ void __launch_bounds__(512, 3)
    propagate(u64 n, const offset_t* offsets, const ids_t* neighbours, const offset_t* in_offsets,
              const ids_t* in_neighbours, u32 most, index_t* even, index_t* odd, u8* awake, index_t* list,
              index_t* table_labels, u32* table_votes, u32 tables, u64 places, long long* trace, u32 traced,
              Control* control) {
    __shared__ index_t shared_labels[SLOTS];
    __shared__ u32 shared_votes[SLOTS];
    const Rows rows = {offsets, neighbours, in_offsets, in_neighbours};
    Steps<Round> steps = {control->steps, control->barrier, 0};
    const u32 before = control->rounds;
    u32 changed = control->changed;
    bool selected = control->selected;
    index_t* huge_rows = list + n;
    const u64 own = blockIdx.x < tables ? blockIdx.x * places : 0;
    if (before == 0) {
        steps.begin();
        for (u64 v = thread_in_grid(); v < n; v += threads_in_grid()) even[v] = (index_t)v;
        steps.end();
    }
    u32 done = 0;
    while (done < most && (before + done == 0 || changed > 0)) {
        const u32 turn = (before + done) & 1;
        const index_t* labels = turn ? odd : even;
        index_t* after = turn ? even : odd;
        const Election elect = {rows, labels, shared_labels, shared_votes, table_labels + own, table_votes + own};
        u32* counted = nullptr;
        u32* huge = nullptr;
        const auto vote = [&](index_t v, const auto& team) {
            const index_t winner = elect(v, team);
            if (team.first() != 0) return;
            after[v] = winner;
            if (winner != labels[v]) atomicAdd(counted, 1u);
        };
        const auto sort_out = [&](u64 i) {
            const bool processed = !selected || awake[i];
            awake[i] = 0;
            if (!processed) after[i] = labels[i];
            return processed ? (index_t)i : (index_t)-1;
        };
        steps.begin();
        counted = &steps.current().changed;
        by_size(n, rows, sort_out, list, &steps.current().listed, vote);
        Round found = steps.end();
        changed = found.changed;
        if (found.listed > 0) {
            steps.begin();
            counted = &steps.current().changed;
            huge = &steps.current().huge;
            long_rows(list, 0, found.listed, [&](index_t v, const auto& team) {
                if (mask_for(rows.length(v)) < SLOTS) {
                    vote(v, team);
                } else if (threadIdx.x == 0) {
                    huge_rows[atomicAdd(huge, 1u)] = v;
                }
            });
            found = steps.end();
            changed += found.changed;
        }
        if (found.huge > 0) {
            steps.begin();
            counted = &steps.current().changed;
            if (blockIdx.x < tables)
                for (u32 i = blockIdx.x; i < found.huge; i += tables) vote(huge_rows[i], WholeBlock{nullptr});
            changed += steps.end().changed;
        }
        if (thread_in_grid() == 0 && before + done < traced) trace[before + done] = changed;
        done++;
        selected = (u64)changed * FEW < n;
        if (selected && changed > 0) {
            const auto moved = [&](u64 v) { return labels[v] != after[v] ? (index_t)v : (index_t)-1; };
            const auto wake = [&](index_t v, const auto& team) { rows.each(v, team, [&](index_t u) { awake[u] = 1; }); };
            steps.begin();
            by_size(n, rows, moved, list, &steps.current().listed, wake);
            found = steps.end();
            if (found.listed > 0) {
                steps.begin();
                long_rows(list, 0, found.listed, wake);
                steps.end();
            }
        }
    }
    if (thread_in_grid() == 0) {
        control->rounds = before + done;
        control->changed = changed;
        control->selected = selected;
    }
}
