#pragma once
// Packing the entries of sorted rows, as clew/packed/code.py describes the code, and unpacking them. A warp takes a group
// of 64, two entries to a lane. The bits are those that the host's kernels write (clew/packed/kernels.py).
//
// Three kernels pack: the widths of every group, the places of groups in their blocks, the words. One unpacks. `values`
// has the entries from number `begin` on, of a whole number of blocks; `size` is the number of all entries.
#include "packed_rows.cuh"

struct Given {
    const index_t* values;
    const offset_t* offsets;
    u64 rows, begin, size;
};
// Entries 2 * lane and 2 * lane + 1 of a group as they are stored, and how many the group has.
struct Pair {
    u64 even, odd;
    u32 count;
};

// The first row that begins after an entry; the end of all rows where none does. All lanes take part.
__device__ __forceinline__ u64 row_after(const offset_t* offsets, u64 rows, u64 entry) {
    u64 low = 0, high = rows;
    while (low < high) {
        const u64 step = (high - low + WARP - 1) / WARP, mine = low + lane() * step;
        const bool before = mine < high && (u64)__ldg(offsets + mine) <= entry;
        const u32 count = (u32)__popc(__ballot_sync(ALL_LANES, before));
        if (count == 0) return low;
        high = low + count * step < high ? low + count * step : high;
        low += (count - 1) * step + 1;
    }
    return low;
}

// A bit for every entry of first…last-1 that is the first of a row or of the group. All lanes take part.
__device__ __forceinline__ u64 starts_among(const offset_t* offsets, u64 rows, u64 first, u64 last) {
    u64 starts = 1;
    for (u64 row = row_after(offsets, rows, first) + lane(); row < rows; row += WARP) {
        const u64 begins = (u64)__ldg(offsets + row);
        if (begins >= last) break;
        starts |= 1ull << (begins - first);
    }
    __syncwarp(ALL_LANES);
    for (int step = WARP / 2; step > 0; step /= 2) starts |= __shfl_xor_sync(ALL_LANES, starts, step);
    return starts;
}

// An entry is the difference to the one before it. The first of a row, and of a group, is itself.
__device__ __forceinline__ Pair entries_of(const Given& given, u64 group) {
    const u64 first = given.begin + group * GROUP, last = first + GROUP < given.size ? first + GROUP : given.size;
    const u32 a = 2 * lane(), b = a + 1, count = (u32)(last - first);
    const index_t* const values = given.values + group * GROUP;
    const u64 value_a = a < count ? (u64)__ldg(values + a) : 0, value_b = b < count ? (u64)__ldg(values + b) : 0;
    const u64 starts = starts_among(given.offsets, given.rows, first, last);
    const u64 before = __shfl_up_sync(ALL_LANES, value_b, 1);
    return Pair{a < count ? value_a - (starts >> a & 1 ? 0 : before) : 0,
                b < count ? value_b - (starts >> b & 1 ? 0 : value_a) : 0, count};
}

__device__ __forceinline__ u32 length_of(u64 number) { return 64 - (u32)__clzll((long long)number); }

// The two widths for which the entries after the first take the fewest bits, and the bits of the group. Of several
// narrow widths, the largest. If the widths differ, there is a mask.
extern "C" __global__ void measure_groups(const index_t* values, const offset_t* offsets, u64 rows, u64 begin, u64 size,
                                          u64 groups, u32 bits, u32* heads, u32* taken) {
    const Given given = {values, offsets, rows, begin, size};
    for (u64 group = warp_in_grid(); group < groups; group += warps_in_grid()) {
        const Pair mine = entries_of(given, group);
        const u32 a = 2 * lane(), others = mine.count - 1;
        const u32 even = length_of(mine.even), odd = length_of(mine.odd);
        const bool first_counts = a > 0 && a < mine.count, second_counts = a + 1 < mine.count;
        const u32 longest = first_counts && even > odd ? even : odd;
        const u32 wide = warp_max(longest);
        u32 best = ~0u;  // bits, then the width
        for (u32 from = 0; from < wide; from += WARP) {
            const u32 width = from + lane();
            u32 below = 0;
            for (u32 k = 0; k < WARP; k++) {
                below += __shfl_sync(ALL_LANES, first_counts ? even : 255u, k) <= width;
                below += __shfl_sync(ALL_LANES, second_counts ? odd : 255u, k) <= width;
            }
            const u32 here = (GROUP + below * width + (others - below) * wide) << WIDTH_BITS | width;
            if (width < wide && here < best) best = here;
        }
        best = ~warp_max(~best);
        u32 narrow = wide, least = others * wide;
        if (best >> WIDTH_BITS < least) {
            narrow = best & ((1u << WIDTH_BITS) - 1);
            least = best >> WIDTH_BITS;
        }
        if (lane() == 0) {
            heads[group] = narrow << PLACE_BITS | wide << (PLACE_BITS + WIDTH_BITS);
            taken[group] = least + bits;
        }
    }
}

// Where in its block every group begins, and how many words a block takes.
extern "C" __global__ void place_groups(u64 groups, const u32* taken, u32* heads, u64* sizes) {
    for (u64 block = thread_in_grid(); block * GROUP < groups; block += threads_in_grid()) {
        const u64 end = (block + 1) * GROUP < groups ? (block + 1) * GROUP : groups;
        u32 place = 0;
        for (u64 group = block * GROUP; group < end; group++) {
            heads[group] |= place;
            place += taken[group];
        }
        sizes[block] = (place + 63) / 64;
    }
}

__device__ __forceinline__ void put_bits(u32* words, u64 at, u64 value) {
    while (value) {
        const u32 shift = (u32)(at % 32);
        atomicOr(words + at / 32, (u32)(value << shift));
        value >>= 32 - shift;
        at += 32 - shift;
    }
}

// `words` are zero before; bases[k] is the first word of 64 bits of block k.
extern "C" __global__ void write_groups(const index_t* values, const offset_t* offsets, u64 rows, u64 begin, u64 size,
                                        u64 groups, u32 bits, const u32* heads, const u64* bases, u32* words) {
    const Given given = {values, offsets, rows, begin, size};
    for (u64 group = warp_in_grid(); group < groups; group += warps_in_grid()) {
        const Pair mine = entries_of(given, group);
        const u32 a = 2 * lane(), head = heads[group], narrow = narrow_in(head), wide = wide_in(head);
        u64 at = bases[group / GROUP] * 64 + (head & ((1u << PLACE_BITS) - 1));
        u32 wide_ones = 0, before = 0;  // of these two, and of those before them
        if (narrow < wide) {
            wide_ones = (u32)(a > 0 && mine.even >> narrow) | (u32)(mine.odd >> narrow != 0) << 1;
            const u32 number = (u32)__popc(wide_ones);
            before = warp_prefix(number) - number;
            put_bits(words, at + a, wide_ones);
            at += 64;
        }
        if (a == 0) {
            put_bits(words, at, mine.even);
            put_bits(words, at + bits, mine.odd);
        } else {
            const u64 place = at + bits + (u64)(a - 1) * narrow + (u64)before * (wide - narrow);
            put_bits(words, place, mine.even);
            put_bits(words, place + (wide_ones & 1 ? wide : narrow), mine.odd);
        }
    }
}

// The inverse. `bases` count from the first word that is there.
#define UNPACKERS 8  // warps of a block
extern "C" __global__ void __launch_bounds__(UNPACKERS * WARP)
    unpack_groups(const u32* words, const u32* heads, const u64* bases, u32 bits, const offset_t* offsets, u64 rows,
                  u64 begin, u64 size, u64 groups, index_t* values) {
    __shared__ u32 rooms[UNPACKERS * ROOM_OF(GROUP)];
    __shared__ u32 starts_of_warps[UNPACKERS * 2];
    u32* const room = rooms + warp_in_block() * ROOM_OF(GROUP);
    u32* const starts = starts_of_warps + warp_in_block() * 2;
    const Packed packed = {words, heads, bases, bits, groups, nullptr, nullptr};
    for (u64 group = warp_in_grid(); group < groups; group += warps_in_grid()) {
        const u64 first = begin + group * GROUP, last = first + GROUP < size ? first + GROUP : size;
        const u64 begun = starts_among(offsets, rows, first, last);
        if (lane() < 2) starts[lane()] = (u32)(begun >> 32 * lane());
        __syncwarp(ALL_LANES);
        index_t* const found = values + group * GROUP;
        unpack(packed, group * GROUP, (u32)(last - first), starts, room, [&](u32 k, index_t id) { found[k] = id; });
        __syncwarp(ALL_LANES);
    }
}
