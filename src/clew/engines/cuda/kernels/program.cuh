#pragma once
// Vertex programs from the active vertices to those that change: all iterations in one cooperative launch.
//
// An iteration pushes if few edges are active, else it pulls. It never pushes if the order of a reduction matters
// (PUSHABLE 0). With ORDERED, a step without due vertices moves the next waiting ones to the queue.
//
// Block 0 processes small frontiers alone: its barrier is many times faster than the grid's, and its counters are in
// shared memory. The other blocks wait until there is more to do. Counters rotate by threes: one is read, one is
// filled, one is cleared.
#include "clock.cuh"
#include "program_pull.cuh"
#include "program_push.cuh"
#if CUT
#include "program_cut.cuh"
#endif
#ifndef IN_ORDER
#define IN_ORDER 0  // whether large frontiers are put in the order of their rows, which are on the host
#endif
#if IN_ORDER
#include "balance_lines.cuh"
#include "ordered.cuh"
#endif

struct Counters {
    u64 size[3], longest[3];  // of the queues, by step
    u64 reached[3];           // by step
    u64 waiting[3], least[3];  // of the piles, by split
};
// How far the program has come; every block has a copy.
struct Progress {
    u32 step, splits;
    u64 iterations, work, present, over;
};
struct Control {
    u32 barrier[GRID_BARRIER_WORDS];
    Counters counters;
    Progress progress;
};
// The parameters of a step in shared memory, read by one thread of every block.
struct Now {
    u64 size, longest, waiting, reached;
    Progress progress;
    Admission to;  // for who becomes active in this step
};

// The participants of a step: all blocks, or block 0 alone. What is `then` to be done is done by one thread of every
// block, when all others have come and before they go on.
struct Crew {
    Control* control;
    Counters* counters;
    bool alone;

    __device__ __forceinline__ Team team() const { return alone ? this_block() : whole_grid(); }
    __device__ __forceinline__ bool leads() const { return threadIdx.x == 0 && (alone || blockIdx.x == 0); }
    // The thread that reads the clock.
    __device__ __forceinline__ bool watches() const {
        return alone ? threadIdx.x + 1 == blockDim.x : is_last_in_grid();
    }

    template <class Then>
    __device__ __forceinline__ void meet(Then then) {
        if (alone) {
            __syncthreads();
            if (threadIdx.x == 0) then();
            __syncthreads();
        } else {
            grid_sync_then(control->barrier, then);
        }
    }
    // Block 0 goes on alone; the others return when it has come back.
    template <class Then>
    __device__ __forceinline__ void leave_to_one(Counters* mine, Then then) {
        grid_sync(control->barrier);  // all have read the counters before they change
        if (blockIdx.x == 0) {
            if (threadIdx.x == 0) *mine = control->counters;
            counters = mine;
            alone = true;
        }
        meet(then);
    }
    template <class Then>
    __device__ __forceinline__ void come_back(const Progress& at, Then then) {
        __syncthreads();
        if (threadIdx.x == 0) {
            control->counters = *counters;
            control->progress = at;
        }
        counters = &control->counters;
        alone = false;
        meet(then);
    }
};

// The active vertices as a bitmap, made from the queue.
__device__ __forceinline__ void to_bitmap(u32* bitmap, u64 n, const Row* rows, u64 count, u32* barrier) {
    for (u64 word = thread_in_grid(); word < (n + WARP - 1) / WARP; word += threads_in_grid()) bitmap[word] = 0;
    grid_sync(barrier);
    for (u64 k = thread_in_grid(); k < count; k += threads_in_grid()) {
        const u64 v = (u64)rows[k].vertex;
        atomicOr(bitmap + v / WARP, 1u << (v % WARP));
    }
    grid_sync(barrier);
}

// What a vertex does with the sum that it has pulled.
struct Pulled {
    const Admission& to;
    Found& found;

    __device__ __forceinline__ void operator()(bool leads, index_t v, Vertex& vertex, bool open, const Sum& sum) {
        const bool applies = leads && open && (EVERYONE || sum.received);
        const bool active = applies && apply(to.state, (u64)v, sum.total, vertex);
        found.add(active, v, to);
    }
};

// What all steps of a run share. Messages, queues and piles alternate between two of each.
struct Run {
    u64 n;
    State state;
    Edges along, into;
    const index_t* order;
    const u64* classes;
    message_t* messages;
    message_t* sums;
    message_t identity;
    u32* stamps;
    Row* rows;
    index_t* reached;
    index_t* piles;
    u64* keys;
    u32* bitmap;
    double scale;
    long long* trace;
    u64 traced;
#if CUT
    Pieces pieces;
#endif
#if IN_ORDER
    u64 order_from;
    u32* order_bits;
    u64* order_totals;
#endif
};

// A vertex that becomes active in a step goes to the queue of the next one, or to the pile.
__device__ __forceinline__ void direct(const Run& run, const Crew& crew, Now& now) {
    const Progress& at = now.progress;
    const u32 next = (at.step + 1) % 3, side = (at.step + 1) & 1;
    Counters* const counters = crew.counters;
    const Queue queue{run.rows + side * run.n, nullptr, &counters->size[next], nullptr, &counters->longest[next]};
    index_t* const pile = ORDERED ? run.piles + (at.splits & 1) * run.n : nullptr;
    now.to = Admission{run.state, run.along.offsets, run.messages + side * run.n, queue, run.keys, pile,
                       &counters->waiting[at.splits % 3], at.present, run.scale};
}

// What the step that begins finds in the counters.
__device__ __forceinline__ void look(const Run& run, const Crew& crew, Now& now) {
    const Progress& at = now.progress;
    now.size = *(volatile u64*)&crew.counters->size[at.step % 3];
    now.longest = *(volatile u64*)&crew.counters->longest[at.step % 3];
    now.waiting = *(volatile u64*)&crew.counters->waiting[at.splits % 3];
    direct(run, crew, now);
}

// Set up every vertex, and admit those that begin active.
__device__ __forceinline__ void admit_first(const Run& run, const u8* begin, const Admission& to, Found& found) {
    const Team team = whole_grid();
    for (u64 base = (u64)team.warp * WARP; base < run.n; base += (u64)team.warps * WARP) {
        const u64 v = base + lane() < run.n ? base + lane() : 0;
        const bool there = base + lane() < run.n, active = there && (begin == nullptr || begin[v]);
        if (there) {
            if (PUSHABLE) run.stamps[v] = 0;
            if (PUSHABLE && !FIRST) run.sums[v] = run.identity;
            if (ORDERED) run.keys[v] = OUT;
        }
        found.add(active, (index_t)v, to);
    }
    found.finish(to);
}

// Clear the counters of the step after the next, and take notes.
__device__ __forceinline__ void prepare_step(const Run& run, const Crew& crew, const Now& now, bool idle, bool push) {
    const Progress& at = now.progress;
    if (crew.leads()) {
        const u32 spare = (at.step + 2) % 3, spare_split = (at.splits + 2) % 3;
        Counters* const counters = crew.counters;
        counters->size[spare] = counters->longest[spare] = counters->reached[spare] = 0;
#if CUT
        run.pieces.clear(spare);
#endif
        if (idle) counters->waiting[spare_split] = 0, counters->least[spare_split] = ~0ull;
        if (!idle && at.iterations < run.traced) {
            long long* const row = run.trace + 4 * at.iterations;
            row[0] = (long long)count_in(now.size);
            row[1] = (long long)edges_in(now.size);
            row[2] = !push;
        }
    }
    if (!idle && crew.watches() && at.iterations < run.traced) run.trace[4 * at.iterations + 3] = nanoseconds();
}

#if ORDERED
// No vertex is due: move those with the lowest key from the pile to the queue.
__device__ __forceinline__ void advance_keys(const Run& run, Crew& crew, Now& now, Found& found, const Team& team) {
    Progress& at = now.progress;
    const index_t* pile = run.piles + (at.splits & 1) * run.n;
    u64 least = least_key(run.keys, pile, now.waiting, team);
    least = ~warp_max(~least);
    u64* const lowest = &crew.counters->least[at.splits % 3];
    if (lane() == 0 && least != ~0ull) atomicMin(lowest, least);
    crew.meet([&] {
        const u64 key = *(volatile u64*)lowest;
        if (key != ~0ull && key > at.present) at.present = key;
        at.splits++;
        direct(run, crew, now);
    });
    split(pile, now.waiting, now.to, found, team);
    found.finish(now.to);
}
#endif

#if PUSHABLE
__device__ __forceinline__ void push_step(const Run& run, Crew& crew, Now& now, Found& found, const Team& team) {
    const Progress& at = now.progress;
    const u64 turn = (at.step & 1) * run.n;
    u64* const num_reached = &crew.counters->reached[at.step % 3];
    Push visitor{run.state,   run.along,   run.messages + turn, run.sums, run.stamps,
                 run.reached, num_reached, at.step,             now.to,   found};
    const Rows active = rows_of(run.rows + turn, now.size);
#if CUT
    run.pieces.cut(active, at.step % 3, team);
    crew.meet([] {});
    expand(run.pieces.full_rows(at.step % 3), run.pieces.other_rows(at.step % 3), now.longest, team, visitor);
#else
#if IN_ORDER
    const u64 count = count_in(now.size);
    if (!crew.alone && count >= run.order_from) {
        const u64 in_order = put_in_order(run.along.offsets, run.n, run.rows + turn, count, run.order_bits,
                                          run.order_totals, crew.control->barrier);
        expand_lines(rows_of(run.rows + turn, in_order), PACKED ? 0 : after_line(run.along.neighbours), team,
                     visitor);
    } else
#endif
        expand(active, active, now.longest, team, visitor);
#endif
#if !FIRST
    crew.meet([&] { now.reached = *(volatile u64*)num_reached; });
    apply_sums(visitor, now.reached, run.identity, team);
#endif
    visitor.found.finish(now.to);
}
#endif

__device__ __forceinline__ void pull_step(const Run& run, Crew& crew, Now& now, Found& found, Sum* room) {
    const u64 turn = (now.progress.step & 1) * run.n, count = count_in(now.size);
    if (count < run.n) to_bitmap(run.bitmap, run.n, run.rows + turn, count, crew.control->barrier);
    const Pull from{run.state, run.into, run.messages + turn, count < run.n ? run.bitmap : nullptr, run.identity};
    Pulled finish{now.to, found};
    pull_all(from, run.order, run.classes, room, finish);
    found.finish(now.to);
}

// Continue until no vertex is active, or a limit of iterations, steps or work (edges) is reached. `begin` is a truth
// value per vertex, or null where all are active. Pieces have room for every edge of the graph at once.
extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT)
program(u64 n, const offset_t* offsets, const ids_t* neighbours, const stored_t* weights, const offset_t* in_offsets,
        const ids_t* in_neighbours, const stored_t* in_weights, const index_t* order, const u64* classes,
        const u8* begin, message_t* messages, message_t* sums, message_t identity, u32* stamps, void* queues,
        index_t* reached, index_t* piles, u64* keys, u32* bitmap, double scale, long long most_pushed, u64 alone_from,
        u64 alone_until, u64 limit, u64 step_limit, u64 work_limit, int fresh, long long* trace, u64 traced,
#if CUT
        void* full_pieces, void* other_pieces, u64* piece_sizes,
#endif
#if IN_ORDER
        u64 order_from, u32* order_bits, u64* order_totals,
#endif
        Control* control
#define FIELD(type, name) , type* name
        FIELDS
#undef FIELD
) {
    __shared__ index_t stages[THREADS / WARP * STAGED];
    __shared__ Sum room[THREADS / WARP];
    __shared__ Counters mine;
    __shared__ Now now;
    const Run run{n, State{FIELD_NAMES}, Edges{offsets, neighbours, weights},
                  Edges{in_offsets, in_neighbours, in_weights}, order, classes, messages, sums, identity, stamps,
                  reinterpret_cast<Row*>(queues), reached, piles, keys, bitmap, scale, trace, traced,
#if CUT
                  Pieces{reinterpret_cast<Row*>(full_pieces), reinterpret_cast<Row*>(other_pieces), piece_sizes,
                         piece_sizes + 3},
#endif
#if IN_ORDER
                  order_from, order_bits, order_totals,
#endif
    };
    Crew crew{control, &control->counters, false};
    Progress& at = now.progress;  // changed by one thread, where blocks meet
    Found found{stages + warp_in_block() * STAGED, 0};

    if (fresh) {
        if (threadIdx.x == 0) {
            at = Progress{0, 0, 0, 0, 0, 0};
            direct(run, crew, now);
        }
        __syncthreads();
        admit_first(run, begin, now.to, found);
    }
    crew.meet([&] {
        at = control->progress;
        if (fresh) at.step = 1;
        look(run, crew, now);
    });
    bool over;
    for (;;) {
        // 1. The work to do.
        const u64 count = count_in(now.size), edges = edges_in(now.size);
        const bool idle = count == 0;
        over = idle && now.waiting == 0;
        const bool stop = over || at.iterations >= limit || at.step >= step_limit || at.work >= work_limit;
        const bool push = PUSHABLE && (long long)edges <= most_pushed;
        const u64 size = idle ? now.waiting : count + edges;
        const bool few = (idle || push) && size <= (crew.alone ? alone_until : alone_from);

        // 2. The participants.
        if (crew.alone && (stop || !few)) {
            crew.come_back(at, [&] { look(run, crew, now); });
            continue;
        }
        if (stop) break;
        if (few && !crew.alone) {
            crew.leave_to_one(&mine, [&] {
                if (!crew.alone) at = control->progress;
                look(run, crew, now);
            });
            if (!crew.alone) continue;
        }

        // 3. Do it.
        prepare_step(run, crew, now, idle, push);
        if (idle) {
#if ORDERED
            advance_keys(run, crew, now, found, crew.team());
#endif
        } else if (push) {
#if PUSHABLE
            push_step(run, crew, now, found, crew.team());
#endif
        } else {
            pull_step(run, crew, now, found, room);
        }
        crew.meet([&] {
            at.step++;
            at.iterations += !idle;
            at.work += push ? edges_in(now.size) : (u64)offsets[n];
            look(run, crew, now);
        });
    }
    if (crew.watches() && at.iterations < traced) trace[4 * at.iterations + 3] = nanoseconds();
    if (thread_in_grid() == 0) {
        at.over = over;
        control->progress = at;
    }
}
