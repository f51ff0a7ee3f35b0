#pragma once
// Packed neighbours, unpacked by a warp: clew/packed/code.py describes the code.
//
// A warp copies the words of a range of edges into shared memory. All its loads are in flight at once; each line is
// read once and in order. Then it unpacks a group of 64 at a time, two entries to a lane. The mask of a group says
// where the bits of any entry are. A scan adds the gaps up, and every entry subtracts what is before its row.

#include "common.cuh"

#define GROUP 64
#define PLACE_BITS 19
#define WIDTH_BITS 6
#define AT_ONCE 6  // loads of a lane: most tiles take no more words
// Groups that `count` edges may lie in, and the words that they may take: mask, first entry, 63 others.
#define GROUPS_OF(count) (((count) + 2 * GROUP - 2) / GROUP)
#define GROUP_WORDS (sizeof(index_t) == 4 ? 64 : 128)
#define ROOM_OF(count) (GROUPS_OF(count) * (GROUP_WORDS + 2) + WARP + 4)  // words of shared memory

// The first neighbours of a row as they are. Those of a shorter row are followed by -1.
#define FIRSTS 4
struct __align__(16) Firsts {
    index_t ids[FIRSTS];
};

// The host writes these words of 8 bytes for kernels that take a pointer to them (engines/cuda/memory/packed_rows.py).
struct Packed {
    const u32* words;
    const u32* heads;
    const u64* bases;
    u32 bits;  // of the first entry of a group
    u64 groups;
    const u64* masks;  // of all groups, in device memory, if the words are not
    const Firsts* firsts;  // of all rows, for searches, if there is room for them
    // Of all groups, if there is room: the first bit after the mask, wide and narrow width (6 bits each); the mask.
    const ulonglong2* directory;
};

template <int BYTES>
struct Bits {
    typedef u32 type;
};
template <>
struct Bits<8> {
    typedef u64 type;
};
typedef Bits<sizeof(index_t)>::type entry_t;

// The first bit of a group; that after the last group of a block is the end of the block.
__device__ __forceinline__ u64 first_bit(const Packed& packed, u64 group) {
    return __ldg(packed.bases + group / GROUP) * 64 + (__ldg(packed.heads + group) & ((1u << PLACE_BITS) - 1));
}
__device__ __forceinline__ u64 last_bit(const Packed& packed, u64 group) {
    const bool ends = (group + 1) % GROUP == 0 || group + 1 == packed.groups;
    return ends ? __ldg(packed.bases + group / GROUP + 1) * 64 : first_bit(packed, group + 1);
}

// `width` bits from bit `at` of words in shared memory.
template <class Words>
__device__ __forceinline__ u64 take64(const Words& room, u32 at, u32 width) {
    const u32 word = at / 32, middle = room[word + 1];
    const u64 low = (u64)__funnelshift_r(room[word], middle, at);
    const u64 high = (u64)__funnelshift_r(middle, room[word + 2], at);
    return (low | high << 32) & (width < 64 ? (1ull << width) - 1 : ~0ull);
}
template <class Words>
__device__ __forceinline__ entry_t take(const Words& room, u32 at, u32 width) {
    if constexpr (sizeof(entry_t) == 8) return (entry_t)take64(room, at, width);
    else return (entry_t)(__funnelshift_r(room[at / 32], room[at / 32 + 1], at) & ((1u << width) - 1));
}

// Words in memory, read through the read-only cache.
struct InMemory {
    const u32* words;
    __device__ __forceinline__ u32 operator[](u32 word) const { return __ldg(words + word); }
};

__device__ __forceinline__ u32 narrow_in(u32 head) { return head >> PLACE_BITS & ((1u << WIDTH_BITS) - 1); }
__device__ __forceinline__ u32 wide_in(u32 head) {
    return head >> (PLACE_BITS + WIDTH_BITS) & ((1u << WIDTH_BITS) - 1);
}

// Entries 2 * lane and 2 * lane + 1 of a group that begins at bit `at`, each the sum of all up to it, of the first
// `limit` entries. All lanes take part.
template <class Words>
__device__ __forceinline__ void add_up(const Words& room, u32 at, u32 head, u32 bits, u32 limit, entry_t& even,
                                       entry_t& odd) {
    const u32 narrow = narrow_in(head), wide = wide_in(head), a = 2 * lane(), b = a + 1;
    u32 mine = 0, wides = 0;  // whether these two are wide, and how many before them are
    if (narrow < wide) {
        // In halves of 32 bits, which processors have.
        const u32 first = at / 32, middle = room[first + 1];
        const u32 low = __funnelshift_r(room[first], middle, at), high = __funnelshift_r(middle, room[first + 2], at);
        const u32 half = a < 32 ? low : high;
        mine = half >> (a % 32) & 3;
        wides = (u32)__popc(half & ((1u << (a % 32)) - 1)) + (a < 32 ? 0 : (u32)__popc(low));
        at += 64;
    }
    even = odd = 0;
    const u32 width = mine & 1 ? wide : narrow;
    u32 place = at + bits + (a - 1) * narrow + wides * (wide - narrow);
    if (a == 0) {
        even = take(room, at, bits);
        place = at + bits;
    } else if (a < limit) {
        even = take(room, place, width);
        place += width;
    }
    if (b < limit) odd = take(room, place, mine & 2 ? wide : narrow);
    const entry_t sum = warp_prefix((entry_t)(even + odd));
    even = sum - odd;
    odd = sum;
}

// The sum of all entries up to number `entry` of the group; it is in lane entry / 2. All lanes take part.
__device__ __forceinline__ entry_t sum_until(entry_t even, entry_t odd, u32 entry) {
    const entry_t first = __shfl_sync(ALL_LANES, even, entry / 2), second = __shfl_sync(ALL_LANES, odd, entry / 2);
    return entry % 2 ? second : first;
}

// Words are read once, but for those at the ends of tiles: if they come over the link, the next warp finds them cached.
__device__ __forceinline__ u32 word_at(const Packed& packed, u64 place) {
    return ON_HOST ? __ldg(packed.words + place) : __ldcs(packed.words + place);
}

// The neighbours of edges first…first+count-1, each given to put(k, neighbour) with its number k from 0 on, by any lane.
// `starts` has a bit for every entry, from the first of the first group on, at which a row begins. The row of the first
// edge begins at one of these bits or before the group. `room` has ROOM_OF(count) words.
template <class Put>
__device__ __forceinline__ void unpack(const Packed& packed, u64 first, u32 count, const u32* starts, u32* room,
                                       Put put) {
    const u64 group = first / GROUP, last = (first + count - 1) / GROUP;
    u64 from = first_bit(packed, group) / 32;
    const u64 to = (last_bit(packed, last) + 31) / 32 + 2;  // there are words to read after the last entry
#if ON_HOST
    from -= after_line(packed.words, from) <= from ? after_line(packed.words, from) : 0;
#endif
    for (u64 k = from + lane(); k < to; k += AT_ONCE * WARP) {
        u32 words[AT_ONCE];  // all are on their way before the first is stored
#pragma unroll
        for (u32 i = 0; i < AT_ONCE; i++) words[i] = k + i * WARP < to ? word_at(packed, k + i * WARP) : 0;
#pragma unroll
        for (u32 i = 0; i < AT_ONCE; i++)
            if (k + i * WARP < to) room[k + i * WARP - from] = words[i];
    }
    __syncwarp(ALL_LANES);
    const u32 a = 2 * lane(), b = a + 1;
    for (u64 g = group; g <= last; g++) {
        const u32 head = __ldg(packed.heads + g);
        const u32 limit = g < last ? GROUP : (u32)(first + count - g * GROUP);  // entries that are needed
        entry_t even, odd;
        add_up(room, (u32)(first_bit(packed, g) - from * 32), head, packed.bits, limit, even, odd);
        const u64 begun = starts[2 * (g - group)] | (u64)starts[2 * (g - group) + 1] << 32;
        entry_t before_even = 0, before_odd = 0;
        if (begun >> 1) {  // a row begins after the first entry
            const u64 until_a = begun & ((2ull << a) - 1), until_b = begun & ((2ull << b) - 1);
            const u32 row_a = until_a ? 63 - __clzll((long long)until_a) : 0;
            const u32 row_b = until_b ? 63 - __clzll((long long)until_b) : 0;
            const entry_t sum_a = sum_until(even, odd, row_a ? row_a - 1 : 0);
            const entry_t sum_b = sum_until(even, odd, row_b ? row_b - 1 : 0);
            before_even = row_a ? sum_a : 0;
            before_odd = row_b ? sum_b : 0;
        }
        const long long k = (long long)(g * GROUP + a) - (long long)first;
        if (k >= 0 && a < limit) put((u32)k, (index_t)(even - before_even));
        if (k + 1 >= 0 && b < limit) put((u32)(k + 1), (index_t)(odd - before_odd));
    }
}
