#pragma once
// A value that many entries have, found by one block from a sample.

#define FREQUENT_SAMPLES 1024
#define FREQUENT_SLOTS 1024

// `counts` is shared memory of FREQUENT_SLOTS words. Values whose hashes fall together are counted together, so the
// answer may be a rarer value: good enough to leave work out by, never to compute with. n must not be 0.
template <class T>
__device__ __forceinline__ T frequent_value(const T* values, u64 n, u32* counts) {
    __shared__ u32 best;
    __shared__ u32 where;
    for (u32 slot = threadIdx.x; slot < FREQUENT_SLOTS; slot += blockDim.x) counts[slot] = 0;
    if (threadIdx.x == 0) best = 0;
    if (threadIdx.x == 0) where = FREQUENT_SAMPLES;
    __syncthreads();
    for (u32 i = threadIdx.x; i < FREQUENT_SAMPLES; i += blockDim.x) {
        const T value = values[n * i / FREQUENT_SAMPLES];
        const u32 slot = ((u32)value * 0x9E3779B1u) % FREQUENT_SLOTS;
        const u32 same = __match_any_sync(ALL_LANES, slot);  // a warp takes part as a whole
        if ((same & lanes_below()) == 0) atomicAdd(&counts[slot], (u32)__popc(same));
    }
    __syncthreads();
    for (u32 slot = threadIdx.x; slot < FREQUENT_SLOTS; slot += blockDim.x)
        if (counts[slot] > 0) atomicMax(&best, counts[slot]);
    __syncthreads();
    for (u32 i = threadIdx.x; i < FREQUENT_SAMPLES; i += blockDim.x) {
        const T value = values[n * i / FREQUENT_SAMPLES];
        if (counts[((u32)value * 0x9E3779B1u) % FREQUENT_SLOTS] == best) atomicMin(&where, i);
    }
    __syncthreads();
    const T found = values[n * where / FREQUENT_SAMPLES];
    __syncthreads();
    return found;
}
