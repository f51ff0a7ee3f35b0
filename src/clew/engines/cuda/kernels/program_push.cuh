#pragma once
// Push: the messages of the active vertices follow their edges, which are distributed as BALANCE says. They are folded
// into the sums of the vertices they reach, atomically. Those vertices are listed, each by the first that reaches it,
// and apply when all messages have arrived. With FIRST there is nothing to fold: who reaches a vertex first applies at
// once.
//
// stamps[v] is the last step in which v was reached. In that step, other threads may read its state half changed. They
// see the stamp and ignore the vertex.
#include "balance.cuh"
#include "program_active.cuh"
#if !FIRST
#include "atomics.cuh"
#endif

struct Push {
    State state;
    Edges along;
    const message_t* messages;
    message_t* sums;
    u32* stamps;
    index_t* reached;
    u64* num_reached;
    u32 step;
    const Admission& to;
    Found found;
#if PACKED
    Neighbours entries{along.neighbours, along.offsets};

    __device__ __forceinline__ Neighbours& neighbours() { return entries; }
    __device__ __forceinline__ weight_t weigh(bool valid, offset_t position) const {
        return valid ? along.weight(position) : (weight_t)1;
    }
#endif

    struct Edge {
        index_t target;
        weight_t weight;
    };

    __device__ __forceinline__ message_t value_at(bool valid, index_t vertex) {
        return valid ? messages[vertex] : (message_t)0;
    }
    __device__ __forceinline__ Edge fetch(bool valid, index_t vertex, offset_t position) {
#if PACKED
        const index_t target = entries.at(valid, vertex, position);
        return Edge{target, weigh(valid, position)};
#else
        (void)vertex;
        if (!valid) return Edge{0, (weight_t)1};
        return Edge{along.neighbours[position], along.weight(position)};
#endif
    }
    __device__ __forceinline__ Vertex look(bool, const Edge& edge) { return load(state, (u64)edge.target); }

    __device__ __forceinline__ bool is_first(index_t v) {
        return stamps[v] != step && atomicExch(stamps + v, step) != step;
    }

    __device__ __forceinline__ void visit(bool valid, index_t, message_t message, const Edge& edge,
                                          const Vertex& seen) {
        const index_t v = edge.target;
        message_t value;
        bool counts = valid && accepts(seen) && process(message, edge.weight, seen, value);
#if FIRST
        Vertex vertex = seen;
        counts = counts && is_first(v) && apply(state, (u64)v, value, vertex);
        found.add(counts, v, to);
#else
        if (counts) {
            combine_at(sums + v, value);
            counts = is_first(v);
        }
        if (__any_sync(ALL_LANES, counts)) {
            const u64 place = take_room(num_reached, counts);
            if (counts) reached[place] = v;
        }
#endif
    }
};

#if !FIRST
// The vertices reached apply, and leave the identity where their sums were.
__device__ __forceinline__ void apply_sums(Push& push, u64 count, message_t identity, const Team& team) {
    for (u64 base = (u64)team.warp * WARP; base < count; base += (u64)team.warps * WARP) {
        const bool mine = base + lane() < count;
        const index_t v = mine ? push.reached[base + lane()] : (index_t)0;
        Vertex vertex = load(push.state, (u64)v);
        bool active = false;
        if (mine) {
            const message_t total = push.sums[v];
            push.sums[v] = identity;
            active = apply(push.state, (u64)v, total, vertex);
        }
        push.found.add(active, v, push.to);
    }
}
#endif
