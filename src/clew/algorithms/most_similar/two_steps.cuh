#pragma once
// The k most similar vertices of every vertex. A block adds up what its vertex shares with all those two steps away,
// one shared neighbour after the other. So sums have the same order in every run. Vertices with few such paths have
// their sums in a table in shared memory, others in an array with an entry for every vertex.
//
// A candidate's place is the number of better ones. Where there are many, the k-th best is found first, by the digits
// of scores and then of ids. Only candidates up to it are compared.

#include "common.cuh"
#include "shared_neighbours.cuh"

#define FEW_PATHS 512
#define SLOTS (2 * FEW_PATHS)
#define DIGITS 256
#define EMPTY ((index_t)-1)

struct Steps {
    const offset_t* offsets;
    const index_t* neighbours;
    const offset_t* back_offsets;  // rows in which a neighbour finds who shares it
    const index_t* back_neighbours;
    int method;
    const double* value;
    const long long* count;

    // see(v, value) for all v that share something with u; all threads of a block, which meet after every neighbour of u.
    template <class See>
    __device__ __forceinline__ void each(index_t u, See see) const {
        const offset_t begin = offsets[u], end = offsets[u + 1];
        for (offset_t j = begin; j < end; j++) {
            if (!counts(neighbours, begin, j, u)) continue;
            const index_t w = neighbours[j];
            const offset_t first = back_offsets[w], last = back_offsets[w + 1];
            for (offset_t i = first + threadIdx.x; i < last; i += blockDim.x) {
                const index_t v = back_neighbours[i];
                if (v != u && counts(back_neighbours, first, i, w)) see(v, value[w]);
            }
            __syncthreads();
        }
    }
    __device__ __forceinline__ double score(index_t u, index_t v, double shared) const {
        return score_of(method, shared, count[u], count[v]);
    }
};

struct Best {
    index_t* similar;
    double* scores;
    u64 k;
};

__device__ __forceinline__ bool is_better(double score, index_t v, double other_score, index_t other) {
    return score > other_score || (score == other_score && v < other);
}

// Write candidates to their places, if these are among the first k.
__device__ __forceinline__ void place(index_t u, u32 number, const index_t* ids, const double* scores, const Best& best) {
    for (u32 i = threadIdx.x; i < number; i += blockDim.x) {
        u32 rank = 0;
        for (u32 j = 0; j < number; j++) rank += is_better(scores[j], ids[j], scores[i], ids[i]);
        if (rank >= best.k) continue;
        best.similar[(u64)u * best.k + rank] = ids[i];
        best.scores[(u64)u * best.k + rank] = scores[i];
    }
}

// paths[u] is the number of ways of two steps from u.
extern "C" __global__ void count_paths(u64 n, const offset_t* offsets, const index_t* neighbours,
                                       const offset_t* back_offsets, u64* paths) {
    for (u64 u = warp_in_grid(); u < n; u += warps_in_grid()) {
        u64 found = 0;
        for (offset_t j = offsets[u] + lane(); j < offsets[u + 1]; j += WARP) {
            const index_t w = neighbours[j];
            found += (u64)(back_offsets[w + 1] - back_offsets[w]);
        }
        found = warp_sum(found);
        if (lane() == 0) paths[u] = found;
    }
}

__device__ __forceinline__ bool claim(index_t* slot, index_t key) {
    index_t before;
    if constexpr (sizeof(index_t) == 4) {
        before = (index_t)atomicCAS((int*)slot, -1, (int)key);
    } else {
        before = (index_t)atomicCAS((u64*)slot, ~0ull, (u64)key);
    }
    return before == EMPTY || before == key;
}

// A block for each of the vertices listed, which have FEW_PATHS or fewer.
extern "C" __global__ void best_of_few(u64 begin, u64 end, const index_t* list, const offset_t* offsets,
                                       const index_t* neighbours, const offset_t* back_offsets,
                                       const index_t* back_neighbours, int method, const double* value,
                                       const long long* count, u64 k, index_t* similar, double* scores) {
    __shared__ index_t keys[SLOTS];
    __shared__ double sums[SLOTS];
    __shared__ index_t ids[FEW_PATHS];
    __shared__ double found_scores[FEW_PATHS];
    __shared__ u32 found;
    const Steps steps = {offsets, neighbours, back_offsets, back_neighbours, method, value, count};
    for (u64 at = begin + blockIdx.x; at < end; at += gridDim.x) {
        const index_t u = list[at];
        for (u32 slot = threadIdx.x; slot < SLOTS; slot += blockDim.x) {
            keys[slot] = EMPTY;
            sums[slot] = 0;
        }
        if (threadIdx.x == 0) found = 0;
        __syncthreads();
        steps.each(u, [&](index_t v, double shared) {
            u32 slot = ((u32)v * 0x9E3779B1u >> 16) % SLOTS;
            while (!claim(keys + slot, v)) slot = (slot + 1) % SLOTS;
            sums[slot] += shared;  // no other thread adds to v in this step
        });
        for (u32 slot = threadIdx.x; slot < SLOTS; slot += blockDim.x) {
            if (keys[slot] == EMPTY || sums[slot] == 0) continue;
            const u32 room = atomicAdd(&found, 1u);
            ids[room] = keys[slot];
            found_scores[room] = steps.score(u, keys[slot], sums[slot]);
        }
        __syncthreads();
        place(u, found, ids, found_scores, {similar, scores, k});
        __syncthreads();
    }
}

// Of the candidates that pass, the digit below `shift` that the one number `rank` (from 0) has in ascending order.
// `rank` is then counted among those with this digit. All threads of a block.
template <class Key, class Passes>
__device__ __forceinline__ u64 digit_of(u32 number, u32 shift, u32* rank, u32* tally, Key key, Passes passes) {
    __shared__ u32 digit;
    for (u32 i = threadIdx.x; i < DIGITS; i += blockDim.x) tally[i] = 0;
    __syncthreads();
    for (u32 i = threadIdx.x; i < number; i += blockDim.x)
        if (passes(i)) atomicAdd(&tally[key(i) >> shift & (DIGITS - 1)], 1u);
    __syncthreads();
    if (threadIdx.x == 0) {
        u32 one = 0;
        for (; one < DIGITS - 1 && tally[one] <= *rank; one++) *rank -= tally[one];
        digit = one;
    }
    __syncthreads();
    return digit;
}

__device__ __forceinline__ u64 bits_of(double score) { return (u64)__double_as_longlong(score); }

// Move the k best candidates to the front of `ids`; all threads of a block. `spare` is room for k of them.
__device__ __forceinline__ void select(u32 number, u32 k, index_t* ids, const double* totals, index_t* spare, u32* words,
                                       u32* tally) {
    u64 score = 0, id = 0;
    if (threadIdx.x == 0) words[0] = number - k;  // scores ascend
    __syncthreads();
    for (int shift = 56; shift >= 0; shift -= 8) {
        const u64 above = shift == 56 ? 0 : ~0ull << (shift + 8);
        score |= digit_of(number, (u32)shift, words, tally, [&](u32 i) { return bits_of(totals[ids[i]]); },
                          [&](u32 i) { return (bits_of(totals[ids[i]]) & above) == score; }) << shift;
    }
    // Of equal ones, those with the smallest ids: as many as are missing.
    if (threadIdx.x == 0) words[1] = 0;
    __syncthreads();
    for (u32 i = threadIdx.x; i < number; i += blockDim.x)
        if (bits_of(totals[ids[i]]) > score) atomicAdd(&words[1], 1u);
    __syncthreads();
    if (threadIdx.x == 0) words[0] = k - words[1] - 1;
    __syncthreads();
    for (int shift = 8 * (int)sizeof(index_t) - 8; shift >= 0; shift -= 8) {
        const u64 above = shift == 56 ? 0 : ~0ull << (shift + 8);
        id |= digit_of(number, (u32)shift, words, tally, [&](u32 i) { return (u64)ids[i]; }, [&](u32 i) {
                  return bits_of(totals[ids[i]]) == score && ((u64)ids[i] & above) == id;
              }) << shift;
    }
    if (threadIdx.x == 0) words[1] = 0;
    __syncthreads();
    for (u32 i = threadIdx.x; i < number; i += blockDim.x) {
        const u64 own = bits_of(totals[ids[i]]);
        if (own > score || (own == score && (u64)ids[i] <= id)) spare[atomicAdd(&words[1], 1u)] = ids[i];
    }
    __syncthreads();
}

// A block for each of the vertices listed. Every block has room for n sums, which are 0, n candidates, and k of each.
extern "C" __global__ void best_of_many(u64 n, u64 begin, u64 end, const index_t* list, const offset_t* offsets,
                                        const index_t* neighbours, const offset_t* back_offsets,
                                        const index_t* back_neighbours, int method, const double* value,
                                        const long long* count, u64 k, index_t* similar, double* scores,
                                        double* all_sums, index_t* all_near, index_t* all_chosen, double* all_scores) {
    __shared__ u32 tally[DIGITS];
    __shared__ u32 words[2];
    __shared__ u32 found;
    const Steps steps = {offsets, neighbours, back_offsets, back_neighbours, method, value, count};
    double *sums = all_sums + blockIdx.x * n, *chosen_scores = all_scores + blockIdx.x * k;
    index_t *near = all_near + blockIdx.x * n, *chosen = all_chosen + blockIdx.x * k;
    for (u64 at = begin + blockIdx.x; at < end; at += gridDim.x) {
        const index_t u = list[at];
        if (threadIdx.x == 0) found = 0;
        __syncthreads();
        steps.each(u, [&](index_t v, double shared) {
            const double before = sums[v];
            if (before == 0) near[atomicAdd(&found, 1u)] = v;
            sums[v] = before + shared;  // no other thread adds to v in this step
        });
        const u32 number = found, kept = number < k ? number : (u32)k;
        for (u32 i = threadIdx.x; i < number; i += blockDim.x) sums[near[i]] = steps.score(u, near[i], sums[near[i]]);
        __syncthreads();
        if (kept < number) {
            select(number, kept, near, sums, chosen, words, tally);
        } else {
            for (u32 i = threadIdx.x; i < kept; i += blockDim.x) chosen[i] = near[i];
            __syncthreads();
        }
        for (u32 i = threadIdx.x; i < kept; i += blockDim.x) chosen_scores[i] = sums[chosen[i]];
        __syncthreads();
        place(u, kept, chosen, chosen_scores, {similar, scores, k});
        for (u32 i = threadIdx.x; i < number; i += blockDim.x) sums[near[i]] = 0;
        __syncthreads();
    }
}
