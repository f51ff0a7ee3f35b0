#pragma once
#include "balance.cuh"
#include "balance_lines.cuh"
#include "clock.cuh"
#include "ordered.cuh"
#include "path_words.cuh"
// Paths of the smallest value from one vertex: a whole search in one cooperative launch.
//
// Vertices whose value fell below the threshold are near and make the next frontier; the others wait in the far pile.
// When nothing is near, the threshold moves on by delta and the pile is split. Nearer vertices first, so few edges are
// followed twice; yet everything near at once, so there is enough to do.
//
// Steps are short, so the kernel avoids what makes them long:
// - A step is a chain of few accesses: size of the queue, row, edge, value of its end, room in the queue, row written.
//   Small frontiers skip the check before the atomic (EAGER).
// - Block 0 alone processes a frontier of a few hundred edges: its barrier is 30 times faster than the grid's, and its
//   counters are in shared memory. The other blocks wait until the frontier has grown.
// - Counters rotate by threes: one is read, one is filled, one is cleared, with one barrier a step.
//
// Buckets must be narrow while vertices of high degree are settled, because edges followed too early are followed
// twice. After `tail_from` edges the rest have few, and every split doubles the width of the buckets.
//
// The far pile gets (vertex, key) whenever a value decreases but stays above the threshold. An entry is valid only
// while the key is still the vertex's, so exactly one entry of a vertex is. When the pile is full, the next split scans
// all vertices instead. On graphs where that happens, the scan is cheaper anyway.

// Instead of the longest row's length: a value fell below the floor, which only a negative cycle can cause, or a sum
// overflowed.
#define DIVERGED (1ull << 63)
#define MOST_GROWTH 12  // doublings of a bucket

struct Counters {
    u64 size[3], full[3], longest[3];  // of the frontiers
    u64 far[3], least[3];              // of the far pile: entries, and the least key that the last split left there
};
struct Search {
    Counters counters;
    u64 step, splits, barren, threshold, relaxed, growth, reached;  // relaxed: edges followed
    u32 barrier[GRID_BARRIER_WORDS];
};

struct Pile {
    index_t* vertices;
    key_t* keys;
    u64* size;
    u64 capacity;

    __device__ __forceinline__ bool put(bool needed, index_t vertex, key_t key) {
        const u64 place = take_room(size, needed);
        if (needed && place < capacity) {
            vertices[place] = vertex;
            keys[place] = key;
        }
        return !needed || place < capacity;
    }
};

// Follows edges: the visitor of a step.
struct Relax {
    Graph graph;
    Paths paths;
    Pile pile;
    Finds finds;
    key_t threshold, floor;
    u32 step;
    bool eager, pile_open;

    __device__ __forceinline__ value_t value_at(bool valid, index_t vertex) {
        return valid ? value_in(key_in(paths.words[vertex])) : (value_t)0;
    }
    __device__ __forceinline__ Edge fetch(bool valid, index_t vertex, offset_t position) {
        return graph.edge(valid, vertex, position);
    }
    __device__ __forceinline__ Neighbours& neighbours() { return graph.neighbours; }
    __device__ __forceinline__ value_t weigh(bool valid, offset_t position) { return graph.weigh(valid, position); }
    __device__ __forceinline__ key_t look(bool valid, const Edge& edge) {
        return valid && !eager ? key_in(paths.words[edge.target]) : paths.unreached;
    }
    __device__ __forceinline__ void visit(bool valid, index_t source, value_t value, const Edge& edge, key_t seen) {
        const value_t further = extended(value, edge.weight);
        const key_t key = valid ? key_of(further) : paths.unreached;
        const bool near = key < threshold, too_far = valid && runs_over(value, further);
        bool better = valid && key < seen, found = false;
        offset_t first = 0, end = 0;
        if ((better && key < floor) || too_far) {
            atomicMax(finds.queue.longest, DIVERGED);
            better = false;
        }
        if (better) {
            first = graph.offsets[edge.target];
            end = graph.offsets[edge.target + 1];
            const word_t before = atomicMin(&paths.words[edge.target], word_of(key, step));
            better = key < key_in(before);
#if WORDS
            found = better && near && !(key_in(before) < threshold && (u32)before == step);
#else
            found = better && near && atomicExch(&paths.marks[edge.target], step) != step;
#endif
#if LINKS
            if (better) atomicMin(&paths.links[edge.target], (u64)key << 32 | (u32)source);
#endif
        }
        (void)source;
        const bool leads_on = first < end;
        finds.add(found && leads_on, edge.target, first, end);
        const bool later = better && !near && leads_on && pile_open;
        if (__any_sync(ALL_LANES, later)) pile.put(later, edge.target, key);
    }
};

// Move vertices below `threshold` from the pile to the next frontier, and the others to the next pile. If the pile
// overflowed, all vertices above `last` are scanned. Returns the least key that stays, for this lane.
__device__ __forceinline__ u64 split(const Graph& graph, const Paths& paths, const Pile& pile, u64 size, u64 n,
                                     key_t last, key_t threshold, Pile& next, Finds& finds, const Team& team) {
    const bool all = size > pile.capacity;
    const count_t total = (count_t)(all ? n : size);
    u64 least = ~0ull;
    bool open = true;
    for (count_t base = team.warp * WARP; base < total; base += team.warps * WARP) {
        const count_t i = base + lane();
        bool valid = i < total;
        const index_t vertex = !valid ? 0 : all ? (index_t)i : pile.vertices[i];
        key_t key = valid ? key_in(paths.words[vertex]) : paths.unreached;
        valid = valid && (all ? key >= last && key < paths.unreached : key == pile.keys[i]);
        const offset_t first = valid ? graph.offsets[vertex] : 0, end = valid ? graph.offsets[vertex + 1] : 0;
        valid = valid && first < end;
        const bool near = valid && key < threshold, later = valid && !near;
        if (later && key < least) least = key;
        finds.add(near, vertex, first, end);
        if (__any_sync(ALL_LANES, later) && open) open = __all_sync(ALL_LANES, next.put(later, vertex, key));
    }
    return least;
}

// Set everything up for a search; any grid.
extern "C" __global__ void near_far_begin(const offset_t* offsets, u64 n, index_t source, value_t first, value_t low,
                                          value_t unreached, double delta, word_t* words, u32* marks, u64* links,
                                          void* rows, void* full, void* memory) {
    const word_t nothing = word_of(key_of(unreached), 0xffffffffu);
    for (u64 v = thread_in_grid(); v < n; v += threads_in_grid()) {
        words[v] = v == (u64)source ? word_of(key_of(first), 0) : nothing;
#if !WORDS
        marks[v] = 0;
#endif
#if LINKS
        links[v] = v == (u64)source ? (u64)key_of(first) << 32 | (u32)source : ~0ull;
#endif
    }
    (void)marks, (void)links;
    if (blockIdx.x > 0 || threadIdx.x >= WARP) return;
    Search* search = reinterpret_cast<Search*>(memory);
    Counters& counters = search->counters;
    if (lane() < 3) {
        counters.size[lane()] = counters.full[lane()] = counters.longest[lane()] = counters.far[lane()] = 0;
        counters.least[lane()] = ~0ull;
    }
    for (u32 i = lane(); i < GRID_BARRIER_WORDS; i += WARP) search->barrier[i] = 0;
    if (lane() == 0) {
        search->step = 1;
        search->splits = search->barren = search->relaxed = search->growth = search->reached = 0;
        search->threshold = end_of_bucket(key_of(low), delta, key_of(unreached));
    }
    __syncwarp(ALL_LANES);
    __shared__ Stage stage;
    const Queue queue{reinterpret_cast<Row*>(rows), reinterpret_cast<Row*>(full), &counters.size[1], &counters.full[1],
                      &counters.longest[1]};
    Finds finds{&stage, queue, 0};
    const offset_t begin = offsets[source], end = offsets[source + 1];
    finds.add(lane() == 0 && begin < end, source, begin, end);
    finds.finish();
}

__device__ __forceinline__ void keep(Search* search, u32 step, u32 splits, bool barren, key_t threshold, u64 relaxed,
                                     u32 growth) {
    search->step = step, search->splits = splits, search->barren = barren, search->threshold = threshold;
    search->relaxed = relaxed, search->growth = growth;
    search->reached = 0;  // near_far_end may have counted already, and will again
}

// The thread that reads the clock.
__device__ __forceinline__ bool is_last(bool alone) {
    return alone ? threadIdx.x + 1 == blockDim.x : is_last_in_grid();
}

__device__ __forceinline__ void note_time(long long* trace, u64 traced, u32 turn) {
    if (turn < traced) trace[4 * (u64)turn + 3] = nanoseconds();
}

// Search on, until it is done, or step or relaxed reach their limits. Queues and piles alternate between two of each.
extern "C" __global__ void __launch_bounds__(THREADS)
    near_far(const offset_t* offsets, const ids_t* neighbours, const weight_t* weights, u64 n, value_t unreached,
             double delta, word_t* words, u32* marks, u64* links, void* rows0, void* rows1, void* full0, void* full1,
             index_t* pile_vertices, key_t* pile_keys, u64 pile_capacity, value_t floor, u64 alone_from,
             u64 alone_until, u64 eager_until, u64 tail_from, u64 step_limit, u64 relaxed_limit, u64 order_from,
             u32* bits, u64* totals, long long* trace, u64 traced, void* memory) {
    __shared__ Stage stages[THREADS / WARP];
    __shared__ Counters mine;
    Search* search = reinterpret_cast<Search*>(memory);
    const Graph graph{offsets, neighbours, weights};
    const Paths paths{words, marks, links, key_of(unreached)};
    Counters* counters = &search->counters;
    u32 step = (u32)search->step, splits = (u32)search->splits, growth = (u32)search->growth;
    u64 relaxed = search->relaxed;
    bool barren = search->barren != 0, alone = false;
    key_t threshold = (key_t)search->threshold;

    while (true) {
        // 1. The work of this step: the same for all blocks, because its counters do not change in this step.
        const u32 now = step % 3, later = (step + 1) % 3, spare = (step + 2) % 3;
        const u64 size = counters->size[now], full_size = CUT ? counters->full[now] : 0;
        const u64 longest = counters->longest[now];
        const u64 count = count_in(size) + count_in(full_size), edges = edges_in(size) + edges_in(full_size);
        // Other threads of this block may be adding to the pile already; it is read only if that makes a difference.
        const u64 far = alone && count > 0 ? 0 : counters->far[splits % 3];
        const bool over = count == 0 && far == 0;
        const bool stop = over || longest == DIVERGED || step >= step_limit || relaxed >= relaxed_limit;
        const bool few = (count == 0 ? far : count + edges) <= (alone ? alone_until : alone_from);

        // 2. The participants.
        if (alone && (stop || !few)) {
            __syncthreads();
            if (threadIdx.x == 0) {
                search->counters = mine;
                keep(search, step, splits, barren, threshold, relaxed, growth);
            }
            counters = &search->counters;
            alone = false;
            grid_sync(search->barrier);
            continue;
        }
        if (stop) break;
        if (!alone && few) {
            grid_sync(search->barrier);  // until all have read what block 0 is going to change
            if (blockIdx.x > 0) {
                grid_sync(search->barrier);
                step = (u32)search->step, splits = (u32)search->splits, relaxed = search->relaxed;
                barren = search->barren != 0, threshold = (key_t)search->threshold, growth = (u32)search->growth;
                continue;
            }
            if (threadIdx.x == 0) mine = search->counters;
            counters = &mine;
            alone = true;
            __syncthreads();
        }
        const Team team = alone ? this_block() : whole_grid();

        // 3. Clear the counters of the step after the next.
        const bool leader = threadIdx.x == 0 && (alone || blockIdx.x == 0);
        if (leader) {
            counters->size[spare] = counters->full[spare] = counters->longest[spare] = 0;
            if (count == 0) counters->far[(splits + 2) % 3] = 0, counters->least[(splits + 2) % 3] = ~0ull;
            const u32 turn = step - 1 - splits;
            if (count > 0 && turn < traced) {
                trace[4 * turn] = (long long)splits;
                trace[4 * turn + 1] = (long long)count;
                trace[4 * turn + 2] = (long long)edges;
            }
        }
        if (count > 0 && is_last(alone)) note_time(trace, traced, step - 1 - splits);
        const bool odd = step & 1;
        const Queue queue{reinterpret_cast<Row*>(odd ? rows0 : rows1), reinterpret_cast<Row*>(odd ? full0 : full1),
                          &counters->size[later], &counters->full[later], &counters->longest[later]};
        Finds finds{&stages[warp_in_block()], queue, 0};
        const u64 here = splits & 1, there = 1 - here;
        Pile pile{pile_vertices + here * pile_capacity, pile_keys + here * pile_capacity, &counters->far[splits % 3],
                  pile_capacity};

        // 4. Do it.
        if (count > 0) {
            Relax relax{graph, paths, pile, finds, threshold, key_of(floor), step, edges <= eager_until,
                        far <= pile_capacity};
            Row* const found = reinterpret_cast<Row*>(odd ? rows1 : rows0);
#if IN_ORDER
            if (!alone && count >= order_from) {
                const u64 in_order = put_in_order(offsets, n, found, count, bits, totals, search->barrier);
                expand_lines(rows_of(found, in_order), skew_of(neighbours), team, relax);
            } else
#endif
                expand(rows_of(reinterpret_cast<const Row*>(odd ? full1 : full0), full_size), rows_of(found, size),
                       longest, team, relax);
            (void)order_from, (void)bits, (void)totals;
            relax.finds.finish();
            relaxed += edges;
        } else {
            // Nothing was near after the last split: go straight to the nearest of what is left.
            const u32 next_splits = (splits + 1) % 3;
            const key_t begin = barren ? (key_t)counters->least[splits % 3] : threshold;
            if (relaxed >= tail_from && growth < MOST_GROWTH) ++growth;
            const key_t end = end_of_bucket(begin, delta * (double)(1u << growth), paths.unreached);
            Pile next{pile_vertices + there * pile_capacity, pile_keys + there * pile_capacity,
                      &counters->far[next_splits], pile_capacity};
            u64 least = split(graph, paths, pile, far, n, threshold, end, next, finds, team);
            finds.finish();
            least = ~warp_max(~least);
            if (lane() == 0 && least != ~0ull) atomicMin(&counters->least[next_splits], least);
            threshold = end;
            ++splits;
        }
        barren = count == 0;
        ++step;
        if (alone) {
            __syncthreads();
        } else {
            grid_sync(search->barrier);
        }
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) keep(search, step, splits, barren, threshold, relaxed, growth);
    if (is_last(false)) note_time(trace, traced, step - 1 - splits);
}

// Values in the type that users get, parents, and how many vertices have one; any grid. Without links (null), parents
// are there already.
extern "C" __global__ void near_far_end(const word_t* words, const u64* links, u64 n, value_t unreached,
                                        result_t nothing, result_t* values, index_t* parents, void* memory) {
    const key_t none = key_of(unreached);
    u64 reached = 0;
    for (u64 v = thread_in_grid(); v < n; v += threads_in_grid()) {
        const key_t key = key_in(words[v]);
        const bool there = key != none;
#if WIDEST
        values[v] = there ? (result_t)turned(value_in(key)) : nothing;
#else
        values[v] = there ? (result_t)value_in(key) : nothing;
#endif
#if LINKS
        if (links != nullptr) parents[v] = there ? (index_t)(u32)links[v] : (index_t)-1;
#endif
        reached += there;
    }
    (void)links, (void)parents;
    reached = warp_sum(reached);
    if (lane() == 0 && reached > 0) atomicAdd(&reinterpret_cast<Search*>(memory)->reached, reached);
}
