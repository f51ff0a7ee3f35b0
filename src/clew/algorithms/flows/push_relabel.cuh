#pragma once
// Maximum flows by pushing excess downhill. A vertex with excess pushes it over arcs that lead one step nearer to the
// target. If some stays, the vertex is raised above its lowest neighbour. All vertices with excess push at once, then
// all that are stuck are raised: a wave. Every few waves, heights become the exact distances to the target, by a
// search. Vertices that cannot reach the target have height n and rest.
//
// Entry j of the rows leads to neighbours[j], and left[codes[j]] is how much it takes. Its reverse has the code with the
// last bit flipped. In a wave of pushes, heights are fixed, so flow goes one way between two vertices. One warp alone
// changes what both arcs of an edge take. Integers are exact; a float is filled exactly or keeps a positive rest.
//
// After A. V. Goldberg, R. E. Tarjan: "A new approach to the maximum-flow problem", JACM 35, 1988.
#include "common.cuh"
#include "rows_by_size.cuh"
#include "steps.cuh"

struct Found {
    u32 queued;  // vertices for the next step
    u32 listed;  // long rows, or vertices that are stuck
};
struct Progress {
    u32 level;    // of the search; waves that were done
    u32 stop;     // what is before this in the queue has been processed
    u32 waiting;  // vertices in the queue from there on; vertices with excess when the waves began
    u32 done;
};
struct Control {
    Progress progress;
    Found steps[3];
    u32 barrier[GRID_BARRIER_WORDS];
};

struct Network {
    u64 n;
    const offset_t* offsets;
    const index_t* neighbours;
    const code_t* codes;
    amount_t* left;
    index_t* height;
};

// Give the vertices that the entries of w lead to, and that can send something to w, the next height.
struct Search {
    Network net;
    Rows rows;
    index_t level;
    index_t* queue;
    u32* queued;

    template <class Team>
    __device__ __forceinline__ void operator()(index_t w, const Team& team) const {
        rows.find(w, team, [&](const index_t* entries, offset_t, offset_t j) {
            const index_t v = entries[j];
            if (net.left[net.codes[j] ^ 1] > 0 && net.height[v] > level && atomicMin(net.height + v, level) > level)
                queue[atomicAdd(queued, 1u)] = v;
            return false;
        });
    }
};

// The number of arcs from every vertex to the target; or as much of it as is this launch's share. All heights are n
// before, but that of the target is 0, and the queue has the target: 1 is waiting. `list` is room for long rows.
extern "C" __global__ void __launch_bounds__(512, 2)
    measure(u64 n, const offset_t* offsets, const index_t* neighbours, const code_t* codes, amount_t* left,
            index_t* height, int work, index_t* queue, index_t* list, Control* control) {
    const Network net = {n, offsets, neighbours, codes, left, height};
    const Rows rows = {offsets, neighbours, nullptr, nullptr};
    Progress at = control->progress;
    Steps<Found> steps = {control->steps, control->barrier, 0};
    Share share = {work};
    while (at.waiting > 0 && share.is_left()) {
        const index_t* wave = queue + at.stop;
        const u32 size = at.waiting;
        share.take(rows.about(size, n));
        at.stop += size;
        at.level++;
        steps.begin();
        Search search = {net, rows, (index_t)at.level, queue + at.stop, &steps.current().queued};
        by_size(size, rows, [=](u64 i) { return wave[i]; }, list, &steps.current().listed, search);
        const Found found = steps.end();
        at.waiting = found.queued;
        if (found.listed > 0) {
            share.take_long(found.listed);
            steps.begin();
            search.queue += at.waiting;
            search.queued = &steps.current().queued;
            long_rows(list, 0, found.listed, search);
            at.waiting += steps.end().queued;
        }
    }
    at.done = at.waiting == 0;
    if (thread_in_grid() == 0) control->progress = at;
}

__device__ __forceinline__ amount_t take_all(amount_t* place) {
    const u64 bits = atomicExch(reinterpret_cast<u64*>(place), 0ull);  // which is 0 as a float, too
    union {
        u64 bits;
        amount_t amount;
    } same = {bits};
    return same.amount;
}
__device__ __forceinline__ void add(long long* place, long long amount) { atomicAdd(reinterpret_cast<u64*>(place), (u64)amount); }
__device__ __forceinline__ void add(double* place, double amount) { atomicAdd(place, amount); }

// What is pushed to whom: vertices that get something are listed once, and so are those that are stuck.
struct Waves {
    Network net;
    amount_t* excess;
    index_t source, sink;  // these keep what they get
    u32* stamp;            // the last wave for which a vertex was listed
    u32 now;
    index_t* next;
    u32* queued;

    __device__ __forceinline__ void enlist(index_t v) const {
        if (v != source && v != sink && atomicExch(stamp + v, now) != now) next[atomicAdd(queued, 1u)] = v;
    }

    // All lanes of a warp push what v has; whether some stays.
    __device__ __forceinline__ bool push(index_t v) const {
        const index_t own = net.height[v];
        if ((u64)own >= net.n) return false;
        amount_t amount = lane() == 0 ? take_all(excess + v) : (amount_t)0;
        amount = __shfl_sync(ALL_LANES, amount, 0);
        const offset_t end = net.offsets[v + 1];
        for (offset_t base = net.offsets[v]; base < end && amount > 0; base += WARP) {
            amount_t room = 0;
            code_t code = 0;
            index_t w = v;
            if (lane() < (u64)(end - base)) {
                w = net.neighbours[base + lane()];
                code = net.codes[base + lane()];
                if (net.height[w] == own - 1) room = net.left[code];
            }
            const amount_t upto = warp_prefix(room);
            const amount_t lower = __shfl_up_sync(ALL_LANES, upto, 1);
            const amount_t rest = lane() == 0 ? amount : amount - lower;
            const amount_t given = rest < room ? rest : room;
            if (given > 0) {
                net.left[code] -= given;
                net.left[code ^ 1] += given;
                add(excess + w, given);
                enlist(w);
            }
            const amount_t all = __shfl_sync(ALL_LANES, upto, WARP - 1);
            amount = all < amount ? amount - all : (amount_t)0;
        }
        if (lane() == 0 && amount > 0) add(excess + v, amount);
        return amount > 0;
    }

    // Raise v above the lowest vertex that it can send something to, by all lanes of a warp.
    __device__ __forceinline__ void raise(index_t v) const {
        index_t lowest = (index_t)net.n - 1;
        for (offset_t j = net.offsets[v] + lane(); j < net.offsets[v + 1]; j += WARP)
            if (net.left[net.codes[j]] > 0) {
                const index_t height = static_cast<volatile index_t*>(net.height)[net.neighbours[j]];
                lowest = height < lowest ? height : lowest;
            }
        lowest = -warp_max(-lowest);
        if (lane() > 0) return;
        static_cast<volatile index_t*>(net.height)[v] = lowest + 1;
        if ((u64)lowest + 1 < net.n) enlist(v);
    }
};

// Up to `most` waves, or as many as are this launch's share. `lists` is room for 3n vertices: those of a wave, those of
// the next, and those that are stuck. `stamp` has numbers up to `first`, and gets those of the waves.
extern "C" __global__ void __launch_bounds__(512, 2)
    push_waves(u64 n, const offset_t* offsets, const index_t* neighbours, const code_t* codes, amount_t* left,
               index_t* height, int work, amount_t* excess, index_t source, index_t sink, u32 first, u32 most, u32* stamp,
               index_t* lists, Control* control) {
    const Rows rows = {offsets, neighbours, nullptr, nullptr};
    Waves waves = {{n, offsets, neighbours, codes, left, height}, excess, source, sink, stamp, first, lists, nullptr};
    Steps<Found> steps = {control->steps, control->barrier, 0};
    Share share = {work};
    index_t *list = lists, *next = lists + n, *stuck = lists + 2 * n;
    steps.begin();
    for (u64 base = warp_in_grid() * WARP; base < n; base += warps_in_grid() * WARP) {
        const u64 v = base + lane();
        const bool has = v < n && v != (u64)source && v != (u64)sink && excess[v] > 0 && (u64)height[v] < n;
        const u32 place = take_room(&steps.current().queued, has);
        if (has) list[place] = (index_t)v;
    }
    u32 size = steps.end().queued, wave = 0;
    const u32 began = size;
    while (size > 0 && wave < most && share.is_left()) {
        share.take(rows.about(size, n));
        waves.now = first + ++wave;
        waves.next = next;
        steps.begin();
        waves.queued = &steps.current().queued;
        u32* number = &steps.current().listed;
        for (u64 i = warp_in_grid(); i < size; i += warps_in_grid()) {
            const index_t v = list[i];
            if (waves.push(v) && lane() == 0) stuck[atomicAdd(number, 1u)] = v;
        }
        const Found found = steps.end();
        steps.begin();
        waves.next += found.queued;
        waves.queued = &steps.current().queued;
        for (u64 i = warp_in_grid(); i < found.listed; i += warps_in_grid()) waves.raise(stuck[i]);
        size = found.queued + steps.end().queued;
        index_t* before = list;
        list = next;
        next = before;
    }
    if (thread_in_grid() == 0) control->progress = {wave, 0, began, size == 0};
}
