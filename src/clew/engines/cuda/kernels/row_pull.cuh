#pragma once
// One step of a vertex program without send and apply, which run on the CPU. Messages are processed and reduced at the
// vertices; a bit marks the vertices reached. Rows before a given one are skipped: the CPU processes them.
#define PRODUCT_ONLY 1
#include "program_pull.cuh"

struct Arrived {
    message_t* sums;
    u32* reached;

    __device__ __forceinline__ void operator()(bool leads, index_t v, const Vertex&, bool open, const Sum& sum) {
        if (!leads || !open || !sum.received) return;
        sums[v] = sum.total;
        atomicOr(reached + v / WARP, 1u << (u32)(v % WARP));
    }
};

// For rows begins[k] to ends[k] - 1 of `order`, for each class k of lengths. `active` is a bit per vertex, or null
// where all have a message.
extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT)
product_pull(const offset_t* in_offsets, const ids_t* in_neighbours, const stored_t* in_weights, const index_t* order,
             const u64* begins, const u64* ends, const message_t* messages, const u32* active, message_t identity,
             message_t* sums, u32* reached
#define FIELD(type, name) , type* name
             FIELDS
#undef FIELD
) {
    __shared__ Sum room[THREADS / WARP];
    const State state{FIELD_NAMES};
    const Edges into{in_offsets, in_neighbours, in_weights};
    const Pull from{state, into, messages, active, identity};
    Arrived finish{sums, reached};
    pull_long(from, order, begins[0], ends[0], room, finish);
#pragma unroll 1
    for (u32 k = 1; k < ROW_CLASSES; k++)
        pull_class(from, order, begins[k], ends[k], k == 1 ? WARP : k == 2 ? 4 : 1, finish);
}
