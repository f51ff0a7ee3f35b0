#pragma once
// What every kernel may use: names for widths, thread numbers, the grid-wide barrier, warp-wide sums and prefix sums.

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

#define WARP 32
#define ALL_LANES 0xffffffffu
#define GRID_BARRIER_WORDS 64

__device__ __forceinline__ u64 thread_in_grid() { return (u64)blockIdx.x * blockDim.x + threadIdx.x; }
__device__ __forceinline__ u64 threads_in_grid() { return (u64)gridDim.x * blockDim.x; }
__device__ __forceinline__ u32 lane() { return threadIdx.x & (WARP - 1); }
__device__ __forceinline__ u32 warp_in_block() { return threadIdx.x / WARP; }
__device__ __forceinline__ u64 warp_in_grid() { return thread_in_grid() / WARP; }
__device__ __forceinline__ u64 warps_in_grid() { return threads_in_grid() / WARP; }

// ---- The barrier of a cooperative launch ----
// The blocks together add 2^31 to word 0, so each sync flips its highest bit only. It needs no reset, and the next
// launch may use the same word with any grid.
//
// Thread 0 of each block runs `then` after the wait. It reads what the grid needs once per block and shares it in
// shared memory: thousands of warps reading one word take a microsecond.
#ifdef CLEW_EMULATED
template <class Then>
__device__ __forceinline__ void grid_sync_then(u32* barrier, Then then) {
    (void)barrier;
    emulated::grid_barrier();
    if (threadIdx.x == 0) then();
    __syncthreads();
}
template <class T>
__device__ __forceinline__ T* dynamic_shared() {
    return reinterpret_cast<T*>(emulated::dynamic_shared());
}
#else
template <class Then>
__device__ __forceinline__ void grid_sync_then(u32* barrier, Then then) {
    __syncthreads();
    if (threadIdx.x == 0) {
        const u32 share = blockIdx.x == 0 ? 0x80000000u - (gridDim.x - 1) : 1;
        u32 before, now;
        asm volatile("atom.add.acq_rel.gpu.u32 %0, [%1], %2;" : "=r"(before) : "l"(barrier), "r"(share) : "memory");
        do {
            asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(now) : "l"(barrier) : "memory");
        } while (((now ^ before) & 0x80000000u) == 0);
        then();
    }
    __syncthreads();
}
template <class T>
__device__ __forceinline__ T* dynamic_shared() {
    extern __shared__ __align__(16) unsigned char dynamic_shared_bytes[];
    return reinterpret_cast<T*>(dynamic_shared_bytes);
}
#endif
__device__ __forceinline__ void grid_sync(u32* barrier) {
    grid_sync_then(barrier, [] {});
}

// ---- Teams ----
// In a grid launched in clusters (Hopper and later), the first CLUSTER blocks synchronize in a third of the time of the
// whole grid. With CLUSTER 1 a team is one block.
#if !defined(CLUSTER) || defined(CLEW_EMULATED) || (defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900)
#undef CLUSTER
#define CLUSTER 1
#endif
__device__ __forceinline__ void team_sync() {
#if CLUSTER > 1
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#else
    __syncthreads();
#endif
}

// ---- Warps ----
template <class T>
__device__ __forceinline__ T warp_sum(T value) {
    for (int step = WARP / 2; step > 0; step /= 2) value += __shfl_xor_sync(ALL_LANES, value, step);
    return value;
}
// The same of small numbers, in one instruction where there is one.
__device__ __forceinline__ u32 sum_of_lanes(u32 value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    return __reduce_add_sync(ALL_LANES, value);
#else
    return warp_sum(value);
#endif
}
template <class T>
__device__ __forceinline__ T warp_max(T value) {
    for (int step = WARP / 2; step > 0; step /= 2) {
        const T other = __shfl_xor_sync(ALL_LANES, value, step);
        value = other > value ? other : value;
    }
    return value;
}
// The sum over the lanes below and this one.
template <class T>
__device__ __forceinline__ T warp_prefix(T value) {
    for (u32 step = 1; step < WARP; step *= 2) {
        const T below = __shfl_up_sync(ALL_LANES, value, step);
        if (lane() >= step) value += below;
    }
    return value;
}
__device__ __forceinline__ u32 lanes_below() { return (1u << lane()) - 1; }

// Reserve this lane's `needed` (0 or 1) items at the end of a queue, with one atomic per warp. All lanes take part.
template <class Size>
__device__ __forceinline__ Size take_room(Size* size, bool needed) {
    const u32 takers = __ballot_sync(ALL_LANES, needed);
    Size start = 0;
    if (takers && lane() == (u32)(__ffs(takers) - 1)) start = atomicAdd(size, (Size)__popc(takers));
    start = __shfl_sync(ALL_LANES, start, takers ? __ffs(takers) - 1 : 0);
    return start + (Size)__popc(takers & lanes_below());
}

// The number of entries from the beginning of a memory line to place `at`. Reads over the link start there, so that
// every load is one line, and no line is loaded twice.
#ifndef stored_t
#define stored_t weight_t  // what weights are stored as: narrower where they are packed
#endif
#ifndef ON_HOST
#define ON_HOST 0  // whether edges are read over the link
#endif
template <class T>
__device__ __forceinline__ u32 after_line(const T* entries, u64 at = 0) {
    return (u32)(((u64)entries / sizeof(T) + at) % WARP);
}

// The k-th of `count` items, taken alternately from both ends. If the ends are in different memories, both are read all
// the time.
__device__ __forceinline__ u64 from_both_ends(u64 k, u64 count) { return k % 2 ? count - 1 - k / 2 : k / 2; }

// Item `k` of `count`, of which the first part is in slow memory: these are spread evenly among the others, so that both
// memories are read all the time. `share` is their part of all, in 1/2^32. Counts are below 2^32.
__device__ __forceinline__ u64 spread(u64 k, u64 share, u64 count) {
    const u64 before = k * share >> 32, after = (k + 1) * share >> 32;
    return before < after ? before : (count * share >> 32) + (k - before);
}
