#pragma once
// moved[k] = values[order[k]].

#include "common.cuh"

extern "C" __global__ void reorder(const value_t* values, const index_t* order, value_t* moved, u64 count) {
    for (u64 k = thread_in_grid(); k < count; k += threads_in_grid()) moved[k] = __ldg(values + order[k]);
}
