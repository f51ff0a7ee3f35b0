#pragma once
// When an iteration began, for its trace. The clock is one for the whole GPU; its hand moves in steps of 32 nanoseconds
// to a microsecond, by the GPU. The thread with the least work reads it: the last one, because work is assigned from
// the first.
#include "common.cuh"
#ifdef CLEW_EMULATED
#include <time.h>
#endif

__device__ __forceinline__ long long nanoseconds() {
#ifdef CLEW_EMULATED
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000ll + now.tv_nsec;
#else
    long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
#endif
}

__device__ __forceinline__ bool is_last_in_grid() { return thread_in_grid() + 1 == threads_in_grid(); }

// A round of an iterative algorithm: its change, and when it began.
struct Round {
    double change;
    long long begun;
};
