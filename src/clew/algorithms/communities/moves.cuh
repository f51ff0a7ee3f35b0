#pragma once
// Communities: rounds of moves that raise the modularity, and the arcs of the graph whose vertices are communities.
//
// A round takes the vertices in groups, at random. Those of a group choose at once, given the communities before it, and
// then move at once. Weights are whole numbers, stored as doubles: their sums are exact in any order, so that every run
// has the same result.
#include "common.cuh"
#ifndef SLOTS
#define SLOTS 2048  // of the table of a block, a power of two; its warps share them
#endif
#include "label_table.cuh"
#include "random.cuh"
#include "rows_by_size.cuh"
#include "steps.cuh"

#define LEAST_GAIN 1e-12  // of the strength of a vertex; a smaller one may be a rounding error

struct Level {
    const double* weights;  // null: 1 each
    const double* strength;
    double factor;  // the resolution divided by the strength of all vertices
    index_t* community;
    double* totals;        // the strength of every community
    u32* sizes;            // and its number of vertices
    const index_t* bound;  // null, or communities to stay in: then this is the refinement of Leiden
    const double* whole;   // and their strength

    __device__ __forceinline__ double weight(offset_t j) const { return weights ? weights[j] : 1.0; }
};

struct Choice {
    double gain;
    index_t community;
    double near;  // the weight of the edges to the own community; in the refinement, to all of the community to stay in
    __device__ __forceinline__ void consider(double other_gain, index_t other) {
        if (other_gain > gain || (other_gain == gain && other < community)) {
            gain = other_gain;
            community = other;
        }
    }
    __device__ __forceinline__ void join(const Choice& other) {
        if (other.gain > -1e300) consider(other.gain, other.community);
        near += other.near;
    }
};

__device__ __forceinline__ Choice best_of_warp(Choice choice) {
    for (int step = WARP / 2; step > 0; step /= 2) {
        const double gain = __shfl_xor_sync(ALL_LANES, choice.gain, step);
        const index_t community = __shfl_xor_sync(ALL_LANES, choice.community, step);
        const double near = __shfl_xor_sync(ALL_LANES, choice.near, step);
        choice.join(Choice{gain, community, near});
    }
    return choice;
}

// The best community for v, or its own; known to the first of the team.
struct Choose {
    Rows rows;
    Level level;
    index_t* shared_labels;  // SLOTS of each in shared memory
    double* shared_sums;
    index_t* global_labels;  // this block's in global memory, for the longest row
    double* global_sums;
    u64 alive;  // communities that vertices with edges are in; a row has no more of them

    __device__ __forceinline__ u32 mask(index_t v) const {
        const u64 length = (u64)rows.length(v);
        return mask_for(length < alive ? length : alive);
    }

    // count(community, weight so far) for v's edges. It returns the weight of all of v's edges to the community that
    // this thread knows of. It never falls, so the largest gain that a thread sees includes the final one.
    template <class Team, class Count>
    __device__ __forceinline__ Choice look(index_t v, const Team& team, Count count) const {
        const index_t own = level.community[v];
        const double expected = level.factor * level.strength[v];
        Choice choice = {-1.7e308, own, 0.0};
        rows.find(v, team, [&](const index_t* entries, offset_t, offset_t j) {
            const index_t u = entries[j];
            if (u == v || (level.bound && level.bound[u] != level.bound[v])) return false;
            const index_t other = level.community[u];
            const double weight = level.weight(j);
            if (level.bound || other == own) choice.near += weight;
            if (other != own) {
                const double by_chance = __dmul_rn(expected, level.totals[other]);  // never fused: ties are as on the CPU
                choice.consider(__dsub_rn(count(other, weight), by_chance), other);
            }
            return false;
        });
        return choice;
    }
    __device__ __forceinline__ index_t decided(index_t v, const Choice& choice) const {
        const index_t own = level.community[v];
        const double strength = level.strength[v], expected = level.factor * strength;
        double stay = 0.0;  // of a vertex that is alone
        if (level.bound) {
            if (choice.near < expected * (level.whole[level.bound[v]] - strength)) return own;  // not well connected
        } else {
            stay = choice.near - expected * (level.totals[own] - strength);
        }
        return choice.gain > stay + LEAST_GAIN * strength ? choice.community : own;
    }
    __device__ __forceinline__ index_t operator()(index_t v, const Alone& team) const {
        return decided(v, look(v, team, [&](index_t community, double) {
                           double sum = 0.0;
                           rows.find(v, team, [&](const index_t* entries, offset_t, offset_t j) {
                               const index_t u = entries[j];
                               const bool apart = u == v || (level.bound && level.bound[u] != level.bound[v]);
                               if (!apart && level.community[u] == community) sum += level.weight(j);
                               return false;
                           });
                           return sum;
                       }));
    }
    __device__ __forceinline__ index_t operator()(index_t v, const Together& team) const {
        const u32 start = warp_in_block() * WARP_SLOTS;
        const Table<double> table = {shared_labels + start, shared_sums + start, mask_for(rows.length(v))};
        table.clear(lane(), WARP);
        __syncwarp(ALL_LANES);
        const Choice choice = best_of_warp(look(v, team, [&](index_t c, double w) { return table.add(c, w); }));
        __syncwarp(ALL_LANES);
        return decided(v, choice);
    }
    __device__ __forceinline__ index_t operator()(index_t v, const WholeBlock& team) const {
        __shared__ Choice best[MOST_WARPS];
        const u32 last = mask(v);
        const bool fits = last < SLOTS;
        const Table<double> table = {fits ? shared_labels : global_labels, fits ? shared_sums : global_sums, last};
        table.clear(threadIdx.x, blockDim.x);
        __syncthreads();
        const Choice choice = best_of_warp(look(v, team, [&](index_t c, double w) { return table.add(c, w); }));
        if (lane() == 0) best[warp_in_block()] = choice;
        __syncthreads();
        Choice winner = best[0];
        for (u32 i = 1; i < blockDim.x / WARP; i++) winner.join(best[i]);
        __syncthreads();
        return decided(v, winner);
    }
};

struct Counts {
    u32 moved, listed, huge;
};
struct Control {
    double inside;  // the weight of the arcs inside communities, a loop twice; after moves, how much more it is
    u32 moved;
    Counts steps[3];
    u32 barrier[GRID_BARRIER_WORDS];
};

// In the refinement, no vertex joins one that leaves, so every part stays connected. Of two that would join each other,
// one moves. A vertex that is alone has its own number as its community.
__device__ __forceinline__ bool may_join(index_t v, index_t chosen, const index_t* target) {
    const index_t next = target[chosen];
    return next == chosen || (next == v && v > chosen);
}

// One round of moves in `groups` groups. Then the weight inside communities that they gained over those of `before`, or
// all of it with 0 groups, which move nothing. The refinement has no `before` and no weight. `awake` has a byte
// per vertex: whether to process it, and after the round whether a neighbour has moved. `list` has room for 2n vertices.
// `alive` is the number of communities that vertices with edges are in. Rows that may have too many for shared memory
// go to the first `tables` blocks, each of which has `places` places in `table_labels` and `table_sums`.
extern "C" __global__ void __launch_bounds__(512, 2)
    move_round(u64 n, const offset_t* offsets, const index_t* neighbours, const double* weights, const double* strength,
               double factor, index_t* community, double* totals, u32* sizes, const index_t* bound, const double* whole,
               const index_t* before, index_t* target, u8* awake, u8* moved, index_t* list, index_t* table_labels, double* table_sums,
               u32 tables, u64 places, u64 alive, u32 groups, u64 key, Control* control) {
    __shared__ index_t shared_labels[SLOTS];
    __shared__ double shared_sums[SLOTS];
    const Rows rows = {offsets, neighbours, nullptr, nullptr};
    const Level level = {weights, strength, factor, community, totals, sizes, bound, whole};
    const u64 own = blockIdx.x < tables ? blockIdx.x * places : 0;
    const Choose choose = {rows, level, shared_labels, shared_sums, table_labels + own, table_sums + own, alive};
    Steps<Counts> steps = {control->steps, control->barrier, 0};
    index_t* huge_rows = list + n;
    const u32 takers = tables < gridDim.x ? tables : gridDim.x;
    u32* huge = nullptr;
    const auto vote = [&](index_t v, const auto& team) {
        const index_t chosen = choose(v, team);
        if (team.first() == 0) target[v] = chosen;
    };
    u32 moves = 0;
    for (u32 group = 0; group < groups; group++) {
        const auto pick = [&](u64 i) {
            const bool taken = awake[i] && random_bits(key, i) % groups == group && (!bound || sizes[community[i]] == 1);
            if (taken) {
                awake[i] = bound != nullptr;  // a vertex that is alone after this round may still move
                return (index_t)i;
            }
            target[i] = community[i];
            return (index_t)-1;
        };
        steps.begin();
        by_size(n, rows, pick, list, &steps.current().listed, vote);
        Counts found = steps.end();
        if (found.listed > 0) {
            steps.begin();
            huge = &steps.current().huge;
            long_rows(list, 0, found.listed, [&](index_t v, const auto& team) {
                if (choose.mask(v) < SLOTS) {
                    vote(v, team);
                } else if (threadIdx.x == 0) {
                    huge_rows[atomicAdd(huge, 1u)] = v;
                }
            });
            found = steps.end();
        }
        if (found.huge > 0) {
            steps.begin();
            if (blockIdx.x < takers)
                for (u32 i = blockIdx.x; i < found.huge; i += takers) vote(huge_rows[i], WholeBlock{nullptr});
            steps.end();
        }
        steps.begin();
        u32* counted = &steps.current().moved;
        for (u64 i = thread_in_grid(); i < n; i += threads_in_grid()) {
            const index_t before = community[i], after = target[i];
            if (before == after || (bound && !may_join((index_t)i, after, target))) continue;
            community[i] = after;
            atomicAdd(&totals[before], -strength[i]);
            atomicAdd(&totals[after], strength[i]);
            atomicSub(&sizes[before], 1u);
            atomicAdd(&sizes[after], 1u);
            moved[i] = 1;
            atomicAdd(counted, 1u);
        }
        moves += steps.end().moved;
    }
    if (thread_in_grid() == 0) control->moved = moves;
    if (bound) return;
    double inside = 0.0;
    const auto look_back = [&](index_t v, const auto& team) {
        const index_t here = community[v];
        rows.find(v, team, [&](const index_t* entries, offset_t, offset_t j) {
            const index_t u = entries[j];
            const bool together = community[u] == here;
            if (!before) {
                if (together) inside += u == v ? 2.0 * level.weight(j) : level.weight(j);
                return false;
            }
            if (together != (before[u] == before[v])) {  // an arc back from a vertex that has not moved is not read
                const double weight = moved[u] ? level.weight(j) : 2.0 * level.weight(j);
                inside += together ? weight : -weight;
            }
            if (!together) awake[u] = 1;
            return false;
        });
    };
    const auto changed = [&](u64 i) { return !before || moved[i] ? (index_t)i : (index_t)-1; };
    steps.begin();
    by_size(n, rows, changed, list, &steps.current().listed, look_back);
    const Counts found = steps.end();
    long_rows(list, 0, found.listed, look_back);
    inside = warp_sum(inside);
    if (lane() == 0 && inside != 0.0) atomicAdd(&control->inside, inside);
}

// The strength of every vertex: the weight of its edges, a loop twice. A warp takes a row.
extern "C" __global__ void strengths(u64 n, const offset_t* offsets, const index_t* neighbours, const double* weights,
                                     double* strength) {
    for (u64 v = warp_in_grid(); v < n; v += warps_in_grid()) {
        double sum = 0.0;
        for (u64 j = (u64)offsets[v] + lane(); j < (u64)offsets[v + 1]; j += WARP)
            sum += (weights ? weights[j] : 1.0) * ((u64)neighbours[j] == v ? 2.0 : 1.0);
        sum = warp_sum(sum);
        if (lane() == 0) strength[v] = sum;
    }
}

// Every arc as a number that sorts by the parts 0…count-1 of its ends; arcs inside parts sort behind all others.
extern "C" __global__ void pair_up(u64 n, const offset_t* offsets, const index_t* neighbours, const index_t* part,
                                   u64 count, u64* keys) {
    for (u64 v = warp_in_grid(); v < n; v += warps_in_grid()) {
        const u64 here = (u64)part[v];
        for (u64 j = (u64)offsets[v] + lane(); j < (u64)offsets[v + 1]; j += WARP) {
            const u64 there = (u64)part[neighbours[j]];
            keys[j] = here == there ? ~0ull : here * count + there;
        }
    }
}
