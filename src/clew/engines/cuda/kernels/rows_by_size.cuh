#pragma once
// Rows of any length without waiting for the longest. A thread processes a short row, a warp one of medium length, and
// blocks process the long ones from a list after the next grid_sync. The work on a row is written once, for a team of
// any size.

#include "neighbours.cuh"
#include "steps.cuh"

#ifndef SHORT_ROW
#define SHORT_ROW 16
#endif
#ifndef LONG_ROW
#define LONG_ROW 2048
#endif

// ---- Teams: who works on a row. any and sum are over the members, known to all of them, who must all ask ----
struct Alone {
    __device__ u32 first() const { return 0; }
    __device__ u32 step() const { return 1; }
    __device__ bool any(bool found) const { return found; }
    __device__ u32 sum(u32 number) const { return number; }
};

struct Together {  // a warp
    __device__ u32 first() const { return lane(); }
    __device__ u32 step() const { return WARP; }
    __device__ bool any(bool found) const { return __any_sync(ALL_LANES, found); }
    __device__ u32 sum(u32 number) const { return warp_sum(number); }
};

struct WholeBlock {
    u32* room;  // two shared words, the first of them 0
    __device__ u32 first() const { return threadIdx.x; }
    __device__ u32 step() const { return blockDim.x; }
    __device__ bool any(bool found) const { return __syncthreads_or(found); }
    __device__ u32 sum(u32 number) const {
        number = warp_sum(number);
        if (lane() == 0 && number > 0) atomicAdd(&room[0], number);
        __syncthreads();
        const u32 total = room[0];
        __syncthreads();
        if (threadIdx.x == 0) room[0] = 0;
        __syncthreads();
        return total;
    }
};

// ---- The rows in which a vertex finds its neighbours: one, or two where edges are stored one way only ----
struct Rows {
    const offset_t* offsets;
    const ids_t* neighbours;
    const offset_t* in_offsets;  // null: there is no second row
    const ids_t* in_neighbours;

    __device__ __forceinline__ u64 length(index_t v) const {
        u64 total = (u64)(offsets[v + 1] - offsets[v]);
        if (in_offsets) total += (u64)(in_offsets[v + 1] - in_offsets[v]);
        return total;
    }
    // The expected edges of `count` of n vertices, within a factor of two. Without a division, which is a call: with
    // one in its loop, the compiler no longer combines the atomics of a warp.
    __device__ __forceinline__ u64 about(u32 number, u64 n) const {
        const u64 all = (u64)offsets[n] + (in_offsets ? (u64)in_offsets[n] : 0);
        const int doublings = __clzll((long long)n) - __clzll((long long)all);
        return doublings > 0 ? (u64)number << doublings : number;
    }
    // see(neighbours, begin, j) for every entry j of v's rows that belongs to this member; `begin` is the start of the
    // row. Ends early for this member when it returns true, which is then the result. With BEFORE, `see` may read entry
    // j - 1 as well, if j is not the first.
    template <bool BEFORE = false, class Team, class See>
    __device__ __forceinline__ bool find(index_t v, const Team& team, See see) const {
        bool found = find_in<BEFORE>(offsets, neighbours, v, team, see, false);
        const bool together = PACKED && team.step() > 1;  // a warp unpacks until all have found something
        if (in_offsets && (together || !found))
            found = find_in<BEFORE>(in_offsets, in_neighbours, v, team, see, found);
        return found;
    }
    // The same for all entries, with the neighbour alone: see(u).
    template <class Team, class See>
    __device__ __forceinline__ void each(index_t v, const Team& team, See see) const {
        find(v, team, [&](const auto& entries, offset_t, offset_t j) {
            see(entries[j]);
            return false;
        });
    }

#if PACKED
    // What `see` gets instead of an array: the entry that it is called for, and with BEFORE the one before.
    struct Unpacked {
        index_t value, before;
        offset_t place;
        __device__ __forceinline__ index_t operator[](offset_t j) const { return j == place ? value : before; }
    };
#endif

    template <bool BEFORE, class Team, class See>
    static __device__ __forceinline__ bool find_in(const offset_t* starts, const ids_t* entries, index_t v,
                                                   const Team& team, See see, bool found) {
        const offset_t begin = starts[v], length = starts[v + 1] - begin;
#if PACKED
        if (team.step() == 1) {
            OneRow row(entries, begin, length > 0);
            index_t u = 0;
            for (offset_t k = 0; k < length; k++) {
                const index_t before = u;
                u = row.next();
                if (see(Unpacked{u, before, begin + k}, begin, begin + k)) return true;
            }
            return false;
        }
        // Warps take groups in turn, two edges to a lane, and end together.
        Neighbours into(entries, starts);
        const u32 head = after_begin(entries, (u64)begin);
        for (u64 base = team.first() / WARP * GROUP; base < (u64)length + head; base += team.step() / WARP * GROUP) {
            for (u64 k = base + lane(); k < base + GROUP; k += WARP) {
                const bool valid = !found && k >= head && k < (u64)length + head;
                const offset_t j = begin + (offset_t)(k - head);
                const index_t before = BEFORE ? into.at(valid && k > head, v, j - 1) : (index_t)0;
                const index_t u = into.at(valid, v, j);
                found = found || (valid && see(Unpacked{u, before, j}, begin, j));
            }
            if (__all_sync(ALL_LANES, found)) break;
        }
        return found;
#else
        (void)found;
#if ON_HOST
        const u32 head = team.step() < WARP ? 0 : after_line(entries, (u64)begin);
        for (u64 k = team.first(); k < (u64)length + head; k += team.step())
            if (k >= head && see(entries, begin, begin + (offset_t)(k - head))) return true;
#else
        for (offset_t k = team.first(); k < length; k += team.step())
            if (see(entries, begin, begin + k)) return true;
#endif
        return false;
#endif
    }
};

// Calls work(v, team) for v = pick(0), …, pick(count - 1), whose values below 0 are passed over; with two rows that are
// long together, v goes to `list` instead. All threads of the grid take part.
template <class Pick, class Work>
__device__ __forceinline__ void by_size(u64 count, const Rows& rows, Pick pick, index_t* list, u32* listed, Work work) {
    for (u64 base = warp_in_grid() * WARP; base < count; base += warps_in_grid() * WARP) {
        const u64 i = base + lane();
        index_t v = i < count ? pick(i) : (index_t)-1;
        u64 length = v >= 0 ? rows.length(v) : 0;
        if (length > LONG_ROW) {
            list[atomicAdd(listed, 1u)] = v;
            v = -1;
            length = 0;
        }
        u32 medium = __ballot_sync(ALL_LANES, length > SHORT_ROW);
        if (v >= 0 && length <= SHORT_ROW) work(v, Alone{});
        while (medium) {
            const int owner = __ffs(medium) - 1;
            medium &= medium - 1;
            work(__shfl_sync(ALL_LANES, v, owner), Together{});
        }
    }
}

// The same for what by_size has listed at start…stop-1; a grid_sync must lie between the two.
template <class Work>
__device__ __forceinline__ void long_rows(const index_t* list, u32 start, u32 stop, Work work) {
    __shared__ u32 room[2];
    if (threadIdx.x == 0) room[0] = 0;
    __syncthreads();
    for (u32 i = start + blockIdx.x; i < stop; i += gridDim.x) work(list[i], WholeBlock{room});
}

// A wave: calls work(v, team) for `size` vertices of a queue; how many vertices that has added behind them. `work` adds to
// `work.queue` and counts in `work.queued`.
template <class Counters, class Work>
__device__ __forceinline__ u32 process_wave(index_t* wave, u32 size, const Rows& rows, index_t* list,
                                            Steps<Counters>& steps, Share& share, Work work) {
    steps.begin();
    work.queue = wave + size;
    work.queued = &steps.current().queued;
    by_size(size, rows, [=](u64 i) { return wave[i]; }, list, &steps.current().listed, work);
    const Counters found = steps.end();
    if (found.listed == 0) return found.queued;
    share.take_long(found.listed);
    steps.begin();
    work.queue += found.queued;
    work.queued = &steps.current().queued;
    long_rows(list, 0, found.listed, work);
    return found.queued + steps.end().queued;
}
