#pragma once
// The neighbours of rows, in two forms: plain, or packed (PACKED 1). Kernels take them as a pointer to `ids_t`, and read
// them in one of three ways. Nothing else of a kernel depends on the form:
//
//     Neighbours  by a warp: every lane reads an edge, and edges that lie together are unpacked together
//     OneRow      by a lane: the neighbours of a row, one after the other
//     RowBegin    by a lane: a few neighbours at a time; the first few of a packed row may be there unpacked
//
// Edges are best read from the beginning of a line on; `after_begin` is how many edges before this one that is. Packed
// edges lie in groups of 64, which readers treat as lines.
#include "common.cuh"

#ifndef PACKED
#define PACKED 0
#endif
#ifndef DIRECTORY
#define DIRECTORY 0  // whether `Neighbours` reads one: the place, widths and mask of a group in one load
#endif

__device__ __forceinline__ void prefetch(const void* place) {
#ifndef CLEW_EMULATED
    asm volatile("prefetch.global.L2 [%0];" ::"l"(place));
#else
    (void)place;
#endif
}

#if !PACKED
#include "rows_search.cuh"
typedef index_t ids_t;

__device__ __forceinline__ u32 after_begin(const ids_t* ids, u64 edge) { return after_line(ids, edge); }

struct Neighbours {
    const ids_t* ids;

    __device__ __forceinline__ Neighbours(const ids_t* all, const offset_t*) : ids(all) {}
    // The neighbour at `edge`, which is in the row of `vertex`; 0 where not valid. All lanes of a warp take part.
    __device__ __forceinline__ index_t at(bool valid, index_t, offset_t edge) {
        return valid ? __ldg(ids + edge) : (index_t)0;
    }
    // The same for pushes, along rows that are mostly short: first neighbours of packed rows are never on the host.
    __device__ __forceinline__ index_t near(bool valid, index_t vertex, offset_t edge) { return at(valid, vertex, edge); }
    // Soon a row will be read that begins at `edge`.
    __device__ __forceinline__ void expect(offset_t edge) const { prefetch(ids + edge); }
};

struct OneRow {
    const ids_t* ids;
    offset_t edge;

    // The row begins at `first`, and is not read where it is not `valid`.
    __device__ __forceinline__ OneRow(const ids_t* all, offset_t first, bool valid) : ids(all), edge(first) {
        (void)valid;
    }
    __device__ __forceinline__ index_t next() { return __ldg(ids + edge++); }
};

struct RowBegin {
    OneRow row;

    __device__ __forceinline__ RowBegin(const ids_t* all, offset_t first) : row(all, first, false) {}
    // The next neighbours of the row of `vertex`, of which `left` are left, from `edge` on; -1 after them.
    template <u32 COUNT>
    __device__ __forceinline__ void take(index_t (&found)[COUNT], index_t vertex, offset_t edge, u64 left) {
        (void)vertex, (void)edge;
#pragma unroll
        for (u32 k = 0; k < COUNT; k++) found[k] = k < left ? row.next() : (index_t)-1;
    }
};

// Whether `target` is among the neighbours of a row at low…high-1, which ascend.
__device__ __forceinline__ bool is_among(const ids_t* ids, offset_t low, offset_t high, index_t target) {
    const offset_t place = first_neighbour(ids, low, high, target);
    return place < high && ids[place] == target;
}
#else
#include "packed_rows.cuh"
typedef Packed ids_t;

__device__ __forceinline__ u32 after_begin(const ids_t*, u64 edge) { return (u32)(edge % GROUP); }

// Words of packed edges that a warp keeps in shared memory: lines that follow each other. A group fits, wherever
// in a line it begins.
#define LINES (sizeof(index_t) == 4 ? 4 : 8)
#define AT_HAND (LINES * WARP)
#ifdef THREADS
#define READERS (THREADS / WARP)
#else
#define READERS 16  // warps of a block
#endif

struct Words {
    const u32* room;
    __device__ __forceinline__ u32 operator[](u32 word) const { return room[word % AT_HAND]; }
};

__device__ __forceinline__ u32* room_of_warp() {
    __shared__ u32 rooms[READERS * AT_HAND];
    return rooms + warp_in_block() * AT_HAND;
}

// A lane reads words by itself, each as late as it can.
struct OneRow {
    const ids_t* packed;
    const u32* words;
    u64 mask, place;  // of the group; the bit of the next entry
    u64 group, kept;  // bits that have been read already: `has` of them
    entry_t value;
    u32 entry, narrow, wide, bits, has;

    __device__ __forceinline__ OneRow(const ids_t* all, offset_t first, bool valid)
        : packed(all), words(all->words), group((u64)first / GROUP), value(0), entry((u32)((u64)first % GROUP)),
          bits(all->bits) {
        if (!valid) return;
        open();
        if (entry > 0) {
            const u32 wides = (u32)__popcll(mask & ((1ull << entry) - 1));
            place += bits + (u64)(entry - 1) * narrow + wides * (wide - narrow);
        }
    }

    // The first bit of the group's entries, its mask and widths.
    __device__ __forceinline__ void open() {
        const Packed edges = *packed;
        const u32 head = __ldg(edges.heads + group);
        place = first_bit(edges, group);
        narrow = narrow_in(head), wide = wide_in(head), mask = 0, has = 0, kept = 0;
        if (narrow < wide) {
            // Read from the words, it would be one more request over the link. Rows that are not there have no masks.
            mask = ON_HOST && edges.masks != nullptr ? __ldg(edges.masks + group)
                                                     : take64(words + place / 32, (u32)(place % 32), 64);
            place += 64;
        }
    }

    __device__ __forceinline__ entry_t take_next(u32 width) {
        if constexpr (sizeof(entry_t) == 8) {
            const entry_t taken = (entry_t)take64(words + place / 32, (u32)(place % 32), width);
            place += width;
            return taken;
        } else {
            if (has == 0 && width > 0) {
                has = 32 - (u32)(place % 32);
                kept = __ldg(words + place / 32) >> (place % 32);
                place += has;
            }
            if (has < width) {
                kept |= (u64)__ldg(words + place / 32) << has;
                has += 32;
                place += 32;
            }
            const entry_t taken = (entry_t)(kept & ((1ull << width) - 1));
            kept >>= width;
            has -= width;
            return taken;
        }
    }

    // The first entry of a row, and of a group, is itself. Others are differences.
    __device__ __forceinline__ index_t next() {
        if (entry == GROUP) {
            group++;
            entry = 0;
            open();
        }
        const entry_t taken = take_next(entry == 0 ? bits : mask >> entry & 1 ? wide : narrow);
        value = entry == 0 ? taken : value + taken;
        entry++;
        return (index_t)value;
    }
};

// The first neighbours are there unpacked, if there is room for them. The row is opened only if they were not enough.
struct RowBegin {
    OneRow row;
    index_t last;  // that was taken; entries after it are differences
    bool begun, is_open;

    __device__ __forceinline__ RowBegin(const ids_t* all, offset_t first)
        : row(all, first, false), last(0), begun(false), is_open(false) {}

    template <u32 COUNT>
    __device__ __forceinline__ void take(index_t (&found)[COUNT], index_t vertex, offset_t edge, u64 left) {
        static_assert(COUNT <= FIRSTS, "no more than that are there unpacked");
        if (!begun && row.packed->firsts != nullptr) {
            const Firsts there = row.packed->firsts[vertex];
#pragma unroll
            for (u32 k = 0; k < COUNT; k++) found[k] = there.ids[k];
            last = found[COUNT - 1];
        } else {
            if (!is_open) {
                row = OneRow(row.packed, edge, left > 0);
                row.value = (entry_t)last;
            }
            is_open = true;
#pragma unroll
            for (u32 k = 0; k < COUNT; k++) found[k] = k < left ? row.next() : (index_t)-1;
        }
        begun = true;
    }
};

// If the edges of a warp lie in this many groups, every lane unpacks its own edge. It must be one of the first of its
// row or group; from the second number on, it may be any. Groups that a warp unpacks come one after the other.
#define GROUPS_ALONE 3
#define STEPS_ALONE 16
#define GROUPS_ALL_ALONE 6

typedef Bits<sizeof(offset_t)>::type group_t;
#if DIRECTORY
#include "directory_reader.cuh"
#else
#define NO_GROUP ((group_t)~(group_t)0)

struct Neighbours {
    const ids_t* packed;
    const offset_t* offsets;
    group_t group;      // that was added up last
    entry_t even, odd;  // its entries 2 * lane and 2 * lane + 1, added up
#if ON_HOST
    u64 begin, end;  // lines in shared memory
#endif

    __device__ __forceinline__ Neighbours(const ids_t* all, const offset_t* starts)
        : packed(all), offsets(starts), group(NO_GROUP), even(0), odd(0) {
#if ON_HOST
        begin = end = 0;
#endif
    }

    __device__ __forceinline__ index_t at(bool valid, index_t vertex, offset_t edge) {
        return in_row(valid, valid ? (u64)__ldg(offsets + vertex) : 0, edge);
    }

    __device__ __forceinline__ index_t near(bool valid, index_t vertex, offset_t edge) {
        const u64 first = valid ? (u64)__ldg(offsets + vertex) : 0;
#if ON_HOST
        const Firsts* const firsts = packed->firsts;
        const bool known = valid && firsts != nullptr && (u64)edge - first < FIRSTS;
        const index_t there = known ? __ldg(firsts[vertex].ids + ((u64)edge - first)) : (index_t)0;
        const index_t unpacked = in_row(valid && !known, first, edge);
        return known ? there : unpacked;
#else
        return in_row(valid, first, edge);
#endif
    }

    // The same in a row that begins at `first`. An edge is its sum less what is before its row, where that begins in the
    // same group.
    __device__ __forceinline__ index_t in_row(bool valid, u64 first, offset_t edge) {
        const group_t mine = (group_t)((u64)edge / GROUP), before_mine = __shfl_up_sync(ALL_LANES, mine, 1);
        const u64 begin = (u64)mine * GROUP > first ? (u64)mine * GROUP : first;
        const u32 groups = __popc(__ballot_sync(ALL_LANES, valid && (lane() == 0 || mine != before_mine)));
        if (groups >= GROUPS_ALONE) {
            const bool far = __any_sync(ALL_LANES, valid && (u64)edge - begin >= STEPS_ALONE);
            if (!far || groups >= GROUPS_ALL_ALONE) return valid ? alone((offset_t)begin, edge) : (index_t)0;
        }
        index_t found = 0;
        for (u32 left = __ballot_sync(ALL_LANES, valid); left;) {
            const group_t next = __shfl_sync(ALL_LANES, mine, __ffs(left) - 1);
            const u64 begins = (u64)next * GROUP;
            if (next != group) open(next);
            const bool here = valid && mine == next;
            const u32 before = first > begins ? (u32)(first - begins) : 0;
            entry_t sum = sum_until(even, odd, (u32)edge % GROUP);
            if (__any_sync(ALL_LANES, here && before)) {
                const entry_t sum_before = sum_until(even, odd, (before + GROUP - 1) % GROUP);
                sum -= before ? sum_before : 0;
            }
            if (here) found = (index_t)sum;
            left &= ~__ballot_sync(ALL_LANES, here);
        }
        return found;
    }

    // The neighbour at `edge`, from the first entry on that is stored as itself.
    __device__ __forceinline__ index_t alone(offset_t begin, offset_t edge) const {
        OneRow row(packed, begin, true);
        index_t found = row.next();
        for (; begin < edge; begin++) found = row.next();
        return found;
    }

    __device__ __forceinline__ void expect(offset_t edge) const { prefetch(packed->heads + (u64)edge / GROUP); }

    // Get the words of a group, and add its entries up.
    __device__ __forceinline__ void open(group_t next) {
        const Packed edges = *packed;
        u32* const room = room_of_warp();
        const u32 head = __ldg(edges.heads + next), begin_bit = head & ((1u << PLACE_BITS) - 1);
        const u64 block = __ldg(edges.bases + next / GROUP) * 64;
        const u64 first = block + begin_bit, from = first / 32;
        const u32 count = ((begin_bit % 32) + (u32)(last_bit(edges, next) - first) + 31) / 32 + 2;  // words
        __syncwarp(ALL_LANES);  // all have read the words of the last group
#if ON_HOST
        // Lines are read whole, and once for all groups in them.
        const u64 skew = after_line(edges.words), line = (from + skew) / WARP, last = (from + count - 1 + skew) / WARP;
        const u64 all = __ldg(edges.bases + (edges.groups + GROUP - 1) / GROUP) * 2 + 4;
        if (line < begin || line > end) begin = end = line;
        for (; end <= last; end++) {
            const u64 place = end * WARP + lane();
            if (place >= skew && place - skew < all) room[place % AT_HAND] = __ldcs(edges.words + (place - skew));
        }
        if (end - begin > LINES) begin = end - LINES;
        const u32 at = (u32)((first + skew * 32) % (AT_HAND * 32));
#else
        // Most groups have two lines or less.
        const u32* const mine = edges.words + from + lane();
        const u32 one = lane() < count ? __ldg(mine) : 0, two = lane() + WARP < count ? __ldg(mine + WARP) : 0;
        for (u32 k = 2 * WARP + lane(); k < count; k += WARP) room[k] = __ldg(mine + (k - lane()));
        room[lane()] = one;
        room[lane() + WARP] = two;
        const u32 at = begin_bit % 32;
#endif
        __syncwarp(ALL_LANES);
        add_up(Words{room}, at, head, edges.bits, GROUP, even, odd);
        group = next;
    }
};
#endif

// The first entry of every group is stored as itself: these are searched first, and then one group.
__device__ __forceinline__ bool is_among(const ids_t* ids, offset_t low, offset_t high, index_t target) {
    if (low >= high) return false;
    u64 group = (u64)low / GROUP, after = ((u64)high - 1) / GROUP + 1;
    while (group + 1 < after) {
        const u64 middle = (group + after) / 2;
        if (OneRow(ids, (offset_t)(middle * GROUP), true).next() <= target) {
            group = middle;
        } else {
            after = middle;
        }
    }
    offset_t edge = group * GROUP > (u64)low ? (offset_t)(group * GROUP) : low;
    OneRow row(ids, edge, true);
    for (; edge < high; edge++) {
        const index_t found = row.next();
        if (found >= target) return found == target;
    }
    return false;
}
#endif
