#pragma once
// Communities: rounds of moves that raise the modularity, and the arcs of the graph whose vertices are communities.
//
// A round takes the vertices in groups, at random. Those of a group choose at once, given the communities before it, and
// then move at once. Weights are whole numbers: their sums are exact in any order, so that every run has the same result.
#include "choices.cuh"
#include "random.cuh"
#include "steps.cuh"

#define MOST_CHANGE 1024  // of slack by an atomic, so that all threads at once leave a number of 32 bits

// What the moves of a vertex change: the weight inside communities, and the slack of its neighbours.
struct LookBack {
    Rows rows;
    Level level;
    const index_t* before;  // the communities; null: count all weight inside
    const u8* taken;
    double& inside;

    template <class Team>
    __device__ __forceinline__ void operator()(index_t v, const Team& team) const {
        const index_t here = level.community[v], there = before ? before[v] : here;
        const u32 group = taken[v];
        const auto load = [&](index_t u) { return Loaded<index_t>{level.community[u], before ? before[u] : (index_t)0}; };
        each_loaded(rows, v, team, load, [&](index_t u, const Loaded<index_t>& now, u64 j) {
            const bool together = now.first == here;
            const sum_t weight = level.weight(j);
            if (!before) {
                if (together) inside += u == v ? 2.0 * weight : 1.0 * weight;
                return;
            }
            if (together != (now.second == there)) {  // an arc back from a vertex that has not moved is not read
                const double both = now.first != now.second ? 1.0 * weight : 2.0 * weight;
                inside += together ? both : -both;
            }
            if (together || taken[u] > group || *(volatile int*)&level.slack[u] < 0) return;  // or it has seen the move
            const double change = ceil(weight * level.grains) * (now.first == there ? 2.0 : 1.0);
            if (change > MOST_CHANGE) {
                level.slack[u] = -1;
            } else {
                atomicSub(&level.slack[u], (int)change);
            }
        });
    }
};

struct Counts {
    u32 moved, listed, tasks;
};
struct Control {
    double inside;  // the weight of the arcs inside communities, a loop twice; after moves, how much more it is
    u32 moved, alive;
    Counts steps[3];
    u32 barrier[GRID_BARRIER_WORDS], unused;
};

// In the refinement, no vertex joins one that leaves, so every part stays connected. Of two that would join each other,
// one moves. A vertex that is alone has its own number as its community.
__device__ __forceinline__ bool may_join(index_t v, index_t chosen, const index_t* target) {
    const index_t next = target[chosen];
    return next == chosen || (next == v && v > chosen);
}

// One round of moves in `groups` groups. Then the weight inside communities that they gained over those of `before`, or
// all of it with 0 groups, which move nothing. The refinement has no `before` and no weight. `slack` is how much the edges
// of a vertex may change before another community may be better; vertices with less than 0 choose. `taken` has room
// for a byte per vertex, `list` for n vertices, `tasks` for those of all rows.
// `alive` is the number of communities that vertices with edges are in.
extern "C" __global__ void __launch_bounds__(512, 2)
    move_round(u64 n, const offset_t* offsets, const index_t* neighbours, const sum_t* weights, const double* strength,
               double factor, double grains, index_t* community, double* totals, u32* sizes, const index_t* bound, const double* whole,
               const index_t* before, index_t* target, int* slack, u8* taken, index_t* list, Task* tasks, u64 alive, u32 groups,
               u64 key, Control* control) {
    sum_t* shared_sums = dynamic_shared<sum_t>();
    index_t* shared_labels = reinterpret_cast<index_t*>(shared_sums + SLOTS);
    const Rows rows = {offsets, neighbours, nullptr, nullptr};
    const Level level = {weights, strength, factor, community, totals, sizes, bound, whole, target, slack, grains};
    const Choose choose = {rows, level, shared_labels, shared_sums, alive};
    Steps<Counts> steps = {control->steps, control->barrier, 0};
    for (u32 i = threadIdx.x; i < SLOTS; i += blockDim.x) {
        shared_labels[i] = -1;
        shared_sums[i] = 0;
    }
    steps.begin();
    for (u64 i = thread_in_grid(); i < n; i += threads_in_grid()) {
        if (bound) target[i] = community[i];
        const bool awake = groups && (bound || slack[i] < 0) && offsets[i] != offsets[i + 1];
        taken[i] = awake ? (u8)(1 + random_bits(key, i) % groups) : 0;
    }
    steps.end();
    u32 moves = 0;
    for (u32 group = 1; group <= groups; group++) {
        const auto pick = [&](u64 i) {
            const u32 of = taken[i];
            if (bound && of == group - 1) target[i] = community[i];  // it may have been refused
            if (of != group) return (index_t)-1;
            if (!bound || sizes[community[i]] == 1) return (index_t)i;
            target[i] = community[i];
            return (index_t)-1;
        };
        steps.begin();
        by_size(n, rows, pick, list, &steps.current().listed, choose);
        Counts found = steps.end();
        if (found.listed > 0) {
            steps.begin();
            u32* tasked = &steps.current().tasks;
            long_rows(list, 0, found.listed, [&](index_t v, const auto& team) {
                const u64 most = choose.most(v);
                if (most <= SLOTS / 2) {
                    choose(v, team);
                } else if (threadIdx.x == 0) {
                    const u32 parts = (u32)((most - 1) / (SLOTS / 2)) + 1, first = atomicAdd(tasked, parts);
                    for (u32 part = 0; part < parts; part++) {
                        Task& task = tasks[first + part];
                        task.v = v;
                        task.part = part;
                        task.parts = parts;
                    }
                }
            });
            found = steps.end();
        }
        if (found.tasks > 0) {
            steps.begin();
            for (u32 i = blockIdx.x; i < found.tasks; i += gridDim.x) choose(tasks[i]);
            steps.end();
            steps.begin();
            for (u64 i = thread_in_grid(); i < found.tasks; i += threads_in_grid()) {
                if (tasks[i].part != 0) continue;
                Choice choice = tasks[i].choice;
                for (u32 part = 1; part < tasks[i].parts; part++) choice.join(tasks[i + part].choice);
                choose.settle(tasks[i].v, choice, tasks[i].near);
            }
            steps.end();
        }
        steps.begin();
        u32* counted = &steps.current().moved;
        for (u64 i = thread_in_grid(); i < n; i += threads_in_grid()) {
            if (taken[i] != group) continue;
            const index_t own = community[i], next = target[i];
            if (own == next || (bound && !may_join((index_t)i, next, target))) continue;
            community[i] = next;
            atomicAdd(&totals[own], -strength[i]);
            atomicAdd(&totals[next], strength[i]);
            atomicSub(&sizes[own], 1u);
            atomicAdd(&sizes[next], 1u);
            atomicAdd(counted, 1u);
        }
        moves += steps.end().moved;
    }
    if (thread_in_grid() == 0) control->moved = moves;
    if (bound) return;
    double inside = 0.0;
    u32 used = 0;
    const LookBack look_back = {rows, level, before, taken, inside};
    const auto changed = [&](u64 i) {
        used += sizes[i] > 0;
        return !before || community[i] != before[i] ? (index_t)i : (index_t)-1;
    };
    steps.begin();
    by_size(n, rows, changed, list, &steps.current().listed, look_back);
    const Counts found = steps.end();
    long_rows(list, 0, found.listed, look_back);
    inside = warp_sum(inside);
    used = warp_sum(used);
    if (lane() == 0 && inside != 0.0) atomicAdd(&control->inside, inside);
    if (lane() == 0 && used > 0) atomicAdd(&control->alive, used);
}

// The strength of every vertex: the weight of its edges, a loop twice. A warp takes a row.
extern "C" __global__ void strengths(u64 n, const offset_t* offsets, const index_t* neighbours, const sum_t* weights,
                                     double* strength) {
    for (u64 v = warp_in_grid(); v < n; v += warps_in_grid()) {
        double sum = 0.0;
        for (u64 j = (u64)offsets[v] + lane(); j < (u64)offsets[v + 1]; j += WARP)
            sum += (weights ? (double)weights[j] : 1.0) * ((u64)neighbours[j] == v ? 2.0 : 1.0);
        sum = warp_sum(sum);
        if (lane() == 0) strength[v] = sum;
    }
}

#define TAKEN 8  // arcs of a thread at a time

// The arcs from a part 0…count-1 to a later one, as numbers that sort by the parts of their ends, with their weights. They
// come in any order; `size` counts them.
extern "C" __global__ void pair_up(u64 n, const offset_t* offsets, const index_t* neighbours, const sum_t* weights,
                                   const index_t* part, u64 count, u64* keys, sum_t* key_weights, u64* size) {
    const u64 arcs = (u64)offsets[n];
    const auto row_of = [&](u64 j, u64 low, u64 high) {  // the last of rows low…high that starts at j or before
        while (low < high) {
            const u64 middle = (low + high + 1) / 2;
            if ((u64)offsets[middle] <= j) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    };
    for (u64 base = warp_in_grid() * WARP * TAKEN; base < arcs; base += warps_in_grid() * WARP * TAKEN) {
        const u64 stop = base + WARP * TAKEN < arcs ? base + WARP * TAKEN : arcs;
        const u64 first = row_of(base, 0, n - 1), last = row_of(stop - 1, first, n - 1);
        u64 found[TAKEN];
        u32 kept = 0;
#pragma unroll
        for (u32 k = 0; k < TAKEN; k++) {
            const u64 j = base + k * WARP + lane();
            found[k] = ~0ull;
            if (j < stop) {
                const u64 here = (u64)part[row_of(j, first, last)], there = (u64)part[neighbours[j]];
                if (here < there) found[k] = here * count + there;
            }
        }
#pragma unroll
        for (u32 k = 0; k < TAKEN; k++) kept += (u32)__popc(__ballot_sync(ALL_LANES, found[k] != ~0ull));
        u64 start = 0;
        if (lane() == 0 && kept > 0) start = atomicAdd(size, (u64)kept);
        start = __shfl_sync(ALL_LANES, start, 0);
#pragma unroll
        for (u32 k = 0; k < TAKEN; k++) {
            const u32 takers = __ballot_sync(ALL_LANES, found[k] != ~0ull);
            if (found[k] != ~0ull) {
                const u64 place = start + (u64)__popc(takers & lanes_below());
                keys[place] = found[k];
                if (weights) key_weights[place] = weights[base + k * WARP + lane()];
            }
            start += (u64)__popc(takers);
        }
    }
}

__device__ __forceinline__ u64 take_next(u32* next) { return atomicAdd(next, 1u); }
__device__ __forceinline__ u64 take_next(long long* next) { return atomicAdd(reinterpret_cast<u64*>(next), 1ull); }

// Both directions of sorted pairs as rows. Those of part p to later ones are pairs runs[p]…, at the start of its row;
// next[p] is where the others go, in any order.
extern "C" __global__ void mirror(u64 pairs, const u64* keys, const sum_t* sums, u64 count, const long long* runs,
                                  const offset_t* offsets, offset_t* next, index_t* neighbours, sum_t* weights) {
    for (u64 i = thread_in_grid(); i < pairs; i += threads_in_grid()) {
        const u64 here = keys[i] / count, there = keys[i] - here * count;
        const u64 place = (u64)offsets[here] + i - (u64)runs[here], back = take_next(&next[there]);
        neighbours[place] = (index_t)there;
        weights[place] = sums[i];
        neighbours[back] = (index_t)here;
        weights[back] = sums[i];
    }
}
