#pragma once
// Communities: how a vertex chooses one. Weights are whole numbers: their sums are exact in any order.
#include "common.cuh"
#ifndef SLOTS
#define SLOTS 4096  // of the table of a block, a power of two; its warps share them
#endif
#ifndef sum_t
#define sum_t double  // of weights; u32 where they count edges
#endif
#include "label_table.cuh"
#include "rows_by_size.cuh"

#define AT_ONCE 4  // neighbours of a thread that it waits for together
#define LEAST_GAIN 1e-12  // of the strength of a vertex; a smaller one may be a rounding error
#define NO_GAIN -1.7e308
#define MOST_SLACK (1 << 29)

struct Level {
    const sum_t* weights;  // null: 1 each
    const double* strength;
    double factor;  // the resolution divided by the strength of all vertices
    index_t* community;
    double* totals;        // the strength of every community
    u32* sizes;            // and its number of vertices
    const index_t* bound;  // null, or communities to stay in: then this is the refinement of Leiden
    const double* whole;   // and their strength
    index_t* target;
    int* slack;
    double grains;

    __device__ __forceinline__ sum_t weight(u64 j) const { return weights ? weights[j] : (sum_t)1; }
};

// The best of the communities considered so far, and what it and the second one gain.
struct Choice {
    double gain, second;
    index_t community;
    __device__ __forceinline__ void consider(double other_gain, index_t other) {
        join(Choice{other_gain, NO_GAIN, other});
    }
    __device__ __forceinline__ void join(const Choice& other) {
        const double lower = other.gain < gain ? other.gain : gain;
        second = second > other.second ? second : other.second;
        second = second > lower ? second : lower;
        if (other.gain > gain || (other.gain == gain && other.community < community)) {
            gain = other.gain;
            community = other.community;
        }
    }
};

__device__ __forceinline__ Choice best_of_warp(Choice choice) {
    for (int step = WARP / 2; step > 0; step /= 2) {
        const double gain = __shfl_xor_sync(ALL_LANES, choice.gain, step);
        const double second = __shfl_xor_sync(ALL_LANES, choice.second, step);
        const index_t community = __shfl_xor_sync(ALL_LANES, choice.community, step);
        choice.join(Choice{gain, second, community});
    }
    return choice;
}

// One part of a row that has too many communities for the table of a block: some of the communities, and all edges.
struct Task {
    Choice choice;
    double near;
    index_t v;
    u32 part, parts;
};

template <class T>
struct Loaded {
    T first, second;
};

// load(u) for every neighbour u of v that is this member's, several at a time; then see(u, what load gave, j).
template <class Team, class Load, class See>
__device__ __forceinline__ void each_loaded(const Rows& rows, index_t v, const Team& team, Load load, See see) {
#if PACKED || ON_HOST
    rows.find(v, team, [&](const auto& entries, offset_t, offset_t j) {
        const index_t u = entries[j];
        see(u, load(u), (u64)j);
        return false;
    });
#else
    const u64 end = (u64)rows.offsets[v + 1], step = team.step();
    for (u64 j = (u64)rows.offsets[v] + team.first(); j < end; j += AT_ONCE * step) {
        index_t u[AT_ONCE];
        decltype(load(v)) found[AT_ONCE];
#pragma unroll
        for (u32 k = 0; k < AT_ONCE; k++) u[k] = j + k * step < end ? (index_t)rows.neighbours[j + k * step] : v;
#pragma unroll
        for (u32 k = 0; k < AT_ONCE; k++) found[k] = load(u[k]);
#pragma unroll
        for (u32 k = 0; k < AT_ONCE; k++)
            if (j + k * step < end) see(u[k], found[k], j + k * step);
    }
#endif
}

// The best community for v, or its own, goes to `target`; known to the first of the team.
struct Choose {
    Rows rows;
    Level level;
    index_t* labels;  // SLOTS of each in shared memory, which every use leaves empty
    sum_t* sums;
    u64 alive;  // communities that vertices with edges are in; a row has no more of them

    __device__ __forceinline__ u64 most(index_t v) const {
        const u64 length = rows.length(v);
        return length < alive ? length : alive;
    }
    // add(community, weight) for v's edges to other communities. It returns the weight of those to its own; in the
    // refinement, of all to the community to stay in.
    template <class Team, class Add>
    __device__ __forceinline__ sum_t gather(index_t v, const Team& team, Add add) const {
        const index_t own = level.community[v], home = level.bound ? level.bound[v] : (index_t)0;
        sum_t near = 0;
        const auto load = [&](index_t u) {
            return Loaded<index_t>{level.community[u], level.bound ? level.bound[u] : (index_t)0};
        };
        each_loaded(rows, v, team, load, [&](index_t u, const Loaded<index_t>& found, u64 j) {
            if (u == v || found.second != home) return;
            const sum_t weight = level.weight(j);
            if (level.bound || found.first == own) near += weight;
            if (found.first != own) add(found.first, weight);
        });
        return near;
    }
    // The best community of a table, which this empties.
    __device__ __forceinline__ Choice best_in(const Table<sum_t>& table, index_t v, u32 first, u32 step) const {
        const double expected = level.factor * level.strength[v];
        Choice choice = {NO_GAIN, NO_GAIN, v};
        for (u32 i = first; i <= table.mask; i += step) {
            const index_t other = table.labels[i];
            if (other < 0) continue;
            const double by_chance = __dmul_rn(expected, level.totals[other]);  // never fused: ties are as on the CPU
            choice.consider(__dsub_rn((double)table.votes[i], by_chance), other);
            table.labels[i] = -1;
            table.votes[i] = 0;
        }
        return choice;
    }
    __device__ __forceinline__ void settle(index_t v, const Choice& choice, double near) const {
        const index_t own = level.community[v];
        const double strength = level.strength[v], expected = level.factor * strength;
        if (level.bound) {  // a vertex that is alone, and may not be well connected
            const bool goes = near >= expected * (level.whole[level.bound[v]] - strength) && choice.gain > LEAST_GAIN * strength;
            level.target[v] = goes ? choice.community : own;
            return;
        }
        const double stay = near - expected * (level.totals[own] - strength);
        const bool goes = choice.gain > stay + LEAST_GAIN * strength;
        level.target[v] = goes ? choice.community : own;
        const double second = !goes ? choice.gain : choice.second > stay ? choice.second : stay;
        const double ahead = ((goes ? choice.gain : stay) - second) * level.grains;
        level.slack[v] = ahead < MOST_SLACK ? (ahead > 0 ? (int)ahead : 0) : MOST_SLACK;
    }
    __device__ __forceinline__ void operator()(index_t v, const Alone& team) const {
        const index_t own = level.community[v], home = level.bound ? level.bound[v] : (index_t)0;
        const double expected = level.factor * level.strength[v];
        const auto apart = [&](index_t u) { return u == v || (level.bound && level.bound[u] != home); };
        Choice choice = {NO_GAIN, NO_GAIN, v};
        sum_t near = 0;
        rows.find(v, team, [&](const index_t* entries, offset_t, offset_t j) {
            const index_t u = entries[j];
            if (apart(u)) return false;
            const index_t other = level.community[u];
            if (level.bound || other == own) near += level.weight(j);
            if (other == own) return false;
            sum_t sum = 0;
            const bool before = rows.find(v, team, [&](const index_t* again, offset_t, offset_t i) {
                if (level.community[again[i]] != other || apart(again[i])) return false;
                sum += level.weight(i);
                return i < j;
            });
            if (!before) {
                const double by_chance = __dmul_rn(expected, level.totals[other]);
                choice.consider(__dsub_rn((double)sum, by_chance), other);
            }
            return false;
        });
        settle(v, choice, (double)near);
    }
    __device__ __forceinline__ void operator()(index_t v, const Together& team) const {
        const u32 start = warp_in_block() * WARP_SLOTS;
        const Table<sum_t> table = {labels + start, sums + start, mask_for(most(v))};
        sum_t near = gather(v, team, [&](index_t c, sum_t w) { table.put(c, w); });
        __syncwarp(ALL_LANES);
        const Choice choice = best_of_warp(best_in(table, v, lane(), WARP));
        near = warp_sum(near);
        if (lane() == 0) settle(v, choice, (double)near);
        __syncwarp(ALL_LANES);
    }
    // Thread 0 gets the best of one part of v's communities. Returns whether the table was too small.
    __device__ __forceinline__ bool block(index_t v, u32 part, u32 parts, Choice& winner, double& total) const {
        __shared__ Choice best[MOST_WARPS];
        __shared__ double near_of[MOST_WARPS];
        const Table<sum_t> table = {labels, sums, parts == 1 ? mask_for(most(v)) : SLOTS - 1};
        bool full = false;
        sum_t near = gather(v, WholeBlock{nullptr}, [&](index_t c, sum_t w) {
            if (parts == 1 || __umulhi((u32)c * 0x85EBCA6Bu, parts) == part) full = !table.put(c, w) || full;
        });
        full = __syncthreads_or(full);
        const Choice choice = best_of_warp(best_in(table, v, threadIdx.x, blockDim.x));
        near = warp_sum(near);
        if (lane() == 0) {
            best[warp_in_block()] = choice;
            near_of[warp_in_block()] = (double)near;
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            total = 0.0;
            for (u32 i = 0; i < blockDim.x / WARP; i++) {
                winner.join(best[i]);
                total += near_of[i];
            }
        }
        return full;
    }
    __device__ __forceinline__ void operator()(index_t v, const WholeBlock&) const {
        Choice winner = {NO_GAIN, NO_GAIN, v};
        double near = 0.0;
        block(v, 0, 1, winner, near);
        if (threadIdx.x == 0) settle(v, winner, near);
    }
    __device__ __forceinline__ void operator()(Task& task) const {
        const index_t v = task.v;
        Choice winner;
        double near = 0.0;
        bool full = true;
        for (u32 finer = 1; full; finer *= 2) {
            winner = Choice{NO_GAIN, NO_GAIN, v};
            full = false;
            for (u32 k = 0; k < finer && !full; k++) full = block(v, task.part * finer + k, task.parts * finer, winner, near);
        }
        if (threadIdx.x == 0) {
            task.choice = winner;
            task.near = near;
        }
    }
};
