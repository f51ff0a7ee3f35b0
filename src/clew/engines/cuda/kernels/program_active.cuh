#pragma once
// The active vertices of a program: the queue of the next senders (see frontier.cuh). With ORDERED, a pile has the
// vertices that wait for lower priorities.
//
// A vertex waits under its key, the number of the interval that its priority is in, in an order-keeping unsigned form.
// It is in the pile once at most. An entry whose vertex became due meanwhile is stale, and is dropped in the next pass
// over the pile.
#include "frontier.cuh"
#include "program_vertex.cuh"

#define OUT (~0ull)        // in place of a key: not in the pile
#define STALE (~0ull - 1)  // in the pile, but not waiting
#define NO_KEY (~0ull - 2)

#if ORDERED
// Intervals beyond the largest number are clamped.
__device__ __forceinline__ u64 key_of(const Vertex& vertex, double scale) {
    const double interval = clew_priority(FIELD_VALUES) * scale, furthest = 4611686018427387904.0;
    const double cut = interval < -furthest ? -furthest : interval < furthest ? interval : furthest;
    long long whole = (long long)cut;
    if ((double)whole > cut) whole--;
    return (u64)whole ^ (1ull << 63);
}
#endif

// Where vertices go that have become active; one for each step.
struct Admission {
    State state;
    const offset_t* offsets;  // along the messages' way
    message_t* messages;      // of those that send next
    Queue queue;
    u64* keys;
    index_t* pile;
    u64* pile_size;
    u64 present;  // keys up to this one are due
    double scale;
};

// Up to 32 vertices that have become active, one for each of the first lanes. All lanes take part. A function of its
// own, because it is called from many places, and seldom.
__device__ __noinline__ void admit(const Admission& to, const index_t* vertices, u32 count) {
    bool due = lane() < count;
    const index_t v = due ? vertices[lane()] : (index_t)0;
    const Vertex vertex = load(to.state, (u64)v);
#if ORDERED
    bool waits = false;
    if (due) {
        const u64 key = key_of(vertex, to.scale), before = to.keys[v];
        due = key <= to.present;
        to.keys[v] = !due ? key : before == OUT ? OUT : STALE;
        waits = !due && before == OUT;
    }
    if (__any_sync(ALL_LANES, waits)) {
        const u64 place = take_room(to.pile_size, waits);
        if (waits) to.pile[place] = v;
    }
#endif
    offset_t first = 0, end = 0;
    if (due) {
        first = to.offsets[v];
        end = to.offsets[v + 1];
        to.messages[v] = send(vertex);
    }
    Queue queue = to.queue;
    queue.put(due, v, first, end);
}

// A warp's active vertices, kept in shared memory until there are enough of them.
struct Found {
    index_t* stage;  // room for STAGED
    u32 kept;

    // The vertices of all lanes that have one; all lanes take part. Their states are written already.
    __device__ __forceinline__ void add(bool active, index_t v, const Admission& to) {
        const u32 takers = __ballot_sync(ALL_LANES, active);
        if (takers == 0) return;
        if (active) stage[kept + __popc(takers & lanes_below())] = v;
        kept += __popc(takers);
        __syncwarp(ALL_LANES);
        if (kept >= WARP) pass_on(WARP, to);
    }
    __device__ __forceinline__ void pass_on(u32 count, const Admission& to) {
        kept -= count;
        admit(to, stage + kept, count);
        __syncwarp(ALL_LANES);
    }
    __device__ __forceinline__ void finish(const Admission& to) {
        if (kept > 0) pass_on(kept, to);
    }
};

#if ORDERED
// The least key among those that wait, of this thread's share of the pile.
__device__ __forceinline__ u64 least_key(const u64* keys, const index_t* pile, u64 size, const Team& team) {
    u64 least = ~0ull;
    for (u64 i = (u64)team.warp * WARP + lane(); i < size; i += (u64)team.warps * WARP) {
        const u64 key = keys[pile[i]];
        if (key <= NO_KEY && key < least) least = key;
    }
    return least;
}

// Those in the pile that are due become active, stale entries go, the rest wait in the next pile.
__device__ __forceinline__ void split(const index_t* pile, u64 size, const Admission& to, Found& found,
                                      const Team& team) {
    for (u64 base = (u64)team.warp * WARP; base < size; base += (u64)team.warps * WARP) {
        const u64 i = base + lane();
        const index_t v = i < size ? pile[i] : (index_t)0;
        const u64 key = i < size ? to.keys[v] : OUT;
        const bool due = key <= to.present, waits = !due && key <= NO_KEY;
        if (due || key == STALE) to.keys[v] = OUT;
        if (__any_sync(ALL_LANES, waits)) {
            const u64 place = take_room(to.pile_size, waits);
            if (waits) to.pile[place] = v;
        }
        found.add(due, v, to);
    }
}
#endif
