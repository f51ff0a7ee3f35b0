#pragma once
// Items in order by merging: every item finds its place by counting the items before it in the other stretch. Equal items
// keep their order.

#include "common.cuh"

// How many of the ascending items are less than `item`, or, with `too`, not more.
__device__ __forceinline__ u64 count_before(const u64* items, u64 count, u64 item, bool too) {
    u64 low = 0, high = count;
    while (low < high) {
        const u64 middle = (low + high) / 2;
        if (items[middle] < item || (too && items[middle] == item)) low = middle + 1;
        else high = middle;
    }
    return low;
}

// Where item k goes when stretches of `width` are merged in pairs; `count` items in all.
__device__ __forceinline__ u64 place_after(const u64* items, u64 count, u64 width, u64 k) {
    const u64 stretch = k / width, other = (stretch ^ 1) * width;
    const bool right = stretch & 1;
    const u64 length = other >= count ? 0 : other + width < count ? width : count - other;
    const u64 pair = (stretch & ~1ull) * width;
    return pair + k % width + count_before(items + (length ? other : 0), length, items[k], right);
}

// Sort `count` items in shared memory, with room for as many in `spare`; returns where they are then. Every thread calls it.
__device__ __forceinline__ u64* sort_in_block(u64* items, u64* spare, u64 count) {
    __syncthreads();
    for (u64 width = 1; width < count; width *= 2) {
        for (u64 k = threadIdx.x; k < count; k += blockDim.x) spare[place_after(items, count, width, k)] = items[k];
        __syncthreads();
        u64* sorted = spare;
        spare = items;
        items = sorted;
    }
    return items;
}
