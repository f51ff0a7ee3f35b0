#pragma once
// How often a label occurs in a row, or with which weight: a hash table in shared or global memory. A block has SLOTS of
// shared memory, a power of two, and its warps share them. To be included before rows_by_size.cuh, which it tells what
// fits.
#ifndef SHORT_ROW
#define SHORT_ROW 8  // a thread compares all labels with all
#endif
#ifndef LONG_ROW
#define LONG_ROW (SLOTS / 32)  // a warp's share of the table is twice as many places
#endif

#define MOST_WARPS 16
#define WARP_SLOTS (SLOTS / MOST_WARPS)

__device__ __forceinline__ int put_if_empty(int* place, int label) { return atomicCAS(place, -1, label); }
__device__ __forceinline__ long long put_if_empty(long long* place, long long label) {
    return (long long)atomicCAS(reinterpret_cast<u64*>(place), ~0ull, (u64)label);
}

// Open addressing: -1 is an empty place. `mask` is one less than the number of places, at least twice the row's length.
template <class Count>
struct Table {
    index_t* labels;
    Count* votes;
    u32 mask;

    __device__ __forceinline__ void clear(u32 first, u32 step) const {
        for (u32 i = first; i <= mask; i += step) {
            labels[i] = -1;
            votes[i] = 0;
        }
    }
    // More votes for a label; how many it has now.
    __device__ __forceinline__ Count add(index_t label, Count more) const {
        u32 place = (u32)((u64)label * 0x9E3779B97F4A7C15ull >> 32) & mask;
        for (;;) {
            const index_t seen = put_if_empty(&labels[place], label);
            if (seen == -1 || seen == label) return atomicAdd(&votes[place], more) + more;
            place = (place + 1) & mask;
        }
    }
    // The same without the sum, if there is a place for the label; whether there is.
    __device__ __forceinline__ bool put(index_t label, Count more) const {
        u32 place = (u32)((u64)label * 0x9E3779B97F4A7C15ull >> 32) & mask;
        for (u32 tries = 0; tries <= mask; tries++) {
            index_t seen = *(volatile index_t*)&labels[place];
            if (seen != label) seen = put_if_empty(&labels[place], label);
            if (seen == -1 || seen == label) {
                atomicAdd(&votes[place], more);
                return true;
            }
            place = (place + 1) & mask;
        }
        return false;
    }
};

__device__ __forceinline__ u32 mask_for(u64 length) {
    return (u32)((2ull << (63 - __clzll((long long)(2 * (length > 0 ? length : 1) - 1)))) - 1);
}
