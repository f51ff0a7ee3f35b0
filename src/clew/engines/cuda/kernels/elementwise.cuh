#pragma once
// out[k] = operator(u[k], v[k]); and for all pairs, out[i, j] = operator(u[i], v[j]).

#include "common.cuh"

extern "C" __global__ void elementwise(const left_t* u, const right_t* v, sum_t* out, u64 count) {
    for (u64 k = thread_in_grid(); k < count; k += threads_in_grid()) out[k] = clew_operator(u[k], v[k]);
}

// A block takes a row after the other, so that no thread has to divide for every pair.
extern "C" __global__ void outer(const left_t* u, const right_t* v, sum_t* out, u64 num_rows, u64 num_columns) {
    for (u64 row = blockIdx.x; row < num_rows; row += gridDim.x) {
        const left_t left = u[row];
        for (u64 column = threadIdx.x; column < num_columns; column += blockDim.x)
            out[row * num_columns + column] = clew_operator(left, v[column]);
    }
}
