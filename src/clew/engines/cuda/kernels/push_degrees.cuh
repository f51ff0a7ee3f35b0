#pragma once
// The degrees of the active vertices.

#include "common.cuh"

extern "C" __global__ void push_degrees(const offset_t* offsets, const index_t* active, u64 num_active,
                                        long long* degrees) {
    for (u64 k = thread_in_grid(); k < num_active; k += threads_in_grid())
        degrees[k] = (long long)(offsets[active[k] + 1] - offsets[active[k]]);
}
