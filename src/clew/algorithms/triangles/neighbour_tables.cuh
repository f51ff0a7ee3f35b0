#pragma once
#include "common.cuh"
#include "neighbourhoods.cuh"
// Hash tables of neighbours in shared memory, each with what counts of triangles need.

#define LABELLED (COUNTED >= 2 || WEIGHED)  // whether labels of neighbours are read
#if WEIGHED
typedef double hit_t;
typedef double sum_t;
typedef double shuffled_t;
#else
typedef u32 hit_t;
typedef u64 sum_t;
typedef u32 shuffled_t;  // as a label is passed to other lanes
#endif
#define EMPTY ((index_t)-1)
#define NOWHERE 0xffffffffu

// Open addressing; a table for few entries uses few of the slots, so that there is little to clear.
struct Table {
    index_t* keys;
    hit_t* hits;
    label_t* labels;
    u32 bits;
};

__device__ __forceinline__ u32 slot_of(const Table& table, index_t key) {
    const u32 mixed = (u32)((u64)key ^ ((u64)key >> 32)) * 0x9E3779B1u;
    return mixed >> (32 - table.bits);
}

__device__ __forceinline__ u32 find(const Table& table, index_t key) {
    const u32 mask = (1u << table.bits) - 1;
    u32 slot = slot_of(table, key);
    for (;;) {
        const index_t there = table.keys[slot];
        if (there == key) return slot;
        if (there == EMPTY) return NOWHERE;
        slot = (slot + 1) & mask;
    }
}

__device__ __forceinline__ bool claim(index_t* slot, index_t key) {
    if constexpr (sizeof(index_t) == 4) {
        return atomicCAS((int*)slot, -1, (int)key) == -1;
    } else {
        return atomicCAS((u64*)slot, ~0ull, (u64)key) == ~0ull;
    }
}

__device__ __forceinline__ void insert(const Table& table, index_t key, label_t label) {
    const u32 mask = (1u << table.bits) - 1;
    u32 slot = slot_of(table, key);
    while (!claim(table.keys + slot, key)) slot = (slot + 1) & mask;
#if LABELLED
    table.labels[slot] = label;
#else
    (void)label;
#endif
}
