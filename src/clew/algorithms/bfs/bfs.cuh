#pragma once
// Of a block. Two blocks share a processor, and packed rows without a directory take more registers to read.
#if PACKED && !DIRECTORY
#define THREADS 384
#else
#define THREADS 512
#endif
#include "clock.cuh"
#include "common.cuh"
#include "neighbours.cuh"
// Breadth-first search, all levels in one cooperative launch.
//
// The frontier is a stretch of one queue (push) or a bitmap (pull). Every vertex enters the queue at most once, with
// the place of its row, which is loaded while the atomic is pending. A level of a road network is a chain of dependent
// accesses, and this hides one of them. Rows of BIG edges or more are cut into pieces of BIG edges in a separate queue.
// So no warp follows more than BIG edges of a row alone. Over the link (ON_HOST) rows are not fetched ahead, for no
// cache keeps them, and pieces are read by lines.

#ifndef BIG
#define BIG 1024
#endif
#define PART 128     // edges of a piece that a warp follows at a time
// Entries a block gathers before they move to the queue; a reader of packed rows needs shared memory, too.
#define BUFFER (PACKED && sizeof(index_t) == 8 ? 512 : 1024)
#define TRACED 4     // numbers per level in the trace: vertices, edges, direction, when it began
#define BY_LINES (ON_HOST || PACKED)
#define PUSH 0
#define PULL 1

struct __align__(16) Entry {
    offset_t start;
    index_t vertex;
    u32 degree;
};

// A level's frontier: its vertices, their edges, how many are in the queue, and the pieces of big rows.
struct __align__(32) Level {
    u64 found, edges, queued, pieces;
};

// How far the search has come: every thread has a copy, and all compute the same.
struct Progress {
    u64 queue_begin, piece_begin;
    u64 reached;  // before this level
    long long level;
    int direction, done;
};

// What lives through all levels, and through the next launch if this one stops early. The barrier is zero at the start.
struct Control {
    u32 barrier[GRID_BARRIER_WORDS];
    Level levels[4];  // by level modulo 4
    Progress progress;
};

// What the threads of a block have found at a level.
struct Tally {
    u32 count, limit;
    u64 found, edges;
    u64 looked;  // edges read in a pull
};

struct Block {
    Entry buffer[BUFFER];
    Tally tallies[2];  // alternately, so that one can be cleared while the other is read
    u64 room;
    Level now;
};

// The arrays of a search, and where what is found at this level goes.
struct Search {
    const offset_t* offsets;
    Neighbours neighbours;
    int* depth;
    index_t* parent;
    Entry* queue;
    Entry* pieces;
    Block* mine;
    u32 turn;            // of the block's two tallies
    u64 queue_end, piece_end;
    Level* next;         // the level that is being found
    u64 found, edges;    // by this warp, kept by its first lane
};

__device__ __forceinline__ void clear(Tally* tally) {
    *tally = {0, BUFFER, 0, 0, 0};
}

// Cut a row into pieces of BIG edges.
__device__ __forceinline__ void cut(Entry entry, u32 number, Entry* pieces) {
    for (u32 k = 0; k < number; k++) {
        Entry piece = entry;
        piece.start = entry.start + (offset_t)k * BIG;
        piece.degree = k + 1 < number ? (u32)BIG : entry.degree - k * BIG;
        pieces[k] = piece;
    }
}

// Count the vertices that lanes of this warp have found and their edges; which lanes those were.
__device__ __forceinline__ u32 count(Search& to, bool found, u32 degree) {
    const u32 finders = __ballot_sync(ALL_LANES, found);
    if (finders) {
        to.found += (u32)__popc(finders);
        to.edges += sum_of_lanes(found ? degree : 0);
    }
    return finders;
}

// Put the vertices that lanes of this warp have found into the block's buffer, or the queue when that is full.
__device__ __forceinline__ void enqueue(Search& to, bool won, Entry entry) {
    Tally* const tally = &to.mine->tallies[to.turn];
    const bool small = won && entry.degree > 0 && entry.degree < BIG;
    const u32 takers = __ballot_sync(ALL_LANES, small);
    if (takers) {
        const u32 number = (u32)__popc(takers), leader = (u32)__ffs(takers) - 1;
        u32 start = 0;
        if (lane() == leader) start = atomicAdd(&tally->count, number);
        start = __shfl_sync(ALL_LANES, start, leader);
        const bool fits = start + number <= BUFFER;
        u64 place = 0;
        if (!fits && lane() == leader) {
            atomicMin(&tally->limit, start);
            place = atomicAdd(&to.next->queued, (u64)number);
        }
        place = __shfl_sync(ALL_LANES, place, leader);
        const u32 rank = (u32)__popc(takers & lanes_below());
        if (small) {
            if (fits) {
                to.mine->buffer[start + rank] = entry;
            } else {
                to.queue[to.queue_end + place + rank] = entry;
            }
#if !ON_HOST
            to.neighbours.expect(entry.start);
#endif
        }
    }
    if (won && entry.degree >= BIG) {
        const u32 number = (entry.degree + BIG - 1) / BIG;
        cut(entry, number, to.pieces + to.piece_end + atomicAdd(&to.next->pieces, (u64)number));
    }
}

// Follow the edges of up to 32 entries, one per lane: the warp takes them 32 edges at a time, across rows. The first
// `head` of all are passed over.
__device__ __forceinline__ void follow(Search& to, Entry entry, bool check_first, int depth_found, u32 head = 0) {
    const u32 upto = warp_prefix(entry.degree);
    const u32 before = upto - entry.degree;
    const u32 total = __shfl_sync(ALL_LANES, upto, WARP - 1);
    for (u32 first = 0; first < total; first += WARP) {
        const u32 k = first + lane();
        // The last lane whose edges begin at or before k: one without edges is never chosen, because the next one
        // begins where it does.
        u32 owner = 0;
        for (u32 step = WARP / 2; step > 0; step /= 2) {
            const u32 begins = __shfl_sync(ALL_LANES, before, owner + step);
            if (begins <= k) owner += step;
        }
        const u32 own_before = __shfl_sync(ALL_LANES, before, owner);
        const offset_t own_start = __shfl_sync(ALL_LANES, entry.start, owner);
        const index_t from = __shfl_sync(ALL_LANES, entry.vertex, owner);
        bool won = false;
        Entry reached = {0, 0, 0};
        const bool valid = k >= head && k < total;
        const index_t v = to.neighbours.near(valid, from, own_start + (k - own_before));
        if (valid) {
            if (!check_first || to.depth[v] < 0) {
                // Both accesses are on their way at once; the fetched row is not used where the visit is not won.
                reached.start = __ldg(to.offsets + v);
                reached.degree = (u32)(__ldg(to.offsets + v + 1) - reached.start);
                reached.vertex = v;
                won = atomicCAS(to.depth + v, -1, depth_found) == -1;
                if (won) to.parent[v] = from;
            }
        }
        count(to, won, reached.degree);
        enqueue(to, won, reached);
    }
}

// Add up what the threads of a block have found, and move its buffer to the queue: one atomic of each kind per block.
// `looked` gets the number of edges read, if it is not null.
__device__ __forceinline__ void finish_block(Search& to, u64* looked = nullptr) {
    Tally* const tally = &to.mine->tallies[to.turn];
    if (lane() == 0 && to.found) {
        atomicAdd(&tally->found, to.found);
        atomicAdd(&tally->edges, to.edges);
    }
    __syncthreads();
    const u32 count = tally->count < tally->limit ? tally->count : tally->limit;
    if (threadIdx.x == 0) {
        clear(&to.mine->tallies[1 - to.turn]);
        if (count) to.mine->room = atomicAdd(&to.next->queued, (u64)count);
        if (tally->found) {
            atomicAdd(&to.next->found, tally->found);
            atomicAdd(&to.next->edges, tally->edges);
        }
        if (looked != nullptr && tally->looked) atomicAdd(looked, tally->looked);
    }
    __syncthreads();
    for (u32 k = threadIdx.x; k < count; k += blockDim.x) to.queue[to.queue_end + to.mine->room + k] = to.mine->buffer[k];
    to.turn = 1 - to.turn;
    to.found = to.edges = 0;
}

#include "bfs_pull.cuh"

// Push: follow the edges of the frontier. Small frontiers are spread over all warps; of large ones a warp takes 32 at a
// time.
__device__ __forceinline__ void push(Search& to, Progress& progress, const Level& at, const ids_t* ids,
                                     bool check_first) {
    const int depth_found = (int)progress.level + 1;
    to.neighbours = Neighbours(ids, to.offsets);  // a pull may have left other words there
    to.queue_end = progress.queue_begin + at.queued;
    to.piece_end = progress.piece_begin + at.pieces;
    u64 share = (at.queued + warps_in_grid() - 1) / warps_in_grid();
    share = share < 1 ? 1 : share > WARP ? WARP : share;
    for (u64 base = warp_in_grid() * share; base < at.queued; base += warps_in_grid() * share) {
        Entry entry = {0, 0, 0};
        if (lane() < share && base + lane() < at.queued) entry = to.queue[progress.queue_begin + base + lane()];
        follow(to, entry, check_first, depth_found);
    }
    // Pieces are shared by several warps each: there may be few, such as those of a hub that is the source.
    const u64 parts = at.pieces * (BIG / PART);
    for (u64 k = warp_in_grid(); k < parts; k += warps_in_grid()) {
        Entry entry = {0, 0, 0};
        const u32 skipped = (u32)(k % (BIG / PART)) * PART;
        u32 head = 0;
        if (lane() == 0) {
            entry = to.pieces[progress.piece_begin + k / (BIG / PART)];
#if BY_LINES
            // Parts of a piece are counted from the line that it begins in.
            head = after_begin(ids, (u64)entry.start);
            entry.start -= head;
            entry.degree += head;
#endif
            const u32 left = entry.degree > skipped ? entry.degree - skipped : 0;
            const bool last = left <= PART || (BY_LINES && skipped + PART == BIG);
            entry.start += skipped;
            entry.degree = last ? left : PART;
        }
#if BY_LINES
        head = skipped == 0 ? __shfl_sync(ALL_LANES, head, 0) : 0;
#endif
        follow(to, entry, true, depth_found, head);
    }
    progress.queue_begin = to.queue_end;
    progress.piece_begin = to.piece_end;
}

struct Diary {
    long long* rows;
    long long most;
};

__device__ __forceinline__ void note(const Diary& diary, const Progress& progress, const Level& at) {
    if (thread_in_grid() == 0 && progress.level < diary.most) {
        long long* const row = diary.rows + progress.level * TRACED;
        row[0] = (long long)at.found;
        if (progress.direction == PUSH) row[1] = (long long)at.edges;  // else they are counted
        row[2] = progress.direction;
        if (progress.level + 1 < diary.most) row[TRACED + 1] = 0;
    }
}

__device__ __forceinline__ void note_time(const Diary& diary, const Progress& progress) {
    if (is_last_in_grid() && progress.level < diary.most) diary.rows[progress.level * TRACED + 3] = nanoseconds();
}

// Pulling reads every vertex and at least one edge of those not found; pushing follows the frontier's edges.
__device__ __forceinline__ bool is_worth_pulling(const Level& at, const Progress& progress, u64 n, float pull_cost) {
    const float unfound = (float)(n - progress.reached - at.found);
    return (float)at.edges > pull_cost * (unfound + 0.1f * (float)n);
}

// The frontier as a bitmap, made from the queue.
__device__ __forceinline__ void to_bitmap(const Search& to, Progress& progress, const Level& at, u32* front, u64 words,
                                          u32* barrier) {
    for (u64 word = thread_in_grid(); word < words; word += threads_in_grid()) front[word] = 0;
    grid_sync(barrier);
    for (u64 k = thread_in_grid(); k < at.queued; k += threads_in_grid()) {
        const u64 v = (u64)to.queue[progress.queue_begin + k].vertex;
        atomicOr(front + v / 32, 1u << (v % 32));
    }
    for (u64 k = thread_in_grid(); k < at.pieces; k += threads_in_grid()) {
        const u64 v = (u64)to.pieces[progress.piece_begin + k].vertex;
        atomicOr(front + v / 32, 1u << (v % 32));
    }
    progress.queue_begin += at.queued;
    progress.piece_begin += at.pieces;
    grid_sync(barrier);
}

// The frontier as a queue, made from the bitmap; counted in `at`.
__device__ __forceinline__ void to_queue(Search& to, const Progress& progress, Level* at, const u32* front, u64 words, u64 n) {
    to.next = at;
    to.queue_end = progress.queue_begin;
    to.piece_end = progress.piece_begin;
    for (u64 word = warp_in_grid(); word < words; word += warps_in_grid()) {
        const u32 bits = front[word];
        if (!bits) continue;
        const u64 v = word * WARP + lane();
        const bool on = v < n && ((bits >> lane()) & 1u);
        Entry entry = {0, 0, 0};
        if (on) {
            entry.start = __ldg(to.offsets + v);
            entry.degree = (u32)(__ldg(to.offsets + v + 1) - entry.start);
            entry.vertex = (index_t)v;
        }
        enqueue(to, on, entry);
    }
    finish_block(to);
}

// All vertices without a depth, and the source on the first of the levels' frontiers.
__device__ __forceinline__ void begin(index_t n, index_t source, const Search& to, Level* levels) {
    for (u64 v = thread_in_grid(); v < (u64)n; v += threads_in_grid()) {
        to.depth[v] = v == (u64)source ? 0 : -1;
        to.parent[v] = v == (u64)source ? source : (index_t)-1;
    }
    if (thread_in_grid() == 0) {
        Entry entry;
        entry.start = to.offsets[source];
        entry.degree = (u32)(to.offsets[source + 1] - entry.start);
        entry.vertex = source;
        const u32 pieces = entry.degree >= BIG ? (entry.degree + BIG - 1) / BIG : 0;
        levels[0] = {1, entry.degree, pieces == 0, pieces};
        levels[1] = {0, 0, 0, 0};
        if (pieces) {
            cut(entry, pieces, to.pieces);
        } else {
            to.queue[0] = entry;
        }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, 2)
bfs(index_t n, index_t source, const offset_t* offsets, const ids_t* neighbours, const offset_t* in_offsets,
    const ids_t* in_neighbours, int* depth, index_t* parent, Entry* queue, Entry* pieces, u32* maps,
    long long* trace, long long traced, long long stop_at, float pull_cost, int fresh, Control* control) {
    __shared__ Block mine;
    u32* const barrier = control->barrier;
    const Diary diary = {trace, traced};
    const u64 words = ((u64)n + WARP - 1) / WARP;
    Search to = {offsets, Neighbours(neighbours, offsets), depth, parent, queue, pieces, &mine, 0, 0, 0, control->levels,
                 0,       0};
    if (fresh) begin(n, source, to, control->levels);
    if (fresh && thread_in_grid() == 0 && diary.most > 0) diary.rows[1] = 0;
    if (threadIdx.x == 0) clear(&mine.tallies[0]);
    Progress progress = {0, 0, 0, 0, PUSH, 0};
    if (!fresh) progress = control->progress;
    grid_sync_then(barrier, [&] { mine.now = control->levels[progress.level & 3]; });
    for (;;) {
        Level at = mine.now;
        progress.done = at.found == 0;
        note_time(diary, progress);  // of the end, if this is none
        if (progress.done || progress.level >= stop_at) break;
        const bool worth_pulling = is_worth_pulling(at, progress, (u64)n, pull_cost);
        if (thread_in_grid() == 0) control->levels[(progress.level + 2) & 3] = {0, 0, 0, 0};  // unused until the next sync
        Level* const now = control->levels + (progress.level & 3);
        u32* const front = maps + (progress.level & 1) * words;  // the bitmap of this level, and of the one being found
        u32* const behind = maps + (1 - (progress.level & 1)) * words;
        if (progress.direction == PUSH && worth_pulling) {
            progress.direction = PULL;
            to_bitmap(to, progress, at, front, words, barrier);
        } else if (progress.direction == PULL && !worth_pulling) {
            progress.direction = PUSH;
            to_queue(to, progress, now, front, words, (u64)n);
            grid_sync_then(barrier, [&] { mine.now = *now; });
            at = mine.now;
        }
        note(diary, progress, at);
        to.next = control->levels + ((progress.level + 1) & 3);
        u64* looked = nullptr;
        if (progress.direction == PUSH) {
            push(to, progress, at, neighbours, at.edges > threads_in_grid());
        } else {
            if (progress.level < diary.most) looked = reinterpret_cast<u64*>(diary.rows + progress.level * TRACED + 1);
            to.queue_end = progress.queue_begin;
            pull(to, n, (int)progress.level + 1, in_offsets, in_neighbours, front, behind);
        }
        finish_block(to, looked);
        progress.reached += at.found;
        progress.level++;
        grid_sync_then(barrier, [&] { mine.now = control->levels[progress.level & 3]; });
    }
    if (thread_in_grid() == 0) control->progress = progress;  // it is not read again in this launch
}
