#pragma once
// Vertex programs in which all vertices stay active until nothing changes, such as PageRank. All iterations run in one
// cooperative launch, with one grid sync each. What a vertex sends next is worked out as soon as it has applied.
#include "clock.cuh"
#include "program_pull.cuh"

struct Control {
    u32 barrier[GRID_BARRIER_WORDS];
    u64 changed[3];  // by iteration modulo 3: one is counted, one was read, one is cleared
    u64 iterations;
    u64 converged;
};

struct Steady {
    State state;
    message_t* later;
    u32 changed;

    __device__ __forceinline__ void operator()(bool leads, index_t v, Vertex& vertex, bool open, const Sum& sum) {
        if (!leads) return;
        if (open && (EVERYONE || sum.received)) changed += apply(state, (u64)v, sum.total, vertex);
        later[v] = send(vertex);
    }
};

// Up to `most` iterations more. After an even number of them the messages are in the first half of `messages`.
extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT)
program_steady(u64 n, const offset_t* in_offsets, const ids_t* in_neighbours, const stored_t* in_weights,
               const index_t* order, const u64* classes, message_t* messages, message_t identity, u64 most, int fresh,
               Round* trace, u64 traced, Control* control
#define FIELD(type, name) , type* name
               FIELDS
#undef FIELD
) {
    __shared__ Sum room[THREADS / WARP];
    __shared__ u32 counts[THREADS / WARP];
    __shared__ u64 seen;
    const State state{FIELD_NAMES};
    const Edges into{in_offsets, in_neighbours, in_weights};
    u64 iteration = control->iterations;
    if (fresh) {
        for (u64 v = thread_in_grid(); v < n; v += threads_in_grid()) messages[v] = send(load(state, v));
    }
    grid_sync(control->barrier);
    bool converged = false;
    for (u64 k = 0; k < most && !converged; k++) {
        const u64 turn = iteration % 3;
        if (thread_in_grid() == 0) control->changed[(iteration + 1) % 3] = 0;
        if (is_last_in_grid() && iteration < traced) trace[iteration].begun = nanoseconds();
        const Pull from{state, into, messages + (iteration & 1 ? n : 0), nullptr, identity};
        Steady finish{state, messages + (iteration & 1 ? 0 : n), 0};
        pull_all(from, order, classes, room, finish);
        const u32 mine = sum_of_lanes(finish.changed);
        if (lane() == 0) counts[warp_in_block()] = mine;
        __syncthreads();
        if (threadIdx.x == 0) {
            u64 changed = 0;
            for (u32 i = 0; i < blockDim.x / WARP; i++) changed += counts[i];
            if (changed) atomicAdd(&control->changed[turn], changed);
        }
        grid_sync_then(control->barrier, [&] { seen = *(volatile u64*)&control->changed[turn]; });
        if (thread_in_grid() == 0 && iteration < traced) trace[iteration].change = (double)seen;
        converged = seen == 0;
        iteration++;
    }
    if (is_last_in_grid() && iteration < traced) trace[iteration].begun = nanoseconds();
    if (thread_in_grid() == 0) {
        control->iterations = iteration;
        control->converged = converged;
    }
}
