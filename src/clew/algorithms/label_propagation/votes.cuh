#pragma once
// Which label most neighbours of a vertex have, the smallest of several. A thread compares the labels of a short row with
// each other; a team counts those of a longer one in a hash table: in shared memory where it fits, else in global memory.

#ifndef SLOTS
#define SLOTS 4096  // of the table of a block, a power of two; its warps share them out
#endif
#define MOST_WARPS 16
#define WARP_SLOTS (SLOTS / MOST_WARPS)

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

__device__ __forceinline__ int put_if_empty(int* place, int wanted) { return atomicCAS(place, -1, wanted); }
__device__ __forceinline__ long long put_if_empty(long long* place, long long wanted) {
    return (long long)atomicCAS(reinterpret_cast<u64*>(place), ~0ull, (u64)wanted);
}

// Open addressing: -1 is an empty place. `mask` is one less than the number of places, at least twice the row's length.
struct Table {
    index_t* labels;
    u32* votes;
    u32 mask;

    __device__ __forceinline__ void clear(u32 first, u32 step) const {
        for (u32 i = first; i <= mask; i += step) {
            labels[i] = -1;
            votes[i] = 0;
        }
    }
    // One vote more; how many the label has now.
    __device__ __forceinline__ u32 add(index_t label) const {
        u32 place = (u32)((u64)label * 0x9E3779B97F4A7C15ull >> 32) & mask;
        for (;;) {
            const index_t seen = put_if_empty(&labels[place], label);
            if (seen == -1 || seen == label) return atomicAdd(&votes[place], 1u) + 1;
            place = (place + 1) & mask;
        }
    }
};

__device__ __forceinline__ u32 mask_for(u64 length) {
    u32 places = 2;
    while (places < 2 * length) places *= 2;
    return places - 1;
}

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
                                            const Table& table) {
    Vote vote = {0, labels[v]};
    rows.each(v, team, [&](index_t u) {
        const index_t label = labels[u];
        vote.consider(table.add(label), label);
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
        const Table table = {shared_labels + start, shared_votes + start, mask_for(rows.length(v))};
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
        const Table table = {fits ? shared_labels : global_labels, fits ? shared_votes : global_votes, mask};
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
