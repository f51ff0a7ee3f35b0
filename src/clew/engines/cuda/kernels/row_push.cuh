#pragma once
// As row_pull.cuh, but along the edges of listed vertices, for reductions whose order does not matter.
#define PRODUCT_ONLY 1
#include "program_vertex.cuh"
#include "atomics.cuh"
#include "owner.cuh"

#define SPAN (WARP * EACH)

// Along the edges of the listed vertices, shared out evenly; `ends` are running sums of their degrees. Sums are the
// identity before.
extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT)
product_push(const offset_t* offsets, const ids_t* neighbours, const stored_t* weights, const index_t* listed,
             const long long* ends, u64 num_listed, u64 num_edges, const message_t* messages, message_t* sums,
             u32* reached
#define FIELD(type, name) , type* name
             FIELDS
#undef FIELD
) {
    const State state{FIELD_NAMES};
    const Edges along{offsets, neighbours, weights};
    for (u64 first = warp_in_grid() * SPAN; first < num_edges; first += warps_in_grid() * SPAN) {
        const u64 last = first + SPAN < num_edges ? first + SPAN : num_edges;
        const u64 low = owner_of(ends, 0, num_listed, first);
        const u64 high = owner_of(ends, low, num_listed, last - 1) + 1;
        for (u64 position = first + lane(); position < last; position += WARP) {
            const u64 owner = owner_of(ends, low, high, position);
            const u64 before = owner == 0 ? 0 : (u64)ends[owner - 1];
            const index_t u = listed[owner];
            const offset_t edge = (offset_t)(offsets[u] + (offset_t)(position - before));
            const index_t v = neighbours[edge];
            const Vertex vertex = load(state, (u64)v);
            message_t value;
            if (!accepts(vertex) || !process(messages[u], along.weight(edge), vertex, value)) continue;
            combine_at(sums + v, value);
            const u32 bit = 1u << (u32)(v % WARP);
            u32* const word = reached + v / WARP;
            if (!(*static_cast<volatile u32*>(word) & bit)) atomicOr(word, bit);
        }
    }
}
