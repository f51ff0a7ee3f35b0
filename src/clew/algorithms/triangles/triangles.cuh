#pragma once
#include "common.cuh"
#include "neighbour_tables.cuh"
// Triangles, each found once: two neighbours whose lists of later vertices (`up`) have the third in common.
//
// Of two neighbours, the one with the longer list is the owner. It stores its list in a hash table in shared memory,
// and looks up the lists of all neighbours with shorter ones. So every edge costs as many look-ups as the shorter of
// its two lists has entries, and none of them leaves the processor. A warp owns a vertex with a short list. A block
// owns one with a long list or a long row, which is cut into parts of OWNED neighbours. A list that would fill more
// than half of a block's table is taken a part at a time.
//
// COUNTED is 0 for the total alone, 1 for the triangles of every vertex, 2 for the links among its neighbours. Then a
// triangle counts once or twice for each corner, by the directions of the opposite edge. With COUNTED 1 and WEIGHED 1, a
// triangle counts as the product of its weights, and sums depend on their order. COUNTED is 3 for the triangles of each
// of 64 codes. A code is the side from owner to neighbour, 4 times that from owner to third vertex, and 16 times that
// from neighbour to third vertex.

#define OF_VERTICES (COUNTED == 1 || COUNTED == 2)  // whether there is a number for every vertex
#ifndef SMALL_SLOTS
#define SMALL_SLOTS 1024  // of a warp's table
#endif
#ifndef LARGE_SLOTS
#define LARGE_SLOTS 8192  // of a block's
#endif
#define SMALL_LIST (SMALL_SLOTS / 4)
#define LARGE_LIST (LARGE_SLOTS / 2)
#ifndef OWNED
#define OWNED 8192  // neighbours that one owner processes
#endif
#define TAKEN_AT_ONCE 16  // vertices that a warp takes
#ifndef BATCH
#define BATCH 8  // entries of a long list that a thread fetches at a time
#endif
#define CODES 64
#ifndef MANY_PAIRS
#define MANY_PAIRS (1u << 27)  // that may be triangles; then a warp empties the block's counters, before they overflow
#endif
#define LONG_LIST 32      // lists from here on are looked up one at a time, shorter ones together

struct Lists {
    const offset_t* out;
    const offset_t* into;
    const index_t* items;
    const label_t* labels;
    const u32* up;
    const u32* down;
    sum_t* counts;
};

// What one warp is doing: its owner, and room to count the hits of 32 neighbours.
struct Looking {
    Table table;
    hit_t* of_neighbour;
    u32* next;   // of the entries that the warps of a block take
    u32* codes;  // the block's counters
    index_t owner;
    u32 list;        // the length of the owner's
    u64 first, last; // of its row
    sum_t found;     // by this thread: triangles, or links of the owner
};

__device__ __forceinline__ u32 directions(label_t side) { return (u32)__popc((int)side); }

// Look up one entry of a neighbour's list, which is item number `item`; `label` is that of the neighbour, for the owner.
__device__ __forceinline__ hit_t look_up(const Lists& lists, Looking& at, index_t key, u64 item, label_t label) {
    const u32 slot = find(at.table, key);
    if (slot == NOWHERE) return 0;
    (void)item;
#if WEIGHED
    const hit_t product = label * at.table.labels[slot] * lists.labels[item];
    atomicAdd(at.table.hits + slot, product);
    at.found += product;
    return product;
#elif COUNTED == 0
    (void)label;
    at.found += 1;
    return 0;
#elif COUNTED == 1
    (void)label;
    atomicAdd(at.table.hits + slot, 1u);
    at.found += 1;
    return 1;
#elif COUNTED == 2
    atomicAdd(at.table.hits + slot, directions(label));
    at.found += directions(lists.labels[item]);
    return directions(at.table.labels[slot]);
#else
    atomicAdd(at.codes + label + 4 * at.table.labels[slot] + 16 * lists.labels[item], 1u);
    return 0;
#endif
}

// Empty the counters of the block's codes, by a warp.
__device__ __forceinline__ void empty_codes(const Lists& lists, const Looking& at) {
    for (u32 code = lane(); code < CODES; code += WARP) {
        const u32 number = atomicExch(at.codes + code, 0u);
        if (number) atomicAdd(lists.counts + code, (u64)number);
    }
}

__device__ __forceinline__ void add_to(sum_t* counts, index_t v, sum_t number) {
    if (number) atomicAdd(counts + v, number);
}

// Look up the lists of up to 32 neighbours, entries `at.first + k` of the owner's row for one k per lane.
__device__ __forceinline__ void look_up_lists(const Lists& lists, Looking& at, u64 k, u64 end) {
    index_t x = 0;
    u32 length = 0;
    u64 start = 0;
    label_t label = 1;
    if (k < end) {
        const u64 place = k < at.list ? at.first + k : at.last - 1 - (k - at.list);
        x = __ldg(lists.items + place);
        const u32 list = __ldg(lists.up + x);
        if (list > 0 && (list < at.list || (list == at.list && x < at.owner))) {
            length = list;
            start = first_of(lists.out, lists.into, (u64)x);
#if LABELLED
            label = lists.labels[place];
#endif
        }
    }
    u32 together = __ballot_sync(ALL_LANES, length >= LONG_LIST);
    while (together) {
        const int who = __ffs(together) - 1;
        together &= together - 1;
        const u64 from = __shfl_sync(ALL_LANES, start, who);
        const u32 number = __shfl_sync(ALL_LANES, length, who);
        const label_t theirs = (label_t)__shfl_sync(ALL_LANES, (shuffled_t)label, who);
        hit_t hits = 0;
        for (u32 j = lane(); j < number; j += BATCH * WARP) {
            index_t keys[BATCH];  // fetched at once
#pragma unroll
            for (u32 b = 0; b < BATCH; b++)
                keys[b] = j + b * WARP < number ? __ldg(lists.items + from + j + b * WARP) : EMPTY;
#pragma unroll
            for (u32 b = 0; b < BATCH; b++)
                if (keys[b] != EMPTY) hits += look_up(lists, at, keys[b], from + j + b * WARP, theirs);
        }
#if OF_VERTICES
        hits = warp_sum(hits);
        if (lane() == (u32)who) add_to(lists.counts, x, hits);
#else
        (void)hits;
#endif
    }
    // Short ones: 32 entries at a time, across rows.
    const u32 own = length >= LONG_LIST ? 0 : length;
    const u32 upto = warp_prefix(own), before = upto - own;
    const u32 total = __shfl_sync(ALL_LANES, upto, WARP - 1);
    if (total == 0) return;
#if OF_VERTICES
    at.of_neighbour[lane()] = 0;
    __syncwarp();
#endif
    for (u32 first = 0; first < total; first += WARP) {
        const u32 j = first + lane();
        u32 who = 0;  // the last lane whose entries begin at or before j
        for (u32 step = WARP / 2; step > 0; step /= 2) {
            const u32 begins = __shfl_sync(ALL_LANES, before, who + step);
            if (begins <= j) who += step;
        }
        const u64 from = __shfl_sync(ALL_LANES, start, who);
        const u32 skipped = __shfl_sync(ALL_LANES, before, who);
        const label_t theirs = (label_t)__shfl_sync(ALL_LANES, (shuffled_t)label, who);
        if (j < total) {
            const u64 item = from + (j - skipped);
            const hit_t hits = look_up(lists, at, __ldg(lists.items + item), item, theirs);
#if OF_VERTICES
            if (hits) atomicAdd(at.of_neighbour + who, hits);
#else
            (void)hits;
#endif
        }
    }
#if OF_VERTICES
    __syncwarp();
    if (own) add_to(lists.counts, x, at.of_neighbour[lane()]);
    __syncwarp();
#endif
}

// All threads of a team: a warp or a block.
template <bool BLOCK>
__device__ __forceinline__ void meet() {
    if constexpr (BLOCK) {
        __syncthreads();
    } else {
        __syncwarp();
    }
}

__device__ __forceinline__ u32 bits_for(u32 slots) { return slots <= 32 ? 5 : 32 - (u32)__clz((int)(slots - 1)); }

// Everything that one owner finds among entries begin…end of its row.
template <bool BLOCK>
__device__ __forceinline__ void own(const Lists& lists, Looking& at, u64 begin, u64 end) {
    const u32 me = BLOCK ? threadIdx.x : lane(), team = BLOCK ? blockDim.x : WARP;
    const u32 capacity = BLOCK ? LARGE_LIST : SMALL_LIST, most = BLOCK ? LARGE_SLOTS : SMALL_SLOTS;
    at.first = first_of(lists.out, lists.into, (u64)at.owner);
    at.last = first_of(lists.out, lists.into, (u64)at.owner + 1);
    at.list = lists.up[at.owner];
    at.found = 0;
    for (u32 from = 0; from < at.list; from += capacity) {
        const u32 size = at.list - from < capacity ? at.list - from : capacity;
        at.table.bits = bits_for(size * 4 < most ? size * 4 : most);
        const u32 slots = 1u << at.table.bits;
        for (u32 slot = me; slot < slots; slot += team) {
            at.table.keys[slot] = EMPTY;
#if OF_VERTICES
            at.table.hits[slot] = 0;
#endif
        }
        meet<BLOCK>();
        for (u32 j = me; j < size; j += team) {
            const u64 item = at.first + from + j;
            insert(at.table, lists.items[item], LABELLED ? lists.labels[item] : (label_t)1);
        }
        if (BLOCK && me == 0) *at.next = 0;
        meet<BLOCK>();
        for (u64 k = begin; k < end; k += WARP) {
            if (BLOCK) {  // lists differ in length: a warp that has done takes the next entries
                u32 taken = 0;
                if (lane() == 0) taken = atomicAdd(at.next, (u32)WARP);
                k = begin + __shfl_sync(ALL_LANES, taken, 0);
                if (k >= end) break;
            }
            look_up_lists(lists, at, k + lane(), end);
        }
        meet<BLOCK>();
#if OF_VERTICES
        for (u32 slot = me; slot < slots; slot += team) {
            const index_t key = at.table.keys[slot];
            if (key != EMPTY) add_to(lists.counts, key, at.table.hits[slot]);
        }
        meet<BLOCK>();
#elif COUNTED
        if (BLOCK && warp_in_block() == 0) empty_codes(lists, at);
#endif
    }
#if OF_VERTICES
    const sum_t found = warp_sum(at.found);
    if (lane() == 0) add_to(lists.counts, at.owner, found);
#endif
}

struct Shared {
    index_t* keys;
    hit_t* hits;
    hit_t* of_neighbour;  // WARP for each warp
    label_t* labels;
};

// Dynamic shared memory for this many slots.
__device__ __forceinline__ Shared shared_for(u32 slots) {
    Shared shared;
    shared.keys = dynamic_shared<index_t>();
    shared.hits = (hit_t*)(shared.keys + slots);
    shared.of_neighbour = OF_VERTICES ? shared.hits + slots : shared.hits;
    shared.labels = (label_t*)(shared.of_neighbour + (OF_VERTICES ? blockDim.x : 0));
    return shared;
}

// The block's counters of codes.
__device__ __forceinline__ u32* zeroed_codes() {
    __shared__ u32 codes[CODES];
    if (threadIdx.x < CODES) codes[threadIdx.x] = 0;
    __syncthreads();
    return codes;
}

// Add up what the threads of a warp have found, where only the total is needed.
__device__ __forceinline__ void add_to_total(u64* total, u64 found) {
#if COUNTED
    (void)total, (void)found;
#else
    found = warp_sum(found);
    if (lane() == 0 && found) atomicAdd(total, found);
#endif
}

// A warp per vertex, of first…end-1. Vertices that are too much for one are put on the list for `triangles_of_large`.
// `taken` is zeroed.
extern "C" __global__ void __launch_bounds__(256, 5)
triangles_of_small(index_t first, index_t end, const offset_t* out, const offset_t* into, const index_t* items,
                   const label_t* labels, const u32* up, const u32* down, sum_t* counts, u64* total, u64* taken, Cut* cuts,
                   u32* cut) {
    const Lists lists = {out, into, items, labels, up, down, counts};
    const Shared shared = shared_for(SMALL_SLOTS * (blockDim.x / WARP));
    const u32 skipped = SMALL_SLOTS * warp_in_block();
    Looking at = {{shared.keys + skipped, shared.hits + skipped, shared.labels + skipped, 0},
                  shared.of_neighbour + (OF_VERTICES ? WARP * warp_in_block() : 0), nullptr, nullptr, 0, 0, 0, 0, 0};
#if COUNTED == 3
    at.codes = zeroed_codes();
    u32 pairs = 0;
#endif
    sum_t found = 0;
    for (;;) {
        u64 start = 0;
        if (lane() == 0) start = (u64)first + atomicAdd(taken, (u64)TAKEN_AT_ONCE);
        start = __shfl_sync(ALL_LANES, start, 0);
        if (start >= (u64)end) break;
        const u64 mine = start + lane();
        u32 list = 0, row = 0;
        if (lane() < TAKEN_AT_ONCE && mine < (u64)end) {
            list = up[mine];
            row = list + down[mine];
        }
        const bool large = list > SMALL_LIST || (list > 1 && row > OWNED);
        if (large) {
            const u32 number = (row + OWNED - 1) / OWNED;
            const u32 place = atomicAdd(cut, number);
            for (u32 k = 0; k < number; k++) cuts[place + k] = {(index_t)mine, k};
        }
        u32 left = __ballot_sync(ALL_LANES, list > 1 && !large);
        while (left) {
            const int who = __ffs(left) - 1;
            left &= left - 1;
            at.owner = (index_t)(start + (u32)who);
            const u32 entries = __shfl_sync(ALL_LANES, row, who);
            own<false>(lists, at, 0, entries);
            found += at.found;
#if COUNTED == 3
            pairs += entries * at.list;
            if (pairs > MANY_PAIRS) {
                empty_codes(lists, at);
                pairs = 0;
            }
#endif
        }
    }
#if COUNTED == 3
    empty_codes(lists, at);
#endif
    add_to_total(total, found);
}

// A block per piece of the list: the one of `parts` equal parts whose number is `part`. `taken` is zeroed.
extern "C" __global__ void __launch_bounds__(512, 3)
triangles_of_large(const offset_t* out, const offset_t* into, const index_t* items, const label_t* labels, const u32* up,
                   const u32* down, sum_t* counts, u64* total, u32* taken, const Cut* cuts, const u32* cut, u32 part,
                   u32 parts) {
    __shared__ u32 next;
    __shared__ u32 next_entry;
    const Lists lists = {out, into, items, labels, up, down, counts};
    const Shared shared = shared_for(LARGE_SLOTS);
    Looking at = {{shared.keys, shared.hits, shared.labels, 0},
                  shared.of_neighbour + (OF_VERTICES ? WARP * warp_in_block() : 0), &next_entry, nullptr, 0, 0, 0, 0, 0};
#if COUNTED == 3
    at.codes = zeroed_codes();
#endif
    const u32 begin_of_part = (u32)((u64)*cut * part / parts), end_of_part = (u32)((u64)*cut * (part + 1) / parts);
    sum_t found = 0;
    for (;;) {
        if (threadIdx.x == 0) next = begin_of_part + atomicAdd(taken, 1u);
        __syncthreads();
        const u32 k = next;
        __syncthreads();
        if (k >= end_of_part) break;
        at.owner = cuts[k].vertex;
        const u64 begin = (u64)cuts[k].number * OWNED, row = (u64)up[at.owner] + down[at.owner];
        own<true>(lists, at, begin, row - begin > OWNED ? begin + OWNED : row);
        found += at.found;
    }
    add_to_total(total, found);
}
