#pragma once
// Shared code of all colourings: vertices join a queue once they can be coloured. Those that join in one step are the
// wave of the next. Rows are taken by their size, the long ones in a step of their own.
#include "common.cuh"
#include "rows_by_size.cuh"
#include "steps.cuh"

// What a step counts: vertices that joined the queue, and long rows that were listed.
struct Coloring {
    u32 queued, listed;
};

// The end of the queue.
struct Joining {
    index_t* room;  // where the first of this step goes
    u32* queued;

    // Begin a step, in which vertices join from `end` on. To be called by all.
    __device__ __forceinline__ void begin(Steps<Coloring>& steps, index_t* end) {
        steps.begin();
        room = end;
        queued = &steps.current().queued;
    }
    __device__ __forceinline__ void add(index_t v) const { room[atomicAdd(queued, 1u)] = v; }
};

// Two steps in which count(v, team) processes every vertex, and those that can be coloured at once join the queue;
// returns their number.
template <class Count>
__device__ __forceinline__ u32 first_wave(u64 n, const Rows& rows, index_t* queue, index_t* list, Steps<Coloring>& steps,
                                          Joining& joining, Count count) {
    joining.begin(steps, queue);
    by_size(n, rows, [](u64 i) { return (index_t)i; }, list, &steps.current().listed, count);
    const Coloring found = steps.end();
    joining.begin(steps, queue + found.queued);
    long_rows(list, 0, found.listed, count);
    return found.queued + steps.end().queued;
}
