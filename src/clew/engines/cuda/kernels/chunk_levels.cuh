#pragma once
#include "chunk_relax.cuh"
// Many steps of small frontiers in one cooperative launch: too few edges for a copy to pay, so they are read where they
// are. Ends when a frontier has more than `most` edges, which then are marked for the host to go on with, or when
// nothing is left.

struct Walk : Offer {
    const offset_t* offsets;
    u32* marks;
    u64* spilled;
    Finds finds;
    key_t threshold;
    u32 step;
    u64 most;

    __device__ __forceinline__ void visit(bool valid, index_t source, value_t value, const Edge& edge, key_t seen) {
        const key_t key = valid ? key_of(extended(value, edge.weight)) : state.unreached;
        const bool lower = lowers(valid, source, key, edge, seen);
        bool found = false;
        offset_t first = 0, end = 0;
        if (lower && key >= threshold) set_bit(state.bits, edge.target);
        if (lower && key < threshold && atomicExch(&marks[edge.target], step) != step) {
            first = offsets[edge.target], end = offsets[edge.target + 1];
            found = first < end;
            if ((u64)(end - first) > most) {  // more than any frontier here may have
                set_bit(state.bits, edge.target);
                *spilled = 1;
                found = false;
            } else if (has_bit(state.bits, edge.target)) {
                clear_bit(state.bits, edge.target);  // it waits no longer
            }
        }
        finds.add(found, edge.target, first, end);
    }
};

// The queues have room for `most` rows, or for all if there are fewer; the trace has (bucket, rows, edges, edges read
// over the link) for every step.
extern "C" __global__ void __launch_bounds__(256)
    chunk_levels(u64 n, const offset_t* offsets, const index_t* low_neighbours, const index_t* high_neighbours,
                 const weight_t* low_weights, const weight_t* high_weights, u64 split, key_t* keys, u64* links,
                 parent_t* parents, int smallest, u32* bits, u32* marks, value_t unreached, int waits, double delta,
                 void* memory, void* queue0, void* queue1, u64 listed, u64 listed_edges, u64 most, u64 most_steps,
                 u64* sums, long long* trace, u64 traced, u64* counters, u64* told, u32* barrier) {
    __shared__ Stage stages[256 / WARP];
    Row* rows = reinterpret_cast<Row*>(memory);
    Told* known = reinterpret_cast<Told*>(told);
    const State state{keys, links, parents, smallest != 0, bits, key_of(unreached)};
    const Edges edges{low_neighbours, high_neighbours, low_weights, high_weights, (offset_t)split};
    const Waiting waiting{n, offsets, bits, waits ? keys : nullptr, state.unreached, delta};
    key_t threshold = (key_t)known->threshold;
    // Of three sets of counters (sizes, whether a row was too long) one is read, one filled, one cleared.
    u64 *sizes = counters, *spills = counters + 3, *longest = counters + 6;
    u32 step = (u32)known->step;
    const u32 limit = step + (u32)most_steps;
    u64 count = listed, length = listed_edges;
    bool from_list = listed > 0, done = false;
    while (true) {
        const u64 size = sizes[step % 3];
        const Row* queue = reinterpret_cast<const Row*>(step & 1 ? queue1 : queue0);
        if (!from_list) count = count_in(size), length = edges_in(size);
        const bool enough = step >= limit || length > most || spills[step % 3] != 0;
        if (!enough && count == 0) {
            select_rows(waiting, rows, sums, known, barrier, count, length, threshold);
            from_list = true;
            if (count == 0) {
                done = true;
                break;
            }
            if (length > most) break;  // the list is there for the host
        } else if (enough) {
            if (!from_list) {
                for (u64 i = thread_in_grid(); i < count; i += threads_in_grid()) set_bit(bits, queue[i].vertex);
                count = 0;
            }
            break;
        }
        if (thread_in_grid() == 0) {
            sizes[(step + 2) % 3] = spills[(step + 2) % 3] = 0;
            if (step < traced) {
                trace[4 * step] = (long long)known->buckets;
                trace[4 * step + 1] = (long long)count;
                trace[4 * step + 2] = (long long)length;
            }
        }
        const Row* frontier = from_list ? rows : queue;
        u64 away = 0;
        for (u64 i = thread_in_grid(); i < count; i += threads_in_grid()) {
            const u64 first = (u64)frontier[i].first, end = (u64)frontier[i].end;
            if (first < split) away += (end < split ? end : split) - first;
        }
        away = warp_sum(away);
        if (lane() == 0 && away > 0 && step < traced) {
            atomicAdd(reinterpret_cast<u64*>(&trace[4 * step + 3]), away);
        }
        Walk walk;
        walk.edges = edges, walk.state = state, walk.offsets = offsets, walk.marks = marks;
        walk.spilled = &spills[(step + 1) % 3], walk.threshold = threshold, walk.step = step + 1, walk.most = most;
        walk.finds = Finds{&stages[warp_in_block()],
                           Queue{reinterpret_cast<Row*>(step & 1 ? queue0 : queue1), nullptr, &sizes[(step + 1) % 3],
                                 nullptr, longest},
                           0};
        expand_merge_path(Rows{frontier, (count_t)count, (count_t)length}, whole_grid(), walk);
        walk.finds.finish();
        from_list = false;
        ++step;
        grid_sync(barrier);
    }
    grid_sync(barrier);
    if (thread_in_grid() == 0) {
        sizes[step % 3] = sizes[(step + 1) % 3] = sizes[(step + 2) % 3] = 0;
        spills[step % 3] = spills[(step + 1) % 3] = spills[(step + 2) % 3] = 0;
        known->step = step, known->done = done, known->count = count, known->edges = length;
        known->threshold = threshold;
    }
}
