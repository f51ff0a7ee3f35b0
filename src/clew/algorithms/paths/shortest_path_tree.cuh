#pragma once
#include "balance_merge_path.cuh"
#include "path_words.cuh"
// Parents made of values: an edge is tight if it gives its end the value that it has.
//
// Deterministic parents are found breadth first from the source, level by level: the parent is the smallest vertex of
// the previous level. If any parent will do and no weight is negative, every tight edge from a smaller value is valid.
// One pass over all edges, in any order, is enough. Vertices whose tight edges all join equal values (weights of 0, or
// too small to change a sum) must not become each other's parents. They are reached breadth first.

typedef Unsigned<sizeof(index_t)>::type parent_t;  // parents as unsigned numbers: none is the largest
#define NO_PARENT ((parent_t)~(parent_t)0)
#define NO_LEVEL 0xffffffffu

// All rows of a graph, for strategies that go by ranks.
struct AllRows {
    const offset_t* offsets;
    count_t count, edges;
    __device__ __forceinline__ Row row(count_t v) const {
        return Row{(index_t)v, offsets[v], offsets[v + 1], offsets[v]};
    }
};

struct FollowEdges {
    Graph graph;
    const word_t* words;
    key_t unreached;

    __device__ __forceinline__ Edge fetch(bool valid, index_t vertex, offset_t position) {
        return graph.edge(valid, vertex, position);
    }
    __device__ __forceinline__ Neighbours& neighbours() { return graph.neighbours; }
    __device__ __forceinline__ value_t weigh(bool valid, offset_t position) { return graph.weigh(valid, position); }
    __device__ __forceinline__ key_t look(bool valid, const Edge& edge) {
        return valid ? key_in(words[edge.target]) : unreached;
    }
    __device__ __forceinline__ key_t key_at(bool valid, index_t vertex) {
        return valid ? key_in(words[vertex]) : unreached;
    }
    __device__ __forceinline__ key_t offer(key_t key, const Edge& edge) {
        return key_of(extended(value_in(key), edge.weight));
    }
};

struct Rising : FollowEdges {
    index_t source;
    parent_t* parents;

    __device__ __forceinline__ key_t value_at(bool valid, index_t vertex) { return key_at(valid, vertex); }
    __device__ __forceinline__ void visit(bool valid, index_t from, key_t key, const Edge& edge, key_t there) {
        if (valid && key < there && there < unreached && offer(key, edge) == there && edge.target != source)
            atomicMin(&parents[edge.target], (parent_t)from);
    }
};

// Parents over edges from smaller values; any grid. They hold NO_PARENT before.
extern "C" __global__ void rising_parents(const offset_t* offsets, const ids_t* neighbours, const weight_t* weights,
                                        u64 n, u64 arcs, const word_t* words, value_t unreached, index_t source,
                                        parent_t* parents) {
    Rising rising{{{offsets, neighbours, weights}, words, key_of(unreached)}, source, parents};
    expand_merge_path(AllRows{offsets, (count_t)n, (count_t)arcs}, whole_grid(), rising);
}

struct Tight : FollowEdges {
    u32* counts;

    __device__ __forceinline__ key_t value_at(bool valid, index_t vertex) { return key_at(valid, vertex); }
    __device__ __forceinline__ void visit(bool valid, index_t, key_t key, const Edge& edge, key_t there) {
        if (valid && key < there && there < unreached && offer(key, edge) == there)
            atomicAdd(&counts[edge.target], 1u);
    }
};

// How many tight edges from smaller values lead to each vertex; any grid. The counts are 0 before.
extern "C" __global__ void count_tight_edges(const offset_t* offsets, const ids_t* neighbours,
                                             const weight_t* weights, u64 n, u64 arcs, const word_t* words,
                                             value_t unreached, u32* counts) {
    Tight tight{{{offsets, neighbours, weights}, words, key_of(unreached)}, counts};
    expand_merge_path(AllRows{offsets, (count_t)n, (count_t)arcs}, whole_grid(), tight);
}

struct Level : FollowEdges {
    parent_t* parents;
    u32* levels;
    u32 level;
    Finds finds;

    // Only vertices of earlier levels offer anything.
    __device__ __forceinline__ key_t value_at(bool valid, index_t vertex) {
        return valid && levels[vertex] < level ? key_at(true, vertex) : unreached;
    }
    __device__ __forceinline__ void visit(bool valid, index_t from, key_t key, const Edge& edge, key_t there) {
        bool found = false;
        offset_t first = 0, end = 0;
        const bool on_best_path = valid && key < unreached && there < unreached && offer(key, edge) == there;
        if (on_best_path && levels[edge.target] >= level) {
            first = graph.offsets[edge.target];
            end = graph.offsets[edge.target + 1];
            const u32 before = atomicCAS(&levels[edge.target], NO_LEVEL, level);
            if (before >= level) atomicMin(&parents[edge.target], (parent_t)from);
            found = before == NO_LEVEL && first < end;
        }
        finds.add(found, edge.target, first, end);
    }
};

// Parents breadth first over tight edges, from the source and all vertices with a parent. A cooperative launch
// continues where the last one ended: `state` is the level (0 at first), the sizes of three frontiers, and one unused
// number.
extern "C" __global__ void __launch_bounds__(256)
    parents_by_level(const offset_t* offsets, const ids_t* neighbours, const weight_t* weights, u64 n, u64 arcs,
                 const word_t* words, value_t unreached, index_t source, parent_t* parents, u32* levels, void* rows0,
                 void* rows1, u64 most_levels, u64* state, u32* barrier) {
    __shared__ Stage stages[256 / WARP];
    u32 level = (u32)state[0];
    const u64 limit = level + most_levels;
    if (level == 0) {
        for (u64 v = thread_in_grid(); v < n; v += threads_in_grid()) {
            if (v == (u64)source) parents[v] = (parent_t)source;
            levels[v] = v == (u64)source || parents[v] != NO_PARENT ? 0 : NO_LEVEL;
        }
        grid_sync(barrier);
        level = 1;
    }
    u64* sizes = state + 1;
    const key_t none = key_of(unreached);
    for (; level < limit; ++level) {
        // The first frontier is all vertices; those without a value or a parent offer nothing.
        const u64 size = sizes[level % 3];
        if (level > 1 && count_in(size) == 0) break;
        if (thread_in_grid() == 0) sizes[(level + 2) % 3] = 0;
        const bool odd = level & 1;
        const Queue queue{reinterpret_cast<Row*>(odd ? rows0 : rows1), nullptr, &sizes[(level + 1) % 3], nullptr,
                          state + 4};
        Level visitor{{{offsets, neighbours, weights}, words, none}, parents, levels, level,
                      Finds{&stages[warp_in_block()], queue, 0}};
        if (level == 1) {
            expand_merge_path(AllRows{offsets, (count_t)n, (count_t)arcs}, whole_grid(), visitor);
        } else {
            expand_merge_path(rows_of(reinterpret_cast<const Row*>(odd ? rows1 : rows0), size), whole_grid(), visitor);
        }
        visitor.finds.finish();
        grid_sync(barrier);
    }
    if (thread_in_grid() == 0) state[0] = level;
}

// ---- Negative cycles ----
// While values still fall, the edge that offers a vertex least is its parent if that is no more than what it has. A
// cycle of such parents has a sum of 0 or less.
struct Offers : FollowEdges {
    key_t* best;
    __device__ __forceinline__ key_t value_at(bool valid, index_t vertex) { return key_at(valid, vertex); }
    __device__ __forceinline__ void visit(bool valid, index_t, key_t key, const Edge& edge, key_t there) {
        if (!valid || key == unreached) return;
        const key_t offered = offer(key, edge);
        if (offered <= there && offered < best[edge.target]) atomicMin(&best[edge.target], offered);
    }
};
struct Takers : FollowEdges {
    const key_t* best;
    index_t source;
    parent_t* parents;
    __device__ __forceinline__ key_t value_at(bool valid, index_t vertex) { return key_at(valid, vertex); }
    __device__ __forceinline__ void visit(bool valid, index_t from, key_t key, const Edge& edge, key_t there) {
        if (!valid || key == unreached || there == unreached) return;
        const key_t offered = offer(key, edge);
        if (offered == best[edge.target] && (offered < there || (offered == there && edge.target != source)))
            atomicMin(&parents[edge.target], (parent_t)from);
    }
};

// Two launches, of any grid. `best` holds the key of an unreached vertex before the first, `parents` NO_PARENT before
// the second.
extern "C" __global__ void least_offers(const offset_t* offsets, const ids_t* neighbours, const weight_t* weights,
                                        u64 n, u64 arcs, const word_t* words, value_t unreached, key_t* best) {
    Offers offers{{{offsets, neighbours, weights}, words, key_of(unreached)}, best};
    expand_merge_path(AllRows{offsets, (count_t)n, (count_t)arcs}, whole_grid(), offers);
}
extern "C" __global__ void least_parents(const offset_t* offsets, const ids_t* neighbours, const weight_t* weights,
                                         u64 n, u64 arcs, const word_t* words, value_t unreached, const key_t* best,
                                         index_t source, parent_t* parents) {
    Takers takers{{{offsets, neighbours, weights}, words, key_of(unreached)}, best, source, parents};
    expand_merge_path(AllRows{offsets, (count_t)n, (count_t)arcs}, whole_grid(), takers);
}
